// Tokens to words, words to entities.
#include "tasks/entity_decoder.h"

#include <algorithm>

namespace transformeter {
namespace {

struct Word {
  TextSpan characters;
  TextSpan bytes;
  char prefix = 'I';  // of B, I, E, S, L, U
  std::string_view type;
  double score = 0;
};

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

Word word_from(const LabelledToken& token) {
  const std::string_view label = token.label;
  const bool has_prefix = label.size() > 2 && label[1] == '-' && is_one_of(label[0], "BIESLU");
  return {token.characters, token.bytes, has_prefix ? label[0] : 'I', has_prefix ? label.substr(2) : label,
          token.score};
}

std::vector<Word> words_of(std::span<const LabelledToken> tokens) {
  std::vector<Word> words;
  for (const LabelledToken& token : tokens) {
    if (token.continues_word && !words.empty()) {
      words.back().characters.end = token.characters.end;
      words.back().bytes.end = token.bytes.end;
    } else {
      words.push_back(word_from(token));
    }
  }
  return words;
}

bool goes_on(const Word& last, const Word& word) {
  return last.type == word.type && !is_one_of(word.prefix, "BSU") && !is_one_of(last.prefix, "ELSU");
}

PredictedEntity entity_from(std::span<const Word> words, std::string_view text) {
  const std::size_t begin = words.front().bytes.begin;
  PredictedEntity entity;
  entity.entity = words.front().type;
  entity.text = text.substr(begin, words.back().bytes.end - begin);
  entity.place = {static_cast<std::int64_t>(words.front().characters.begin),
                  static_cast<std::int64_t>(words.back().characters.end)};
  for (const Word& word : words) entity.score += word.score / static_cast<double>(words.size());
  return entity;
}

}  // namespace

std::vector<PredictedEntity> group_entities(std::span<const LabelledToken> tokens, std::string_view text) {
  const std::vector<Word> words = words_of(tokens);
  std::vector<PredictedEntity> entities;
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t end = begin + 1;
    while (end < words.size() && goes_on(words[end - 1], words[end])) ++end;
    if (words[begin].type != "O") entities.push_back(entity_from(std::span(words).subspan(begin, end - begin), text));
    begin = end;
  }
  return entities;
}

std::vector<std::string> tags_of_words(std::span<const LabelledToken> tokens, std::span<const CharacterRange> words) {
  std::vector<std::string> tags(words.size(), "O");
  std::vector<bool> is_tagged(words.size());
  for (const LabelledToken& token : tokens) {
    const auto begin = static_cast<std::int64_t>(token.characters.begin);
    const auto word =
        std::upper_bound(words.begin(), words.end(), begin,
                         [](std::int64_t place, const CharacterRange& other) { return place < other.end; });
    const auto index = static_cast<std::size_t>(word - words.begin());
    if (word == words.end() || is_tagged[index]) continue;
    tags[index] = token.label;
    is_tagged[index] = true;
  }
  return tags;
}

}  // namespace transformeter
