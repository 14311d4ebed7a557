// A text on its way from what was given to what the model reads, with the place each of its bytes comes from: Hugging
// Face's NormalizedString. Where nobody asks for places they are left out, and the same steps run without them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/text_span.h"

namespace transformeter {

struct AlignedText {
  std::string text;              // well-formed UTF-8
  std::vector<TextSpan> origin;  // as long as `text`: the given text's bytes behind each byte; empty: not traced
  bool at_start = false;         // nothing of the given text lies before it
};

/// `text` as it stands, with its places when `traced`: all bytes of a character have those of the character, counted
/// from `base`.
AlignedText make_aligned(std::string_view text, bool traced, std::size_t base = 0);

/// The bytes `span` of `whole`, cut between characters.
AlignedText slice(const AlignedText& whole, TextSpan span);

/// The place of the bytes `span` (not empty) of a traced text in the given one.
TextSpan origin_of(const AlignedText& text, TextSpan span);

/// A character of a text to be, and what it does to the old text, read from left to right.
struct CharacterChange {
  char32_t character = 0;
  int change =
      0;  // 0: takes the place of the next old character; -n: also of the n after it; 1: has no place of its own
};

/// The text that `changes` make of `old`; the first `left_out` characters of `old` are dropped before. A character
/// without a place of its own gets that of the old character read last, as Hugging Face's transform has it.
AlignedText transform(const AlignedText& old, const std::vector<CharacterChange>& changes, std::size_t left_out = 0);

/// `inserted` in front, with the place of the first character. An empty text stays empty.
AlignedText prepend(const AlignedText& old, std::string_view inserted);

}  // namespace transformeter
