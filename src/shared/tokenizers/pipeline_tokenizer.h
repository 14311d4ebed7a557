// A tokenizer made of components, as Hugging Face's tokenizer.json describes them: added tokens are found in the text
// as given, the rest is normalised, added tokens are found again, and what is left is cut and tokenized by the model.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/added_tokens.h"
#include "tokenizers/decoder.h"
#include "tokenizers/fused_encoder.h"
#include "tokenizers/normalizer.h"
#include "tokenizers/pre_tokenizer.h"
#include "tokenizers/token_model.h"
#include "tokenizers/tokenizer.h"
#include "tokenizers/vocabulary.h"

namespace transformeter {

/// Only the model must be there.
struct TokenizerParts {
  std::unique_ptr<const Normalizer> normalizer;
  std::unique_ptr<const PreTokenizer> pre_tokenizer;  // null: a text is one piece
  std::unique_ptr<const TokenModel> model;
  std::unique_ptr<const Decoder> decoder;     // null: tokens are joined by blanks
  std::unique_ptr<const FusedEncoder> fused;  // null: ids come from the components one after the other
  std::vector<AddedToken> added_tokens;       // contents and ids are unique, and agree with the model's vocabulary
  TokenizerTraits traits;                     // but for what follows from the model: size, unknown token, prefix
};

class PipelineTokenizer final : public Tokenizer {
 public:
  explicit PipelineTokenizer(TokenizerParts parts);

  const TokenizerTraits& traits() const override { return parts_.traits; }
  std::string_view token(std::int32_t id) const override;

 protected:
  void do_encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  std::vector<Token> do_tokenize(std::string_view text) const override;
  std::string do_decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const override;

 private:
  class Output;
  void append_text(std::string_view text, Output& output) const;
  void append_normalized(AlignedText text, Output& output) const;
  void append_stretch(AlignedText text, Output& output) const;

  TokenizerParts parts_;
  AddedTokenFinder raw_tokens_;         // searched in the text as given
  AddedTokenFinder normalized_tokens_;  // searched in the normalised text
  std::vector<const AddedToken*> added_by_id_;
  struct DecodedToken {
    std::string text;  // what the decoder gets
    bool skipped = false;
  };
  std::vector<DecodedToken> decoded_added_;  // by place in added_tokens
  mutable ScratchPool scratches_;
};

}  // namespace transformeter
