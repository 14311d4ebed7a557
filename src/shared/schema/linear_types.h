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
  bool may_stay = false;  // as it is in 8 bits: fewer than kSmallestInt8Side inputs or outputs, or is_kept
  bool is_kept = false;   // as it is in any precision: an embedding's, so that no choice of format changes it
  std::int64_t count = 0;
  double flop_share = 0;  // of all linear operators of the pass
};

/// Products with fewer inputs or outputs stay in the activations' format in every form of int8: such as a classifier
/// head, they gain least from it and lose most accuracy.
inline constexpr std::int64_t kSmallestInt8Side = 16;

/// In int8_weight_only products of so few rows read the weights as they lie, if the inputs of a row are a multiple of
/// kInt8InputStep: LibTorch's product reads by so many, and past the end of others. All others widen them first.
inline constexpr std::int64_t kFewInt8Rows = 16;
inline constexpr std::int64_t kInt8InputStep = 16;

void to_json(Json& json, const LinearType& type);
void from_json(const Json& json, LinearType& type);

}  // namespace transformeter
