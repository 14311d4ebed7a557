// Greedy longest match over the hashes of all prefixes, which one pass computes.
#include "tokenizers/wordpiece.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

bool is_boundary(std::string_view text, std::size_t i) {
  return i == text.size() || starts_character(text[i]);
}

// The longest prefix of `rest` in `table`: its id, and its size in `size`; -1 when there is none.
std::int32_t longest_match(const IdTable& table, std::string_view rest, std::size_t& size) {
  constexpr std::size_t kHashesKept = 64;
  // Of the prefixes of 1, 2, … bytes. Left unset: only what is written is read, and this runs for each piece of a word.
  std::array<std::uint64_t, kHashesKept> hashes;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const std::size_t limit = std::min(rest.size(), table.longest());
  const std::size_t kept = std::min(limit, kHashesKept);
  PrefixHash hash;
  for (std::size_t i = 0; i < kept; ++i) {
    hash.add(rest[i]);
    hashes[i] = hash.value();
  }
  for (size = limit; size > 0; --size) {
    if (!is_boundary(rest, size)) continue;
    const std::string_view prefix = rest.substr(0, size);
    const std::int32_t id = table.find(prefix, size <= kHashesKept ? hashes[size - 1] : hash_of(prefix));
    if (id >= 0) return id;
  }
  return -1;
}

}  // namespace

WordPiece::WordPiece(StoredVocabulary vocabulary, std::int32_t unknown_id, WordPieceOptions options)
    : vocabulary_(std::move(vocabulary)), continuations_(0), unknown_id_(unknown_id), options_(std::move(options)) {
  const std::string_view prefix = options_.continuing_subword_prefix;
  const Vocabulary& words = vocabulary_.words;
  std::size_t count = 0;
  for (std::int32_t id = 0; id < words.size(); ++id) count += words.token(id).substr(0, prefix.size()) == prefix;
  continuations_ = IdTable(count);
  for (std::int32_t id = 0; id < words.size(); ++id) {
    const std::string_view token = words.token(id);
    if (token.size() > prefix.size() && token.substr(0, prefix.size()) == prefix) {
      continuations_.insert(token.substr(prefix.size()), id);
    }
  }
}

void WordPiece::encode_piece(std::string_view piece, std::vector<std::int32_t>& ids,
                             std::vector<TextSpan>* spans) const {
  const auto max_chars = static_cast<std::size_t>(options_.max_input_chars_per_word);
  if (piece.size() > max_chars) {  // only then can it have more characters
    const auto chars = static_cast<std::size_t>(std::count_if(piece.begin(), piece.end(), starts_character));
    if (chars > max_chars) return append_unknown(piece, ids, spans);
  }
  const std::size_t before = ids.size();
  const std::size_t spans_before = spans == nullptr ? 0 : spans->size();
  if (append_pieces(piece, ids, spans)) return;
  ids.resize(before);
  if (spans != nullptr) spans->resize(spans_before);
  append_unknown(piece, ids, spans);
}

bool WordPiece::append_pieces(std::string_view word, std::vector<std::int32_t>& ids,
                              std::vector<TextSpan>* spans) const {
  std::size_t begin = 0;
  while (begin < word.size()) {
    std::size_t size = 0;
    const IdTable& table = begin == 0 ? vocabulary_.words.table() : continuations_;
    const std::int32_t id = longest_match(table, word.substr(begin), size);
    if (id < 0) return false;
    ids.push_back(id);
    if (spans != nullptr) spans->push_back({begin, begin + size});
    begin += size;
  }
  return true;
}

void WordPiece::append_unknown(std::string_view word, std::vector<std::int32_t>& ids,
                               std::vector<TextSpan>* spans) const {
  ids.push_back(unknown_id_);
  if (spans != nullptr) spans->push_back({0, word.size()});
}

}  // namespace transformeter
