// One look-up a piece.
#include "tokenizers/word_level.h"

#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {

WordLevel::WordLevel(StoredVocabulary vocabulary, std::optional<std::int32_t> unknown_id)
    : vocabulary_(std::move(vocabulary)), unknown_id_(unknown_id) {}

void WordLevel::encode_piece(std::string_view piece, std::vector<std::int32_t>& ids,
                             std::vector<TextSpan>* spans) const {
  const std::optional<std::int32_t> known = vocabulary_.words.find(piece);
  if (!known && !unknown_id_) {
    throw bad_value("word", excerpt(piece), "a word of the vocabulary, which has no unknown token");
  }
  ids.push_back(known ? *known : *unknown_id_);
  if (spans != nullptr) spans->push_back({0, piece.size()});
}

}  // namespace transformeter
