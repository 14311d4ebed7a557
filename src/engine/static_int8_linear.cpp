// Products in int8 with scales found beforehand: each kernel first computes plainly and notes the range of its inputs,
// then, frozen, quantises them by that range.
#include <ATen/TensorOperators.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/linear.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/int8_channels.h"
#include "engine/linear_factories.h"
#include "engine/one_dnn_activation.h"
#include "engine/one_dnn_int8.h"
#include "engine/row_quantizer.h"

namespace transformeter {
namespace {

class StaticInt8Linear final : public LinearKernel {
 public:
  StaticInt8Linear(LinearWeights weights, bool fused) : weights_(std::move(weights)), fused_(fused) {}

  at::Tensor forward(const at::Tensor& input) const override {
    return is_frozen_ ? product(input, {"none", ""}) : observed(input);
  }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    const auto operation = one_dnn_activation(activation);
    if (!is_frozen_ || !fused_ || !operation) return LinearKernel::activated(input, activation);
    return product(input, *operation);
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    if (!is_frozen_ || !fused_) return LinearKernel::added(input, residual);
    at::Tensor output = product(input, {"none", ""});
    output.add_(residual);
    return output;
  }
  // Known before it is frozen: one byte a weight and one scale a channel.
  std::int64_t own_bytes() const override {
    return weight_count_ + static_cast<std::int64_t>(sizeof(float)) * channel_count_;
  }

  void freeze() {
    if (!(smallest_ <= largest_)) {
      throw Error(ErrorKind::kInternal, "a product in int8 was to be frozen before it had seen an input");
    }
    range_ = byte_range(smallest_, largest_);
    packed_.emplace(quantize_channels(weights_.weight));
    if (weights_.bias.defined()) bias_ = weights_.bias.to(at::kFloat);
    weights_ = {};
    is_frozen_ = true;
  }

 private:
  at::Tensor observed(const at::Tensor& input) const {
    const auto [smallest, largest] = at::aminmax(input);
    {
      const std::lock_guard lock(mutex_);
      smallest_ = std::min(smallest_, smallest.item<double>());
      largest_ = std::max(largest_, largest.item<double>());
    }
    return at::linear(input, weights_.weight, weights_.bias);
  }

  at::Tensor product(const at::Tensor& input, const OneDnnActivation& operation) const {
    return packed_->multiply(quantize_bytes(input.contiguous(), range_), range_, {bias_, operation},
                             input.scalar_type());
  }

  LinearWeights weights_;  // until it is frozen
  bool fused_;
  bool is_frozen_ = false;
  std::int64_t weight_count_ = weights_.weight.numel();
  std::int64_t channel_count_ = weights_.weight.size(0);
  mutable std::mutex mutex_;
  mutable double smallest_ = std::numeric_limits<double>::infinity();
  mutable double largest_ = -std::numeric_limits<double>::infinity();
  ByteRange range_;
  std::optional<OneDnnInt8> packed_;
  at::Tensor bias_;
};

class StaticInt8Linears final : public CalibratedLinears {
 public:
  explicit StaticInt8Linears(const LinearOptions& options) : fused_(options.fused) {
    LinearOptions others = options;
    others.precision = "fp32";
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
  void freeze() const override {
    for (const auto& kernel : kernels_) kernel->freeze();
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
