// Words seen before come from the scratch; merging is for new ones.
#include "tokenizers/byte_level_encoder.h"

#include <span>

#include "tokenizers/byte_level.h"

namespace transformeter {

std::unique_ptr<const ByteLevelEncoder> ByteLevelEncoder::make(const Parts& parts) {
  const BpeOptions& options = parts.model->options();
  if (!options.continuing_subword_prefix.empty() || !options.end_of_word_suffix.empty()) return nullptr;
  std::unique_ptr<ByteLevelEncoder> encoder(new ByteLevelEncoder(parts));
  for (std::size_t byte = 0; byte < encoder->byte_ids_.size(); ++byte) {
    const char one = static_cast<char>(byte);
    const auto id = parts.model->vocabulary().find(to_byte_level({&one, 1}));
    if (!id) return nullptr;
    encoder->byte_ids_[byte] = *id;
  }
  return encoder;
}

void ByteLevelEncoder::encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  if (parts_.normalizer != nullptr && !parts_.normalizer->leaves(text)) {
    scratch.text = parts_.normalizer->normalize(text);
    text = scratch.text;
  }
  if (text.empty()) return;
  if (parts_.add_prefix_space && text.front() != ' ') {
    scratch.prefixed.assign(1, ' ').append(text);
    text = scratch.prefixed;
  }
  scratch.pieces.clear();
  parts_.splitter->split(text, scratch.pieces);
  for (const TextSpan piece : scratch.pieces) {
    append_word(text.substr(piece.begin, piece.end - piece.begin), scratch, ids);
  }
}

void ByteLevelEncoder::append_word(std::string_view word, EncodeScratch& scratch,
                                   std::vector<std::int32_t>& ids) const {
  const std::uint64_t hash = WordCache::hash(word);
  if (const auto known = scratch.words.find(word, hash); !known.empty()) {
    ids.insert(ids.end(), known.begin(), known.end());
    return;
  }
  const std::size_t before = ids.size();
  append_new_word(word, scratch, ids);
  scratch.words.insert(word, hash, std::span(ids).subspan(before));
}

void ByteLevelEncoder::append_new_word(std::string_view word, EncodeScratch& scratch,
                                       std::vector<std::int32_t>& ids) const {
  if (parts_.model->options().ignore_merges) {
    if (const auto whole = parts_.model->vocabulary().find(to_byte_level(word))) return ids.push_back(*whole);
  }
  std::vector<BpeSymbol>& symbols = scratch.symbols;
  symbols.clear();
  for (const char byte : word) symbols.push_back({byte_ids_[static_cast<unsigned char>(byte)], 1});
  parts_.model->merges().merge_all(symbols);
  for (const BpeSymbol& symbol : symbols) ids.push_back(symbol.id);
}

}  // namespace transformeter
