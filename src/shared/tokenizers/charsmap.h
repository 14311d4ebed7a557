// sentencepiece's precompiled character map: which stretches of text are rewritten to what, as a trie in a double array
// (darts-clone's format) and a blob of texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

class Charsmap {
 public:
  /// `bytes`: the trie's size in bytes (32 bits, little-endian), its units of 32 bits, and the texts, each ended by a
  /// NUL. Every unit that can be reached is checked: throws Error(kBadInput) that begins with `where` for one from
  /// which a byte leads out of the array, or whose value lies outside the texts, and for texts that are not UTF-8.
  Charsmap(std::string_view bytes, const std::string& where);

  /// What the shortest entry that `text` begins with is rewritten to; nothing without one.
  std::optional<std::string_view> find(std::string_view text) const;

 private:
  void check(const std::string& where) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace transformeter
