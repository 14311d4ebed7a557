// Which kernel multiplies matrices of one size fastest on a machine, found by trying.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "schema/kernel_times.h"

namespace transformeter {

/// What a product is tried with.
struct ProductUse {
  std::int64_t rows = 0;  // of inputs
  std::string what;       // is computed with it: an activation, "residual"; in training a part of it; or nothing

  auto operator<=>(const ProductUse&) const = default;
};

/// Products of the same size have the same kernel.
struct ProductSize {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  bool has_bias = false;
  bool is_fused = false;           // what comes then is part of the kernel's call, or in place
  int threads = 0;                 // that it is computed on
  std::vector<ProductUse> uses;    // ascending
  std::string precision = "fp32";  // of inputs, weights and outputs
  bool has_plain_weights = false;  // only kernels that take weights as they are were tried

  auto operator<=>(const ProductSize&) const = default;
};

struct ProductChoice {
  ProductSize size;
  std::string kernel;
  std::vector<KernelTrial> trials;  // none: there was nothing to choose
  /// Whether the times that decided came a second time: the machine was quiet enough to tell kernels apart.
  bool is_steady = true;
  std::string tried_at;  // UTC
};

/// {inputs, outputs, bias, fused, threads, uses: [{rows, what}], precision, plain_weights, kernel, seconds: {kernel:
/// s}, refused: {kernel: why}, steady, tried_at}
void to_json(Json& json, const ProductChoice& choice);
/// Throws Json::exception for another form.
void from_json(const Json& json, ProductChoice& choice);

}  // namespace transformeter
