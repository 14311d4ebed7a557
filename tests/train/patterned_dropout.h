// A dropout whose result is known, so that a loss tells where a model drops values.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/matmul.h>

#include <cmath>
#include <memory>

#include "engine/operators.h"

namespace transformeter {

/// LibTorch's operators, whose dropout is the same for the same places: x · (1 + ½ cos place). As that of
/// scripts/references.
class PatternedDropout final : public Operators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    const double scale = 1 / std::sqrt(static_cast<double>(inputs.query.size(-1)));
    at::Tensor scores = at::matmul(inputs.query, inputs.key.transpose(-2, -1)) * scale;
    if (inputs.mask.defined()) scores = scores + inputs.mask;
    const at::Tensor shares = scores.softmax(-1);
    return at::matmul(inputs.dropout > 0 ? dropout(shares, inputs.dropout) : shares, inputs.value);
  }
  at::Tensor dropout(const at::Tensor& input, double /*share*/) const override {
    const at::Tensor places = at::arange(input.numel(), at::kDouble);
    return input * (1 + 0.5 * places.cos()).to(input.scalar_type()).view(input.sizes());
  }
  at::Tensor convolution(const at::Tensor& input, const Convolution& layer) const override {
    return own_->convolution(input, layer);
  }
  at::Tensor rms_norm(const at::Tensor& input, const at::Tensor& weight, double epsilon, double offset) const override {
    return own_->rms_norm(input, weight, epsilon, offset);
  }
  at::Tensor rotated(const at::Tensor& input, const Rotation& rotation) const override {
    return own_->rotated(input, rotation);
  }

 private:
  std::unique_ptr<Operators> own_ = make_operators("math");
};

}  // namespace transformeter
