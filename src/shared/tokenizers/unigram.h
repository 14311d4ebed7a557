// The Unigram model: of all ways to cut a text into known pieces, the one with the highest sum of scores.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "tokenizers/component_json.h"
#include "tokenizers/piece_trie.h"
#include "tokenizers/token_model.h"

namespace transformeter {

struct UnigramOptions {
  std::optional<std::int32_t> unknown_id;  // nothing: text with an unknown character cannot be encoded
  bool byte_fallback = false;              // unknown characters as bytes, where the vocabulary has "<0x00>" to "<0xFF>"
};

/// The semantics of Hugging Face's Unigram, which are sentencepiece's: a character without a piece of its own may stand
/// as unknown, at a score of 10 below the lowest of the vocabulary; neighbouring unknowns become one token.
/// Time is linear in the text, memory 16 bytes for each of its bytes.
class Unigram final : public TokenModel {
 public:
  /// `scores` are finite and as many as the words, whose ids are their places; unknown_id is one of them.
  Unigram(StoredVocabulary vocabulary, std::vector<double> scores, const UnigramOptions& options);

  void encode_piece(std::string_view piece, std::vector<std::int32_t>& ids,
                    std::vector<TextSpan>* spans) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_.words; }
  std::optional<std::int32_t> unknown_id() const override { return options_.unknown_id; }

 private:
  struct Best {
    double score = 0;          // of the best way to cut the text up to here
    std::int32_t id = -1;      // its last token; -1: none ends here
    std::uint32_t length = 0;  // of that token in bytes
  };
  std::vector<Best> best_ways(std::string_view piece) const;
  void append_unknown(std::string_view piece, TextSpan span, std::vector<std::int32_t>& ids,
                      std::vector<TextSpan>* spans) const;

  StoredVocabulary vocabulary_;
  std::vector<double> scores_;
  UnigramOptions options_;
  PieceTrie trie_;
  double unknown_score_ = 0;
  std::array<std::int32_t, 256> byte_ids_{};  // -1: no such token
};

/// The model that `json`, of a tokenizer.json, describes. Throws Error(kBadInput): for an empty vocabulary, an entry
/// that is no token with a finite score, a token that is there twice, and an unk_id beyond the last token.
std::unique_ptr<const TokenModel> make_unigram(const ComponentJson& json);

}  // namespace transformeter
