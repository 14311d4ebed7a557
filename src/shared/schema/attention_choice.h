// Which kernel of attention is fastest for inputs of one kind, found by trying.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "schema/kernel_times.h"

namespace transformeter {

/// Inputs of one model that are of the same kind have the same kernel.
struct AttentionKind {
  std::int64_t queries = 0;  // of a row: counts from one power of two up to the next are alike, and this is the lowest
  std::int64_t keys = 0;     // likewise
  bool has_mask = false;
  bool is_causal = false;
  int threads = 0;  // that it is computed on

  auto operator<=>(const AttentionKind&) const = default;
};

struct AttentionChoice {
  AttentionKind kind;
  std::string kernel;
  std::vector<KernelTrial> trials;
  bool is_steady = true;  // as of ProductChoice
};

/// {queries, keys, mask, causal, threads, kernel, steady, seconds: {kernel: s}, refused: {kernel: why}}
void to_json(Json& json, const AttentionChoice& choice);

}  // namespace transformeter
