// oneDNN's linear on blocked weights, reached through the dispatcher: LibTorch has no C++ function for it. Inference
// only: it records no gradient.
#include <ATen/TensorOperators.h>
#include <ATen/core/List.h>

#include <optional>
#include <string_view>
#include <utility>

#include "engine/dispatched_operator.h"
#include "engine/linear_factories.h"
#include "engine/one_dnn_activation.h"

namespace transformeter {
namespace {

using Reorder = at::Tensor(const at::Tensor& weight, std::optional<std::int64_t> batch);
using Pointwise = at::Tensor(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                             std::string_view operation, c10::List<std::optional<at::Scalar>> scalars,
                             std::optional<std::string_view> algorithm);
using PointwiseBinary = at::Tensor(const at::Tensor& input, const at::Tensor& other, const at::Tensor& weight,
                                   const std::optional<at::Tensor>& bias, std::string_view operation);

class PrepackedLinear final : public LinearKernel {
 public:
  PrepackedLinear(const LinearWeights& weights, bool fused)
      : bias_(weights.bias.defined() ? std::optional(weights.bias) : std::nullopt),
        bytes_(static_cast<std::int64_t>(weights.weight.nbytes())),
        fused_(fused),
        pointwise_(dispatched_operator<Pointwise>("mkldnn::_linear_pointwise")),
        binary_(dispatched_operator<PointwiseBinary>("mkldnn::_linear_pointwise", "binary")) {
    weight_ = dispatched_operator<Reorder>("mkldnn::_reorder_linear_weight").call(weights.weight.contiguous(), {});
  }

  at::Tensor forward(const at::Tensor& input) const override { return product(input, {"none", ""}); }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    const auto operation = fused_ ? one_dnn_activation(activation) : std::nullopt;
    return operation ? product(input, *operation) : LinearKernel::activated(input, activation);
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    if (!fused_) return LinearKernel::added(input, residual);
    return binary_.call(input, residual, weight_, bias_, "add");
  }
  std::int64_t own_bytes() const override { return bytes_; }
  LinearForm form() const override { return {{}, true}; }

 private:
  at::Tensor product(const at::Tensor& input, const OneDnnActivation& operation) const {
    return pointwise_.call(input, weight_, bias_, operation.name, c10::List<std::optional<at::Scalar>>(),
                           operation.algorithm);
  }

  at::Tensor weight_;  // opaque: oneDNN's
  std::optional<at::Tensor> bias_;
  std::int64_t bytes_;
  bool fused_;
  c10::TypedOperatorHandle<Pointwise> pointwise_;
  c10::TypedOperatorHandle<PointwiseBinary> binary_;
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
