// Tokens that are recognised as a whole in the text before anything else cuts it, as "[MASK]".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// As in the added_tokens of Hugging Face's tokenizer.json.
struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool single_word = false;  // only where no word character stands beside it
  bool lstrip = false;       // takes the white space on its left with it
  bool rstrip = false;       // ... on its right
  bool normalized = false;   // is searched in the normalised text
};

/// A stretch of text between added tokens (id < 0), or an added token.
struct TextPart {
  std::string_view text;
  std::int32_t id = -1;
};

/// Finds added tokens, leftmost first and longest first, as Hugging Face's AddedVocabulary does.
class AddedTokenFinder {
 public:
  /// Tokens with an empty content are left out; of two with the same content the first counts.
  explicit AddedTokenFinder(std::vector<AddedToken> tokens);

  bool empty() const { return tokens_.empty(); }
  /// Cuts `text` (well-formed UTF-8); the parts point into it. Empty stretches are left out.
  std::vector<TextPart> cut(std::string_view text) const;

 private:
  const AddedToken* match_at(std::string_view text, std::size_t position) const;

  std::vector<AddedToken> tokens_;           // by first byte, then longest first
  std::array<std::uint32_t, 257> starts_{};  // tokens with first byte b: [starts_[b], starts_[b + 1])
};

}  // namespace transformeter
