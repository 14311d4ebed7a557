// WordPiece: cuts one word into the longest pieces of a vocabulary, from the left (Devlin et al. 2018, BERT).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/token_model.h"
#include "tokenizers/vocabulary.h"

namespace transformeter {

struct WordPieceOptions {
  std::string continuing_subword_prefix = "##";  // marks pieces that do not begin a word
  std::int64_t max_input_chars_per_word = 100;   // a longer word is unknown
};

class WordPiece final : public TokenModel {
 public:
  /// `unknown_id` is of the vocabulary.
  WordPiece(StoredVocabulary vocabulary, std::int32_t unknown_id, WordPieceOptions options);

  /// The one unknown id when no cut covers the piece.
  void encode_piece(std::string_view piece, std::vector<std::int32_t>& ids,
                    std::vector<TextSpan>* spans) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_.words; }
  std::optional<std::int32_t> unknown_id() const override { return unknown_id_; }
  std::string_view continuing_subword_prefix() const override { return options_.continuing_subword_prefix; }

 private:
  bool append_pieces(std::string_view word, std::vector<std::int32_t>& ids, std::vector<TextSpan>* spans) const;
  void append_unknown(std::string_view word, std::vector<std::int32_t>& ids, std::vector<TextSpan>* spans) const;

  StoredVocabulary vocabulary_;
  IdTable continuations_;  // pieces inside a word, without their prefix
  std::int32_t unknown_id_;
  WordPieceOptions options_;
};

}  // namespace transformeter
