// Tokens that are recognised as a whole in the text before anything else cuts it, as "[MASK]".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/vocabulary.h"

namespace transformeter {

/// As in the added_tokens of Hugging Face's tokenizer.json.
struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool single_word = false;  // only where no word character is next to it
  bool lstrip = false;       // takes the white space on its left with it
  bool rstrip = false;       // ... on its right
  bool normalized = false;   // is searched in the normalised text
  bool special = false;      // is left out of a decoded text
};

/// Throws Error(kBadInput) that begins with `where` when two tokens share a content or an id, or one has another id
/// than the model's vocabulary gives it, or an id at which that has another token.
void check_added_tokens(const std::vector<AddedToken>& tokens, const Vocabulary& vocabulary, const std::string& where);

/// The id of a token, added or of the model.
std::optional<std::int32_t> find_token(const std::string& content, const std::vector<AddedToken>& tokens,
                                       const Vocabulary& vocabulary);

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
  /// True only when no token stands in `text`; quick where the tokens begin with one or two rare bytes.
  bool absent_from(std::string_view text) const;
  /// Cuts `text` (well-formed UTF-8); the parts point into it. Empty stretches are left out.
  std::vector<TextPart> cut(std::string_view text) const;
  /// The same parts by turns, without a list of them where there is only one.
  template <typename Visit>
  void for_each_part(std::string_view text, const Visit& visit) const {
    if (absent_from(text)) return visit(TextPart{text});
    for (const TextPart& part : cut(text)) visit(part);
  }

 private:
  // Where a token may begin, from `position` on; the text's size: nowhere.
  std::size_t next_first_byte(std::string_view text, std::size_t position) const;
  const AddedToken* match_at(std::string_view text, std::size_t position) const;

  std::vector<AddedToken> tokens_;           // by first byte, then longest first
  std::string first_bytes_;                  // each once
  std::array<std::uint32_t, 257> starts_{};  // tokens with first byte b: [starts_[b], starts_[b + 1])
};

}  // namespace transformeter
