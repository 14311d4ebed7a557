// The third step of a tokenizer: from a piece of text to token ids (WordPiece, BPE, Unigram).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tokenizers/text_span.h"
#include "tokenizers/vocabulary.h"

namespace transformeter {

/// Immutable: one object may serve several threads.
class TokenModel {
 public:
  virtual ~TokenModel() = default;

  /// Appends the ids of one piece (well-formed UTF-8, not empty); and to `spans`, unless it is null, the bytes of
  /// `piece` that each id stands for. Several ids may share a span, as the bytes of one character do.
  virtual void encode_piece(std::string_view piece, std::vector<std::int32_t>& ids,
                            std::vector<TextSpan>* spans) const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  /// The id of what the vocabulary cannot say; nothing where the model has none.
  virtual std::optional<std::int32_t> unknown_id() const = 0;
  /// What marks tokens inside a word, as "##"; empty where the model marks none so.
  virtual std::string_view continuing_subword_prefix() const { return {}; }
};

}  // namespace transformeter
