// What a tokenizer puts around a text, and what fills up a row: all that batching needs to know of it.
#pragma once

#include <cstdint>
#include <vector>

#include "tokenizers/tokenizer.h"

namespace transformeter {

struct RowFrame {
  std::vector<std::int32_t> before, after;  // the special tokens around a single text: [CLS] and [SEP]
  std::int32_t pad = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(before.size() + after.size()); }
};

/// Where a vocabulary has no padding token its end token fills rows, as is usual with GPT-2, or else the first: what
/// stands there is masked.
RowFrame row_frame(const Tokenizer& tokenizer);

/// The same of a text that goes on: nothing stands after it.
RowFrame open_row_frame(const Tokenizer& tokenizer);

}  // namespace transformeter
