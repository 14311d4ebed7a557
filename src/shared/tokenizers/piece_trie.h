// The words of a vocabulary as a trie of bytes: all words that a text begins with cost one walk.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizers/vocabulary.h"

namespace transformeter {

class PieceTrie {
 public:
  /// Empty words are left out. Nothing of `words` is kept.
  explicit PieceTrie(const Vocabulary& words);

  /// Calls found(id, bytes of the word) for each word that `text` begins with, the shortest first.
  template <typename Found>
  void for_each_prefix(std::string_view text, Found&& found) const {
    if (text.empty()) return;
    std::uint32_t node = roots_[static_cast<unsigned char>(text[0])];
    for (std::size_t length = 1; node != kNone; ++length) {
      if (nodes_[node].id >= 0) found(nodes_[node].id, length);
      if (length == text.size()) return;
      node = child_of(nodes_[node], static_cast<unsigned char>(text[length]));
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Node {
    std::int32_t id = -1;           // of the word that ends here; -1: none
    std::uint32_t first_child = 0;  // the children stand together, ordered by byte
    std::uint16_t child_count = 0;
    unsigned char byte = 0;
  };
  std::uint32_t child_of(const Node& parent, unsigned char byte) const;

  std::vector<Node> nodes_;
  std::array<std::uint32_t, 256> roots_{};
};

}  // namespace transformeter
