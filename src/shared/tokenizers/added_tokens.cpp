// A scan over first bytes: added tokens are few and begin with rare characters.
#include "tokenizers/added_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tokenizers/bert_characters.h"
#include "tokenizers/text_characters.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

unsigned char first_byte(const AddedToken& token) {
  return static_cast<unsigned char>(token.content.front());
}

// Where the last code point of the non-empty `text` starts.
std::size_t last_code_point(std::string_view text) {
  std::size_t i = text.size() - 1;
  while (i > 0 && !starts_character(text[i])) --i;
  return i;
}

bool ends_with_word(std::string_view text) {
  if (text.empty()) return false;
  std::size_t i = last_code_point(text);
  return is_rust_word(next_code_point(text, i));
}

bool starts_with_word(std::string_view text) {
  std::size_t i = 0;
  return !text.empty() && is_rust_word(next_code_point(text, i));
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

void check_added_tokens(const std::vector<AddedToken>& tokens, const Vocabulary& vocabulary, const std::string& where) {
  const auto bad = [&](const AddedToken& token, const std::string& message) {
    return Error(ErrorKind::kBadInput, fmt::format("{}: added token '{}' {}", where, excerpt(token.content), message));
  };
  std::set<std::string_view> contents;
  std::map<std::int32_t, std::string_view> by_id;
  for (const AddedToken& token : tokens) {
    const auto known = vocabulary.find(token.content);
    if (known && *known != token.id)
      throw bad(token, fmt::format("has id {}, but {} in the vocabulary", token.id, *known));
    if (!known && !vocabulary.token(token.id).empty()) {
      throw bad(token, fmt::format("has id {}, which belongs to '{}' in the vocabulary", token.id,
                                   excerpt(vocabulary.token(token.id))));
    }
    if (!contents.insert(token.content).second) throw bad(token, "occurs twice");
    const auto [other, is_new] = by_id.emplace(token.id, token.content);
    if (!is_new) throw bad(token, fmt::format("has the same id {} as '{}'", token.id, excerpt(other->second)));
  }
}

std::optional<std::int32_t> find_token(const std::string& content, const std::vector<AddedToken>& tokens,
                                       const Vocabulary& vocabulary) {
  const auto added =
      std::find_if(tokens.begin(), tokens.end(), [&](const AddedToken& token) { return token.content == content; });
  return added != tokens.end() ? std::optional(added->id) : vocabulary.find(content);
}

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  tokens_.erase(std::remove_if(tokens_.begin(), tokens_.end(), [](const AddedToken& t) { return t.content.empty(); }),
                tokens_.end());
  std::stable_sort(tokens_.begin(), tokens_.end(), [](const AddedToken& a, const AddedToken& b) {
    if (first_byte(a) != first_byte(b)) return first_byte(a) < first_byte(b);
    return a.content.size() > b.content.size();
  });
  for (const AddedToken& token : tokens_) {
    ++starts_[first_byte(token) + std::size_t{1}];
    if (first_bytes_.find(token.content.front()) == std::string::npos) first_bytes_ += token.content.front();
  }
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

std::size_t AddedTokenFinder::next_first_byte(std::string_view text, std::size_t position) const {
  if (first_bytes_.size() == 1) return std::min(text.find(first_bytes_.front(), position), text.size());
  const auto begins = [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return starts_[byte] < starts_[byte + std::size_t{1}];
  };
  while (position < text.size() && !begins(text[position])) ++position;
  return position;
}

bool AddedTokenFinder::absent_from(std::string_view text) const {
  constexpr std::size_t kFewBytes = 4;
  if (first_bytes_.size() > kFewBytes) return false;
  return std::none_of(first_bytes_.begin(), first_bytes_.end(), [&](char byte) {
    std::size_t i = text.find(byte);
    while (i < text.size() && match_at(text, i) == nullptr) i = text.find(byte, i + 1);
    return i < text.size();
  });
}

std::vector<TextPart> AddedTokenFinder::cut(std::string_view text) const {
  std::vector<TextPart> parts;
  std::size_t done = 0;  // everything before is in `parts`
  std::size_t i = 0;
  while ((i = next_first_byte(text, i)) < text.size()) {
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
