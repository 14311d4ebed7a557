// The number formats of the linear operators of one pass: products of activations with weights, as they were observed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// Operators whose inputs and weights came in the same formats.
struct LinearType {
  std::string input;      // "fp32", "bf16", "fp16", "fp64", "int8", "uint8", or LibTorch's name of another format
  std::string weight;     // likewise; "packed" where the operator hides it
  bool is_small = false;  // fewer than kSmallestInt8Side inputs or outputs
  std::int64_t count = 0;
  double flop_share = 0;  // of all linear operators of the pass
};

/// Products with fewer inputs or outputs stay in the activations' format in every form of int8: such as a classifier
/// head, they gain least from it and lose most accuracy.
inline constexpr std::int64_t kSmallestInt8Side = 16;

void to_json(Json& json, const LinearType& type);
void from_json(const Json& json, LinearType& type);

}  // namespace transformeter
