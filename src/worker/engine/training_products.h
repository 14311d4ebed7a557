// The three products of a linear layer in training, in fp32: its outputs, and the gradients of its inputs and weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <bitset>
#include <cstdint>
#include <string_view>

namespace transformeter {

enum class TrainingPart { kOutputs, kInputGradient, kWeightGradient };

/// LibTorch's kernels, or oneDNN's on the tensors as they are; each part may have its own.
class TrainingProducts {
 public:
  TrainingProducts() = default;
  /// As bits() gave them.
  explicit TrainingProducts(std::int64_t bits) : one_dnn_(static_cast<std::uint64_t>(bits)) {}

  /// x Wᵀ + b: x [M, K], W [N, K], b [N] or undefined.
  at::Tensor outputs(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) const;
  /// s W: s [M, N], the gradient of the outputs.
  at::Tensor input_gradient(const at::Tensor& slopes, const at::Tensor& weight) const;
  /// sᵀ x.
  at::Tensor weight_gradient(const at::Tensor& slopes, const at::Tensor& input) const;

  void use_one_dnn(TrainingPart part) { one_dnn_.set(static_cast<std::size_t>(part)); }
  /// What autograd keeps for the backward pass.
  std::int64_t bits() const { return static_cast<std::int64_t>(one_dnn_.to_ulong()); }

 private:
  bool is_one_dnn(TrainingPart part) const { return one_dnn_[static_cast<std::size_t>(part)]; }

  std::bitset<3> one_dnn_;
};

/// [..., n] as [M, n].
at::Tensor as_rows(const at::Tensor& values);

/// What each part is called in ProductUse::what.
std::string_view name_of(TrainingPart part);

}  // namespace transformeter
