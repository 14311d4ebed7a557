// Products of bf16 values in fp32, rounded to bf16 once: what bf16's own instructions compute, and faster than they are
// where a processor multiplies fp32 faster.
#pragma once

#include <memory>
#include <string_view>

#include "model/linear.h"

namespace transformeter {

/// Whose fp32 products they are.
enum class WideProduct { kLibTorch, kOneDnn };

/// As choices of kernels call it.
constexpr std::string_view name_of(WideProduct product) {
  return product == WideProduct::kLibTorch ? "widened" : "widened_onednn";
}
/// The operator that profiles and probes see.
constexpr const char* operator_of(WideProduct product) {
  return product == WideProduct::kLibTorch ? "transformeter::widened_linear" : "transformeter::widened_onednn_linear";
}
constexpr bool is_widened(std::string_view kernel) {
  return kernel == name_of(WideProduct::kLibTorch) || kernel == name_of(WideProduct::kOneDnn);
}

/// The weights stay in bf16, and are widened in each call. `fused`: the residual, and an activation that oneDNN
/// has, before the rounding.
std::shared_ptr<const LinearKernel> widened_linear(const LinearWeights& weights, WideProduct product, bool fused);

/// Bytes that a product of so many rows needs beside its inputs, weights and outputs.
double widened_scratch(double rows, double inputs, double outputs);

}  // namespace transformeter
