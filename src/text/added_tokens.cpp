// A scan over first bytes: added tokens are few and begin with rare characters.
#include "text/added_tokens.h"

#include <algorithm>
#include <utility>

#include "text/bert_characters.h"

namespace transformeter {
namespace {

unsigned char first_byte(const AddedToken& token) {
  return static_cast<unsigned char>(token.content.front());
}

// Where the last code point of the non-empty `text` starts.
std::size_t last_code_point(std::string_view text) {
  std::size_t i = text.size() - 1;
  while (i > 0 && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) --i;
  return i;
}

bool ends_with_word(std::string_view text) {
  if (text.empty()) return false;
  std::size_t i = last_code_point(text);
  return is_word_character(next_code_point(text, i));
}

bool starts_with_word(std::string_view text) {
  std::size_t i = 0;
  return !text.empty() && is_word_character(next_code_point(text, i));
}

// The size of `text` without the white space at its end.
std::size_t size_without_trailing_space(std::string_view text) {
  while (!text.empty()) {
    const std::size_t last = last_code_point(text);
    std::size_t i = last;
    if (!is_bert_space(next_code_point(text, i))) break;
    text = text.substr(0, last);
  }
  return text.size();
}

// The size of the white space at the start of `text`.
std::size_t leading_space(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t next = i;
    if (!is_bert_space(next_code_point(text, next))) break;
    i = next;
  }
  return i;
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  tokens_.erase(std::remove_if(tokens_.begin(), tokens_.end(), [](const AddedToken& t) { return t.content.empty(); }),
                tokens_.end());
  std::stable_sort(tokens_.begin(), tokens_.end(), [](const AddedToken& a, const AddedToken& b) {
    if (first_byte(a) != first_byte(b)) return first_byte(a) < first_byte(b);
    return a.content.size() > b.content.size();
  });
  for (const AddedToken& token : tokens_) ++starts_[first_byte(token) + std::size_t{1}];
  for (std::size_t b = 0; b < 256; ++b) starts_[b + 1] += starts_[b];
}

const AddedToken* AddedTokenFinder::match_at(std::string_view text, std::size_t position) const {
  const auto byte = static_cast<unsigned char>(text[position]);
  for (std::uint32_t i = starts_[byte]; i < starts_[byte + std::size_t{1}]; ++i) {
    const std::string& content = tokens_[i].content;
    if (text.compare(position, content.size(), content) == 0) return &tokens_[i];
  }
  return nullptr;
}

std::vector<TextPart> AddedTokenFinder::cut(std::string_view text) const {
  std::vector<TextPart> parts;
  std::size_t done = 0;  // everything before is in `parts`
  std::size_t i = 0;
  while (i < text.size()) {
    const AddedToken* token = match_at(text, i);
    if (token == nullptr) {
      ++i;
      continue;
    }
    std::size_t begin = i;
    std::size_t end = i + token->content.size();
    i = end;  // the search goes on behind the content, even when the match is refused
    if (token->single_word && (ends_with_word(text.substr(0, begin)) || starts_with_word(text.substr(end)))) continue;
    if (token->lstrip) begin = std::max(done, size_without_trailing_space(text.substr(0, begin)));
    if (token->rstrip) end += leading_space(text.substr(end));
    if (begin > done) parts.push_back({text.substr(done, begin - done), -1});
    parts.push_back({text.substr(begin, end - begin), token->id});
    done = end;
  }
  if (done < text.size()) parts.push_back({text.substr(done), -1});
  return parts;
}

}  // namespace transformeter
