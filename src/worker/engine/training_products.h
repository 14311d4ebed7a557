// The three products of a linear layer in training: its outputs, and the gradients of its inputs and weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace transformeter {

enum class TrainingPart { kOutputs, kInputGradient, kWeightGradient };

/// In what, and by whom, a product is computed.
enum class TrainingKernel {
  kLinear,         // in its operands' type, by LibTorch
  kOneDnn,         // in fp32 operands' type, by oneDNN on the tensors as they are
  kWidened,        // of narrow operands: in fp32 by LibTorch, rounded once
  kWidenedOneDnn,  // likewise by oneDNN
};

/// Each part may have its own kernel.
class TrainingProducts {
 public:
  explicit TrainingProducts(TrainingKernel kernel = TrainingKernel::kLinear) { kernels_.fill(kernel); }
  /// As bits() gave them.
  static TrainingProducts of_bits(std::int64_t bits);

  /// x Wᵀ + b in the type of x: x [M, K], W [N, K], b [N] or undefined, all of one type.
  at::Tensor outputs(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) const;
  /// s W in `type`: s [M, N], the gradient of the outputs, of their type or already widened.
  at::Tensor input_gradient(const at::Tensor& slopes, const at::Tensor& weight, c10::ScalarType type) const;
  /// sᵀ x in `type`.
  at::Tensor weight_gradient(const at::Tensor& slopes, const at::Tensor& input, c10::ScalarType type) const;

  void use(TrainingPart part, TrainingKernel kernel) { kernels_[static_cast<std::size_t>(part)] = kernel; }
  TrainingKernel kernel(TrainingPart part) const { return kernels_[static_cast<std::size_t>(part)]; }
  bool widens(TrainingPart part) const { return kernel(part) >= TrainingKernel::kWidened; }
  /// Whether all are LibTorch's own.
  bool are_plain() const {
    return std::all_of(kernels_.begin(), kernels_.end(),
                       [](TrainingKernel one) { return one == TrainingKernel::kLinear; });
  }
  /// What autograd keeps for the backward pass.
  std::int64_t bits() const;

 private:
  bool is_one_dnn(TrainingPart part) const {
    return kernel(part) == TrainingKernel::kOneDnn || kernel(part) == TrainingKernel::kWidenedOneDnn;
  }
  at::Tensor as_computed(TrainingPart part, const at::Tensor& operand) const {
    return widens(part) ? operand.to(c10::ScalarType::Float) : operand;
  }

  std::array<TrainingKernel, 3> kernels_{};
};

/// [..., n] as [M, n].
at::Tensor as_rows(const at::Tensor& values);

/// What each part is called in ProductUse::what.
std::string_view name_of(TrainingPart part);
/// As choices of kernels call it.
std::string_view name_of(TrainingKernel kernel);

}  // namespace transformeter
