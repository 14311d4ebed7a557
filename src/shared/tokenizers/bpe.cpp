// From characters to symbols; the merging is the merge table's.
#include "tokenizers/bpe.h"

#include <fmt/format.h>

#include <utility>

#include "tokenizers/utf8.h"

namespace transformeter {

Bpe::Bpe(StoredVocabulary vocabulary, MergeTable merges, BpeOptions options)
    : vocabulary_(std::move(vocabulary)), merges_(std::move(merges)), options_(std::move(options)) {
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    byte_ids_[byte] = vocabulary_.words.find(fmt::format("<0x{:02X}>", byte)).value_or(-1);
  }
}

void Bpe::encode_piece(std::string_view piece, std::vector<std::int32_t>& ids, std::vector<TextSpan>* spans) const {
  std::vector<BpeSymbol> symbols;
  const auto whole = options_.ignore_merges ? vocabulary_.words.find(piece) : std::nullopt;
  if (whole) {
    symbols.push_back({*whole, static_cast<std::uint32_t>(piece.size())});
  } else {
    symbols = symbols_of(piece);
    merges_.merge_all(symbols);
  }
  std::size_t begin = 0;
  for (const BpeSymbol& symbol : symbols) {
    ids.push_back(symbol.id);
    if (spans != nullptr) spans->push_back({begin, begin + symbol.size});
    begin += symbol.size;
  }
}

// An unknown token waits until a known character comes or the piece ends, as in Hugging Face's merge_word: byte tokens
// of a later character then stand before it.
std::vector<BpeSymbol> Bpe::symbols_of(std::string_view piece) const {
  std::vector<BpeSymbol> symbols;
  symbols.reserve(piece.size());
  std::uint32_t unknown = 0;  // bytes of the unknown token that waits
  const auto put_unknown = [&] {
    if (unknown > 0) symbols.push_back({*options_.unknown_id, unknown});
    unknown = 0;
  };
  for (std::size_t begin = 0; begin < piece.size();) {
    const std::size_t end = begin + character_size(piece, begin);
    const auto size = static_cast<std::uint32_t>(end - begin);
    const std::int32_t id = character_id(piece, begin, end);
    if (id >= 0) {
      put_unknown();
      symbols.push_back({id, size});
    } else if (!append_bytes(piece.substr(begin, size), symbols) && options_.unknown_id) {
      if (!options_.fuse_unknown) put_unknown();
      unknown += size;
    }
    begin = end;
  }
  put_unknown();
  return symbols;
}

std::int32_t Bpe::character_id(std::string_view piece, std::size_t begin, std::size_t end) const {
  const bool has_prefix = begin > 0 && !options_.continuing_subword_prefix.empty();
  const bool has_suffix = end == piece.size() && !options_.end_of_word_suffix.empty();
  const std::string_view character = piece.substr(begin, end - begin);
  if (!has_prefix && !has_suffix) return vocabulary_.words.table().find(character);
  std::string text;
  if (has_prefix) text += options_.continuing_subword_prefix;
  text += character;
  if (has_suffix) text += options_.end_of_word_suffix;
  return vocabulary_.words.table().find(text);
}

bool Bpe::append_bytes(std::string_view character, std::vector<BpeSymbol>& symbols) const {
  if (!options_.byte_fallback) return false;
  for (const char byte : character) {
    if (byte_ids_[static_cast<unsigned char>(byte)] < 0) return false;
  }
  for (const char byte : character) symbols.push_back({byte_ids_[static_cast<unsigned char>(byte)], 1});
  return true;
}

}  // namespace transformeter
