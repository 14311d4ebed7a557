// How far a weight's gradient is from one that was made elsewhere.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "train/optimizer.h"

namespace transformeter {

/// `expected` [2]: the gradient's norm, and its product with cos 0, cos 1, …. In proportion to the norm where that is
/// above 1; infinite for what is no number.
inline double gradient_error(const TrainedWeight& weight, const at::Tensor& expected) {
  const at::Tensor known = weight.value.grad();
  const at::Tensor gradient = (known.defined() ? known : at::zeros_like(weight.value)).flatten().to(at::kDouble);
  const at::Tensor places = at::arange(gradient.numel(), at::kDouble);
  const double norm = expected[0].item<double>();
  const double of_norm = std::abs(gradient.norm().item<double>() - norm);
  const double of_product = std::abs((gradient * places.cos()).sum().item<double>() - expected[1].item<double>());
  const double error = std::max(of_norm, of_product) / std::max(1.0, norm);
  return std::isnan(of_norm + of_product) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace transformeter
