// oneDNN's linear layer. LibTorch has no C++ function for it, so it is called through the dispatcher.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "engine/one_dnn_activation.h"

namespace transformeter {

/// x Wᵀ + b, then the activation: x [..., K]; W [N, K] in any strides, or as one_dnn_packed gave it; b [N]. No operand
/// may be empty. Like all here it records no gradient, and throws c10::Error where LibTorch was built without oneDNN.
at::Tensor one_dnn_linear(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                          const OneDnnActivation& activation = {"none", ""});

/// x Wᵀ + b + r: r is of the output's shape.
at::Tensor one_dnn_linear_added(const at::Tensor& input, const at::Tensor& residual, const at::Tensor& weight,
                                const std::optional<at::Tensor>& bias);

/// The weight [N, K] in the blocks that oneDNN wants, at best for inputs of `rows` rows; opaque to others.
at::Tensor one_dnn_packed(const at::Tensor& weight, std::optional<std::int64_t> rows = std::nullopt);

}  // namespace transformeter
