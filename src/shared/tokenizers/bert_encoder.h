// BERT's normaliser, pre-tokenizer and WordPiece in one pass over the text.
#pragma once

#include "tokenizers/bert_normalizer.h"
#include "tokenizers/fused_encoder.h"
#include "tokenizers/wordpiece.h"

namespace transformeter {

class BertEncoder final : public FusedEncoder {
 public:
  /// Both outlive this object.
  BertEncoder(const BertNormalizer& normalizer, const WordPiece& model) : normalizer_(normalizer), model_(model) {}

  void encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const override;

 private:
  void append_word(std::string_view word, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const;

  const BertNormalizer& normalizer_;
  const WordPiece& model_;
};

}  // namespace transformeter
