// Words are looked up among those seen before; only new ones are cut.
#include "tokenizers/bert_encoder.h"

#include <span>

#include "tokenizers/bert_pre_tokenizer.h"

namespace transformeter {

void BertEncoder::encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  scratch.text = normalizer_.normalize(text);
  scratch.pieces.clear();
  split_bert_words(scratch.text, scratch.pieces);
  for (const TextSpan piece : scratch.pieces) {
    append_word(std::string_view(scratch.text).substr(piece.begin, piece.end - piece.begin), scratch, ids);
  }
}

void BertEncoder::append_word(std::string_view word, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  const std::uint64_t hash = WordCache::hash(word);
  if (const auto known = scratch.words.find(word, hash); !known.empty()) {
    ids.insert(ids.end(), known.begin(), known.end());
    return;
  }
  const std::size_t before = ids.size();
  model_.encode_piece(word, ids, nullptr);
  scratch.words.insert(word, hash, std::span(ids).subspan(before));
}

}  // namespace transformeter
