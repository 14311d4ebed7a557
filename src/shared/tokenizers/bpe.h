// Byte pair encoding: a piece begins as its characters, and the pair of neighbours of lowest rank is joined until none
// has a rank (Sennrich et al. 2016), with the options of Hugging Face's BPE model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/merge_table.h"
#include "tokenizers/token_model.h"
#include "tokenizers/vocabulary.h"

namespace transformeter {

struct BpeOptions {
  std::optional<std::int32_t> unknown_id;  // nothing: a character that the vocabulary lacks is left out
  bool fuse_unknown = false;               // unknown characters beside each other become one token
  bool byte_fallback = false;              // an unknown character becomes its bytes, <0x00> to <0xFF>, if all are there
  bool ignore_merges = false;              // a piece that is a token stays whole, whatever the merges say
  std::string continuing_subword_prefix;   // of every character but a piece's first
  std::string end_of_word_suffix;          // of a piece's last character
};

class Bpe final : public TokenModel {
 public:
  Bpe(StoredVocabulary vocabulary, MergeTable merges, BpeOptions options);

  void encode_piece(std::string_view piece, std::vector<std::int32_t>& ids,
                    std::vector<TextSpan>* spans) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_.words; }
  std::optional<std::int32_t> unknown_id() const override { return options_.unknown_id; }
  std::string_view continuing_subword_prefix() const override { return options_.continuing_subword_prefix; }

  const MergeTable& merges() const { return merges_; }
  const BpeOptions& options() const { return options_; }

 private:
  std::vector<BpeSymbol> symbols_of(std::string_view piece) const;
  std::int32_t character_id(std::string_view piece, std::size_t begin, std::size_t end) const;
  bool append_bytes(std::string_view character, std::vector<BpeSymbol>& symbols) const;

  StoredVocabulary vocabulary_;
  MergeTable merges_;
  BpeOptions options_;
  std::array<std::int32_t, 256> byte_ids_{};  // of <0x00> to <0xFF>; -1: not in the vocabulary
};

}  // namespace transformeter
