// MKL's packed single-precision product, whose packed form is for one number of rows. Inference only: it records no
// gradient.
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "engine/activate.h"
#include "engine/dispatched_operator.h"
#include "engine/linear_factories.h"

namespace transformeter {
namespace {

using Reorder = at::Tensor(const at::Tensor& weight, std::int64_t rows);
using Product = at::Tensor(const at::Tensor& input, const at::Tensor& packed, const at::Tensor& original,
                           const std::optional<at::Tensor>& bias, std::int64_t rows);

class MklLinear final : public LinearKernel {
 public:
  MklLinear(const LinearWeights& weights, std::int64_t rows, bool fused)
      : rows_(rows),
        fused_(fused),
        bytes_(static_cast<std::int64_t>(weights.weight.nbytes())),
        bias_(weights.bias.defined() ? std::optional(weights.bias) : std::nullopt),
        // The operator takes the original for its sizes, and to fall back on, which is not allowed to happen.
        sizes_(at::zeros({1}).expand(weights.weight.sizes())),
        packed_(
            dispatched_operator<Reorder>("mkl::_mkl_reorder_linear_weight").call(weights.weight.contiguous(), rows)),
        product_(dispatched_operator<Product>("mkl::_mkl_linear")) {}

  at::Tensor forward(const at::Tensor& input) const override {
    const std::int64_t rows = input.numel() / input.size(-1);
    if (rows != rows_) {
      throw Error(ErrorKind::kInternal, fmt::format("a linear layer packed for {} rows got {}", rows_, rows));
    }
    return product_.call(input.contiguous(), packed_, sizes_, bias_, rows_);
  }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    if (!fused_) return LinearKernel::activated(input, activation);
    at::Tensor output = forward(input);
    activate_in_place(output, activation);
    return output;
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    if (!fused_) return LinearKernel::added(input, residual);
    at::Tensor output = forward(input);
    output.add_(residual);
    return output;
  }
  std::int64_t own_bytes() const override { return bytes_; }
  LinearForm form() const override { return {{}, true}; }

 private:
  std::int64_t rows_;
  bool fused_;
  std::int64_t bytes_;
  std::optional<at::Tensor> bias_;
  at::Tensor sizes_;
  at::Tensor packed_;  // opaque: MKL's
  c10::TypedOperatorHandle<Product> product_;
};

}  // namespace

std::shared_ptr<const LinearKernel> mkl_linear(const LinearWeights& weights, std::int64_t rows, bool fused) {
  return std::make_shared<MklLinear>(weights, rows, fused);
}

}  // namespace transformeter
