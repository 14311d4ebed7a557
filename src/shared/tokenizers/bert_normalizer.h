// BERT's normalisation (clean text, space Chinese characters, strip accents, lower case), with the semantics of Hugging
// Face `tokenizers`' BertNormalizer.
#pragma once

#include <array>
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
  explicit BertNormalizer(const BertNormalizerOptions& options);

  std::string normalize(std::string_view text) const override;
  /// The same in place of what `result` holds, whose memory is used again.
  void normalize(std::string_view text, std::string& result) const;
  AlignedText normalize_aligned(AlignedText text) const override;
  const BertNormalizerOptions& options() const { return options_; }

 private:
  BertNormalizerOptions options_;
  std::array<char, 128> ascii_{};       // what each becomes
  std::array<bool, 128> is_removed_{};  // and which of them go
};

}  // namespace transformeter
