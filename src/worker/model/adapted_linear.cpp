// The scale is applied where there are fewest numbers: between the adapter's matrices.
#include "model/adapted_linear.h"

#include <ATen/TensorOperators.h>

#include <utility>

namespace transformeter {
namespace {

class AdaptedLinear final : public LinearKernel {
 public:
  AdaptedLinear(std::shared_ptr<const LinearKernel> base, AdapterKernels adapter)
      : base_(std::move(base)), adapter_(std::move(adapter)) {}

  at::Tensor forward(const at::Tensor& input) const override {
    const at::Tensor narrow = adapter_.lora_a->forward(input) * adapter_.scale;
    return adapter_.lora_b->added(narrow, base_->forward(input));
  }
  std::int64_t own_bytes() const override { return base_->own_bytes(); }
  LinearForm form() const override { return base_->form(); }

 private:
  std::shared_ptr<const LinearKernel> base_;
  AdapterKernels adapter_;
};

}  // namespace

std::shared_ptr<const LinearKernel> adapted_linear(std::shared_ptr<const LinearKernel> base, AdapterKernels adapter) {
  return std::make_shared<AdaptedLinear>(std::move(base), std::move(adapter));
}

}  // namespace transformeter
