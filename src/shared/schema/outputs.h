// What a model answered to single inputs, number by number: how a case is compared with its reference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// Which outputs an evaluation gives back: those named, or the first of the cycle, and of a fixed length those of the
/// texts that follow its one batch. The limits are on the first, to keep a reference and the work of making it small.
struct OutputRequest {
  std::vector<std::int64_t> inputs;        // their keys; none: the first
  bool attention_mask = true;              // false: of a pass that attends to padding, as a broken mask would
  bool plain = false;                      // of one pass over whole rows, whatever the scenario does: a reference
  std::int64_t fewest_inputs = 32;         // unless they have more than `limit_tokens`
  std::int64_t most_inputs = 64;           // as measurement.md 20 has it
  std::int64_t most_tokens = 4096;         // padding not counted; of more than the fewest inputs
  std::int64_t most_values = 1024 * 1024;  // likewise
  std::int64_t limit_tokens = 16 * 1024;   // of more than two inputs
};

/// Rows of `width` values, one after another; of each input one row (a text's classes, its vector) or one for each of
/// its tokens that is compared.
struct Outputs {
  std::int64_t width = 0;
  std::vector<std::int64_t> inputs;  // a hash of each input's tokens: equal keys are equal inputs, in whatever batch
  std::vector<std::int64_t> rows;    // of each input
  std::vector<float> values;         // Σ rows · width

  bool operator==(const Outputs&) const = default;
};

/// The rows of a token-level output that are wider than this, those over a vocabulary, are compared at the last useful
/// token alone.
inline constexpr std::int64_t kWidestTokenRow = 1024;

/// Appends the bytes to `blob`; the answer says how to read them: {width, inputs, values}.
Json encode_outputs(const Outputs& outputs, std::string& blob);
/// Takes its bytes off the front of `blob`. Throws Error(kProtocol) when directory and bytes do not fit, or the rows do
/// not add up.
Outputs decode_outputs(const Json& directory, std::string_view& blob);

}  // namespace transformeter
