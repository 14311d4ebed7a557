// WordPiece: cuts one word into the longest pieces of a vocabulary, from the left (Devlin et al. 2018, BERT).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace transformeter {

struct WordPieceOptions {
  std::string continuing_subword_prefix = "##";  // marks pieces that do not begin a word
  std::int64_t max_input_chars_per_word = 100;   // a longer word is unknown
};

class WordPiece {
 public:
  /// `vocabulary` outlives this object.
  WordPiece(const Vocabulary& vocabulary, std::int32_t unknown_id, WordPieceOptions options);

  /// Appends the ids of `word` (well-formed UTF-8, not empty), or the one unknown id when no cut covers it; and to
  /// `sizes`, unless it is null, the bytes of the word that each id stands for.
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids,
                   std::vector<std::size_t>* sizes = nullptr) const;

 private:
  bool append_pieces(std::string_view word, std::vector<std::int32_t>& ids, std::vector<std::size_t>* sizes) const;
  void append_unknown(std::string_view word, std::vector<std::int32_t>& ids, std::vector<std::size_t>* sizes) const;

  const Vocabulary& vocabulary_;
  IdTable continuations_;  // pieces inside a word, without their prefix
  std::int32_t unknown_id_;
  WordPieceOptions options_;
};

}  // namespace transformeter
