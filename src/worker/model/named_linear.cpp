// One place for all families and engines: whatever a factory makes goes through here.
#include "model/named_linear.h"

#include <utility>

#include "model/profile_scope.h"

namespace transformeter {
namespace {

class NamedLinear final : public LinearKernel {
 public:
  NamedLinear(std::string module, std::shared_ptr<const LinearKernel> kernel)
      : module_(std::move(module)), kernel_(std::move(kernel)) {}

  at::Tensor forward(const at::Tensor& input) const override {
    const ModuleScope scope(module_);
    return kernel_->forward(input);
  }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    const ModuleScope scope(module_);
    return kernel_->activated(input, activation);
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    const ModuleScope scope(module_);
    return kernel_->added(input, residual);
  }
  // Kernels know each other by their class, which a name must not hide.
  LinearOperand activated_for(const LinearKernel& next, const at::Tensor& input, Activation activation) const override {
    const ModuleScope scope(module_);
    const auto* const named = dynamic_cast<const NamedLinear*>(&next);
    return kernel_->activated_for(named == nullptr ? next : *named->kernel_, input, activation);
  }
  at::Tensor added_to(const LinearOperand& operand, const at::Tensor& residual) const override {
    const ModuleScope scope(module_);
    return kernel_->added_to(operand, residual);
  }
  std::int64_t own_bytes() const override { return kernel_->own_bytes(); }
  LinearForm form() const override { return kernel_->form(); }

 private:
  std::string module_;
  std::shared_ptr<const LinearKernel> kernel_;
};

}  // namespace

std::shared_ptr<const LinearKernel> named_linear(std::string module, std::shared_ptr<const LinearKernel> kernel) {
  return std::make_shared<NamedLinear>(std::move(module), std::move(kernel));
}

}  // namespace transformeter
