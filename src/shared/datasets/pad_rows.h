// Rows of tokens one under the other, as a model reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "datasets/cycle.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// Each row padded at its end with `pad` to the longest of them, or to `length` where it is given; example_index is
/// left to the caller. Throws Error(kUnsupportedShape) for a row longer than `length`.
Batch pad_rows(std::span<const Encoding* const> rows, std::int32_t pad,
               std::optional<std::int64_t> length = std::nullopt);

/// Fills useful_tokens, processed_tokens and has_padding from the mask, which is what the model sees.
void count_tokens(Batch& batch);

}  // namespace transformeter
