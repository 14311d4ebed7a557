// How much of one text or two is kept within a limit, as Hugging Face truncates.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizers/arrangement.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// Throws Error(kBadInput) with the offset of the first byte that is not UTF-8.
void check_utf8(std::string_view text);

/// The tokens left for the texts; nothing: no limit. Throws Error(kBadInput) when the special tokens alone are too
/// many.
std::optional<std::size_t> room_for_text(const std::vector<ArrangementPart>& parts, const EncodeOptions& options);

/// Tokens of padding that a text of `size` tokens, special ones included, lacks to be as long as it is filled.
std::size_t tokens_to_fill(std::size_t size, const TokenizerTraits& traits, const EncodeOptions& options);

/// Lengths kept of two texts under "longest_first": the shorter one is kept whole while it fits in half.
std::pair<std::size_t, std::size_t> longest_first(std::size_t first, std::size_t second, std::size_t room);

/// Which tokens of a text stay; by turns from `side`'s other end.
inline TextSpan kept_span(std::size_t size, std::size_t keep, Side side) {
  return side == Side::kRight ? TextSpan{0, keep} : TextSpan{size - keep, size};
}

/// The overlapping spans of `room` tokens that cover `size` tokens, at least one; stride < room.
std::vector<TextSpan> window_spans(std::size_t size, std::size_t room, std::size_t stride);

}  // namespace transformeter
