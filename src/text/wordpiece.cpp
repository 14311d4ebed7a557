// Greedy longest match over the hashes of all prefixes, which one pass computes.
#include "text/wordpiece.h"

#include <algorithm>
#include <array>
#include <utility>

namespace transformeter {
namespace {

constexpr bool is_boundary(std::string_view text, std::size_t i) {
  return i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
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

WordPiece::WordPiece(const Vocabulary& vocabulary, std::int32_t unknown_id, WordPieceOptions options)
    : vocabulary_(vocabulary), continuations_(0), unknown_id_(unknown_id), options_(std::move(options)) {
  const std::string_view prefix = options_.continuing_subword_prefix;
  std::size_t count = 0;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id)
    count += vocabulary.token(id).substr(0, prefix.size()) == prefix;
  continuations_ = IdTable(count);
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string_view token = vocabulary.token(id);
    if (token.size() > prefix.size() && token.substr(0, prefix.size()) == prefix) {
      continuations_.insert(token.substr(prefix.size()), id);
    }
  }
}

void WordPiece::encode_word(std::string_view word, std::vector<std::int32_t>& ids,
                            std::vector<std::size_t>* sizes) const {
  const auto max_chars = static_cast<std::size_t>(options_.max_input_chars_per_word);
  if (word.size() > max_chars) {  // only then can it have more characters
    std::size_t chars = 0;
    for (std::size_t i = 0; i < word.size(); ++i) chars += is_boundary(word, i);
    if (chars > max_chars) return append_unknown(word, ids, sizes);
  }
  const std::size_t before = ids.size();
  const std::size_t sizes_before = sizes == nullptr ? 0 : sizes->size();
  if (append_pieces(word, ids, sizes)) return;
  ids.resize(before);
  if (sizes != nullptr) sizes->resize(sizes_before);
  append_unknown(word, ids, sizes);
}

bool WordPiece::append_pieces(std::string_view word, std::vector<std::int32_t>& ids,
                              std::vector<std::size_t>* sizes) const {
  std::size_t begin = 0;
  while (begin < word.size()) {
    std::size_t size = 0;
    const IdTable& table = begin == 0 ? vocabulary_.table() : continuations_;
    const std::int32_t id = longest_match(table, word.substr(begin), size);
    if (id < 0) return false;
    ids.push_back(id);
    if (sizes != nullptr) sizes->push_back(size);
    begin += size;
  }
  return true;
}

void WordPiece::append_unknown(std::string_view word, std::vector<std::int32_t>& ids,
                               std::vector<std::size_t>* sizes) const {
  ids.push_back(unknown_id_);
  if (sizes != nullptr) sizes->push_back(word.size());
}

}  // namespace transformeter
