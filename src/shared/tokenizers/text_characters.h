// The character classes of Hugging Face's regular expressions (\p{L}, \p{N}, \s) and of its other components.
#pragma once

#include <cstdint>
#include <vector>

#include "tokenizers/bert_characters.h"

namespace transformeter {

enum class CharacterClass : std::uint8_t { kOther, kLetter, kNumber, kSpace };

/// One class for each character, as Oniguruma has \p{L}, \p{N} and \s, which do not overlap.
class CharacterClasses {
 public:
  CharacterClasses();

  CharacterClass of(char32_t c) const { return c < kTableSize ? table_[c] : beyond(c); }

 private:
  static constexpr char32_t kTableSize = 0x10000;
  static CharacterClass beyond(char32_t c);

  std::vector<CharacterClass> table_;
};

/// Rust's char::is_numeric, by which Digits cuts.
bool is_numeric(char32_t c);
/// `\w` of Rust's regex: Alphabetic, marks, decimal digits, connector punctuation, join controls. Whitespace cuts by
/// it, and a single-word added token has none beside it.
bool is_rust_word(char32_t c);
/// What StripAccents drops.
bool is_combining_mark(char32_t c);
/// What NFKC and NFKD decompose. Hugging Face's library is older than utf8proc, which decomposes some hundred more.
bool decomposes_compatibly(char32_t c);
/// Rust's char::to_lowercase but for U+0130, which becomes two characters there. Rust is younger than utf8proc.
char32_t lower_case(char32_t c);

}  // namespace transformeter
