// The character classes BERT's normaliser and pre-tokenizer decide by, exactly as Hugging Face `tokenizers` has them.
#pragma once

#include <cstdint>

namespace transformeter {

struct CodePointRange {
  char32_t first;
  char32_t last;  // inclusive
};

struct CombiningRange {
  char32_t first;
  char32_t last;  // inclusive
  std::uint8_t combining_class;
};

/// Dropped by clean_text: NUL, U+FFFD, control, format and private-use characters; tab, LF and CR stay (as spaces).
bool is_bert_removed(char32_t c);
/// Rust's char::is_whitespace: what separates words.
bool is_bert_space(char32_t c);
/// Every ASCII punctuation mark and symbol, and the Unicode categories P*: a word of its own.
bool is_bert_punctuation(char32_t c);
/// Unicode category Mn: dropped by strip_accents, after canonical decomposition.
bool is_nonspacing_mark(char32_t c);
/// Canonical combining class, by which marks are ordered after decomposition; 0 for a base.
std::uint8_t bert_combining_class(char32_t c);
/// Decomposes only since Unicode 13, later than the tables Hugging Face's library normalises with.
bool decomposes_only_lately(char32_t c);
/// The ideograph blocks which get a space on both sides.
bool is_bert_chinese(char32_t c);

}  // namespace transformeter
