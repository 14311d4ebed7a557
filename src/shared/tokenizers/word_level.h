// WordLevel: a piece is a word of the vocabulary, or unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tokenizers/token_model.h"
#include "tokenizers/vocabulary.h"

namespace transformeter {

class WordLevel final : public TokenModel {
 public:
  /// `unknown_id` is of the vocabulary; nothing: unknown words are errors.
  WordLevel(StoredVocabulary vocabulary, std::optional<std::int32_t> unknown_id);

  /// Throws Error(kBadInput) for an unknown word where the model has no id for one, as Hugging Face does.
  void encode_piece(std::string_view piece, std::vector<std::int32_t>& ids,
                    std::vector<TextSpan>* spans) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_.words; }
  std::optional<std::int32_t> unknown_id() const override { return unknown_id_; }

 private:
  StoredVocabulary vocabulary_;
  std::optional<std::int32_t> unknown_id_;
};

}  // namespace transformeter
