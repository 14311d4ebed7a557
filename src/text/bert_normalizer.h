// BERT's normalisation (clean text, space Chinese characters, strip accents, lower case) and its pre-tokenizer (white
// space and punctuation), with the semantics of Hugging Face `tokenizers`' BertNormalizer and BertPreTokenizer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace transformeter {

/// Normalised text, and for each of its bytes the bytes of the given text that it stands for.
struct AlignedText {
  std::string text;
  std::vector<TextSpan> origin;  // as long as `text`
};

struct BertNormalizerOptions {
  bool clean_text = true;             // drop control characters, turn every white space into a blank
  bool handle_chinese_chars = true;   // a blank before and after each ideograph
  std::optional<bool> strip_accents;  // nothing: as `lowercase`
  bool lowercase = true;
};

class BertNormalizer {
 public:
  explicit BertNormalizer(const BertNormalizerOptions& options) : options_(options) {}

  /// `text` is well-formed UTF-8, and so is the result. Safe to call from several threads.
  std::string normalize(std::string_view text) const;
  /// The same text with its origins, as Hugging Face's NormalizedString keeps them; several times slower.
  AlignedText normalize_aligned(std::string_view text) const;
  const BertNormalizerOptions& options() const { return options_; }

 private:
  BertNormalizerOptions options_;
};

/// Appends the words of well-formed `text`: split at white space (dropped) and around each punctuation character
/// (a word of its own). The views point into `text`.
void split_bert_words(std::string_view text, std::vector<std::string_view>& words);

}  // namespace transformeter
