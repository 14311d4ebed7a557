// Products in int8 with scales found beforehand: each kernel first computes plainly and notes the range of its inputs,
// then, settled, quantises them by that range.
#include <ATen/TensorOperators.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/linear.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/linear_factories.h"
#include "engine/one_dnn_activation.h"
#include "engine/one_dnn_int8.h"
#include "engine/row_quantizer.h"
#include "model/int8_channels.h"

namespace transformeter {
namespace {

// As many as quantisation tools commonly take.
constexpr std::int64_t kExamples = 64;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class StaticInt8Linear final : public LinearKernel {
 public:
  StaticInt8Linear(LinearWeights weights, bool fused) : weights_(std::move(weights)), fused_(fused) {}

  at::Tensor forward(const at::Tensor& input) const override {
    return is_settled_ ? product(input, {"none", ""}) : observed(input);
  }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    const auto operation = one_dnn_activation(activation);
    if (!is_settled_ || !fused_ || !operation) return LinearKernel::activated(input, activation);
    return product(input, *operation);
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    if (!is_settled_ || !fused_) return LinearKernel::added(input, residual);
    at::Tensor output = product(input, {"none", ""});
    output.add_(residual);
    return output;
  }
  // Bytes in the range of `next`, so that none of what lies between is written in fp32.
  LinearOperand activated_for(const LinearKernel& next, const at::Tensor& input, Activation activation) const override {
    const auto* const into = dynamic_cast<const StaticInt8Linear*>(&next);
    const auto operation = one_dnn_activation(activation);
    if (into != nullptr && is_settled_ && fused_ && operation) {
      const QuantizedBytes bytes = quantize_bytes(input.contiguous(), range_);
      if (bytes.is_finite) {
        return {packed_->multiply(bytes.values, range_, {bias_, *operation, into->range_}, at::kByte), {}};
      }
    }
    return LinearKernel::activated_for(next, input, activation);
  }
  at::Tensor added_to(const LinearOperand& operand, const at::Tensor& residual) const override {
    if (operand.values.scalar_type() != at::kByte) return added(operand.values, residual);
    at::Tensor output = packed_->multiply(operand.values, range_, {bias_}, residual.scalar_type());
    return output.add_(residual);
  }
  // Known before it is settled: one byte a weight and one scale a channel.
  std::int64_t own_bytes() const override {
    return weight_count_ + static_cast<std::int64_t>(sizeof(float)) * channel_count_;
  }
  LinearForm form() const override { return {"int8_static", true}; }

  void settle() {
    if (std::isnan(smallest_)) {
      throw Error(ErrorKind::kUnsupported,
                  "precision int8_static: calibration with the first inputs produced NaN or infinite values; run fp32 "
                  "to find the cause");
    }
    if (!(smallest_ <= largest_)) {
      throw Error(ErrorKind::kInternal, "an int8 layer was finalized before it was calibrated");
    }
    range_ = byte_range(smallest_, largest_);
    packed_.emplace(quantize_channels(weights_.weight, largest_int8_weight()));
    if (weights_.bias.defined()) bias_ = weights_.bias.to(at::kFloat);
    weights_ = {};
    is_settled_ = true;
  }

 private:
  at::Tensor observed(const at::Tensor& input) const {
    const auto [smallest, largest] = at::aminmax(input);
    {
      const std::lock_guard lock(mutex_);
      // What is not finite leaves no range, whatever comes after it.
      const bool is_finite = std::isfinite(smallest.item<double>()) && std::isfinite(largest.item<double>());
      smallest_ = is_finite ? std::min(smallest_, smallest.item<double>()) : kNaN;
      largest_ = is_finite ? std::max(largest_, largest.item<double>()) : kNaN;
    }
    return at::linear(input, weights_.weight, weights_.bias);
  }

  at::Tensor product(const at::Tensor& input, const OneDnnActivation& operation) const {
    const QuantizedBytes bytes = quantize_bytes(input.contiguous(), range_);
    at::Tensor output = packed_->multiply(bytes.values, range_, {bias_, operation}, input.scalar_type());
    if (!bytes.is_finite) output.fill_(std::numeric_limits<double>::quiet_NaN());
    return output;
  }

  LinearWeights weights_;  // until it is settled
  bool fused_;
  bool is_settled_ = false;
  std::int64_t weight_count_ = weights_.weight.numel();
  std::int64_t channel_count_ = weights_.weight.size(0);
  mutable std::mutex mutex_;
  mutable double smallest_ = std::numeric_limits<double>::infinity();
  mutable double largest_ = -std::numeric_limits<double>::infinity();
  ByteRange range_;
  std::optional<OneDnnInt8> packed_;
  at::Tensor bias_;
};

class StaticInt8Linears final : public ObservingLinears {
 public:
  explicit StaticInt8Linears(const LinearOptions& options) : fused_(options.fused) {
    LinearOptions others = options;
    others.precision = "fp32";
    others.is_tried = false;
    others_ = make_linears(others);
  }

  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override {
    if (!is_worth_int8(weights)) return others_->make(weights);
    auto kernel = std::make_shared<StaticInt8Linear>(weights, fused_);
    kernels_.push_back(kernel);
    return kernel;
  }
  bool joins_products() const override { return fused_; }
  bool allows_convolutions() const override { return false; }
  // Each layer has a range of its own.
  LinearSharing sharing() const override { return LinearSharing::kNone; }
  std::int64_t examples() const override { return kExamples; }
  std::vector<SettledProduct> settle(KeptProducts*) const override {
    for (const auto& kernel : kernels_) kernel->settle();
    return {};
  }

 private:
  bool fused_;
  std::shared_ptr<const LinearFactory> others_;
  mutable std::vector<std::shared_ptr<StaticInt8Linear>> kernels_;
};

}  // namespace

std::shared_ptr<const LinearFactory> static_int8_linears(const LinearOptions& options) {
  return std::make_shared<StaticInt8Linears>(options);
}

}  // namespace transformeter
