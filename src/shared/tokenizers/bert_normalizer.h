// BERT's normalisation (clean text, space Chinese characters, strip accents, lower case), with the semantics of Hugging
// Face `tokenizers`' BertNormalizer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tokenizers/normalizer.h"

namespace transformeter {

struct BertNormalizerOptions {
  bool clean_text = true;             // drop control characters, turn every white space into a blank
  bool handle_chinese_chars = true;   // a blank before and after each ideograph
  std::optional<bool> strip_accents;  // nothing: as `lowercase`
  bool lowercase = true;
};

class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(const BertNormalizerOptions& options) : options_(options) {}

  std::string normalize(std::string_view text) const override;
  AlignedText normalize_aligned(AlignedText text) const override;
  const BertNormalizerOptions& options() const { return options_; }

 private:
  BertNormalizerOptions options_;
};

}  // namespace transformeter
