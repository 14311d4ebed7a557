// oneDNN's linear on blocked weights.
#include <ATen/TensorOperators.h>

#include <optional>

#include "engine/linear_factories.h"
#include "engine/one_dnn_linear.h"

namespace transformeter {
namespace {

class PrepackedLinear final : public LinearKernel {
 public:
  PrepackedLinear(const LinearWeights& weights, bool fused)
      : weight_(one_dnn_packed(weights.weight.contiguous())),
        bias_(weights.bias.defined() ? std::optional(weights.bias) : std::nullopt),
        bytes_(static_cast<std::int64_t>(weights.weight.nbytes())),
        fused_(fused) {}

  at::Tensor forward(const at::Tensor& input) const override { return one_dnn_linear(input, weight_, bias_); }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    const auto operation = fused_ ? one_dnn_activation(activation) : std::nullopt;
    return operation ? one_dnn_linear(input, weight_, bias_, *operation) : LinearKernel::activated(input, activation);
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    if (!fused_) return LinearKernel::added(input, residual);
    return one_dnn_linear_added(input, residual, weight_, bias_);
  }
  std::int64_t own_bytes() const override { return bytes_; }
  LinearForm form() const override { return {{}, true}; }

 private:
  at::Tensor weight_;  // opaque: oneDNN's
  std::optional<at::Tensor> bias_;
  std::int64_t bytes_;
  bool fused_;
};

class PrepackedLinears final : public LinearFactory {
 public:
  explicit PrepackedLinears(bool fused) : fused_(fused) {}
  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override {
    return std::make_shared<PrepackedLinear>(weights, fused_);
  }
  bool joins_products() const override { return fused_; }

 private:
  bool fused_;
};

}  // namespace

std::shared_ptr<const LinearFactory> prepacked_linears(bool fused) {
  return std::make_shared<PrepackedLinears>(fused);
}

}  // namespace transformeter
