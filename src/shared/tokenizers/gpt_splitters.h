// The splits of byte-level tokenizers, written by hand: several times as fast as their regular expressions, and by the
// same character classes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tokenizers/pre_tokenizer.h"
#include "tokenizers/text_characters.h"

namespace transformeter {

/// GPT-2's pattern, which ByteLevel has built in: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|
/// ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
class Gpt2Splitter final : public Splitter {
 protected:
  void do_split(std::string_view text, std::vector<TextSpan>& pieces) const override;

 private:
  CharacterClasses classes_;
};

/// GPT-4's pattern as Qwen2 (max_digits 1) and Llama 3 (3) write it:
/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,max_digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|
/// \s+(?!\S)|\s+
class Gpt4Splitter final : public Splitter {
 public:
  explicit Gpt4Splitter(std::size_t max_digits) : max_digits_(max_digits) {}

 protected:
  void do_split(std::string_view text, std::vector<TextSpan>& pieces) const override;

 private:
  std::size_t end_of_piece(std::string_view text, std::size_t begin) const;
  std::size_t end_of_space(std::string_view text, std::size_t begin) const;

  CharacterClasses classes_;
  std::size_t max_digits_;
};

/// The splitter written for exactly this regular expression; null when there is none.
std::unique_ptr<const Splitter> find_gpt_splitter(std::string_view pattern);

}  // namespace transformeter
