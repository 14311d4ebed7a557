// One request as it is measured: as many tokens as it is asked for, and no end token, since a request that ends early
// is another request. As in a Python user's generate(), a token counts once its id is known on the host; logits are not
// looked at otherwise.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "model/key_value_cache.h"

namespace transformeter {

class GenerationRequest {
 public:
  virtual ~GenerationRequest() = default;

  /// The first new token's id for one prompt: a pass over all of it. Of several beams the best one's.
  virtual std::int64_t first_token() = 0;
  /// The next one's: a pass over the newest token of each beam. Of the last one's the text that is the answer.
  virtual std::int64_t next_token() = 0;

  /// [rows, V] of the last pass: a row for the prompt, then one for each beam.
  virtual const at::Tensor& logits() const = 0;
  virtual const KeyValueCache& cache() const = 0;
  /// Of all keys and values that are kept, those of an encoded text included.
  virtual std::int64_t cache_bytes() const = 0;
};

}  // namespace transformeter
