// The BERT tokenizer: added tokens, normaliser, pre-tokenizer, WordPiece and the special tokens around the text.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "base/files.h"
#include "text/added_tokens.h"
#include "text/bert_normalizer.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"
#include "text/wordpiece.h"

namespace transformeter {

/// Everything a BERT tokenizer is made of, as a loader finds it.
struct BertParts {
  std::variant<std::string, MappedFile> bytes;  // what the words of `vocabulary` point into
  Vocabulary vocabulary;                        // of the WordPiece model
  std::vector<AddedToken> added_tokens;
  Vocabulary beyond_model;  // added tokens the model does not know; points into `added_tokens`
  BertNormalizerOptions normalizer;
  WordPieceOptions wordpiece;
  SpecialTokens special;  // unk is there
  Arrangement arrangement;
};

class BertTokenizer final : public Tokenizer {
 public:
  /// The views in `parts->vocabulary` stay good because the parts are not moved.
  explicit BertTokenizer(std::unique_ptr<const BertParts> parts);

  std::int64_t vocabulary_size() const override;
  SpecialTokens special_tokens() const override { return parts_->special; }
  std::string_view token(std::int32_t id) const override;

 protected:
  std::vector<std::int32_t> do_encode(std::string_view text) const override;
  std::vector<Token> do_tokenize(std::string_view text) const override;
  const Arrangement& do_arrangement() const override { return parts_->arrangement; }

 private:
  void encode_stretch(std::string_view text, std::vector<std::string_view>& words,
                      std::vector<std::int32_t>& ids) const;
  void tokenize_stretch(std::string_view text, const AlignedText& aligned, std::size_t base,
                        std::vector<Token>& tokens) const;

  std::unique_ptr<const BertParts> parts_;
  BertNormalizer normalizer_;
  AddedTokenFinder raw_tokens_;         // searched in the text as given
  AddedTokenFinder normalized_tokens_;  // searched in the normalised text
  WordPiece wordpiece_;
};

/// [CLS] first [SEP], and [CLS] first [SEP] second [SEP] with type 1 from `second` on.
Arrangement bert_arrangement(std::int32_t cls, std::int32_t sep);

}  // namespace transformeter
