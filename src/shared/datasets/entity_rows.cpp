// Sentences of tagged words: of each word the first token has the word's class. A token belongs to the first word that
// ends behind its beginning, so that a blank in front of a word, which byte-level tokens hold, is the word's.
#include "datasets/entity_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "datasets/training_tasks.h"

namespace transformeter {
namespace {

struct Sentence {
  std::string text;               // the words, joined by blanks
  std::vector<std::size_t> ends;  // of each word in the text
  std::vector<int> classes;       // of each word
};

class EntityRows final : public TrainingRows {
 public:
  EntityRows(std::vector<Sentence> sentences, const Tokenizer& tokenizer, std::int64_t max_length)
      : sentences_(std::move(sentences)), tokenizer_(tokenizer) {
    encode_.max_length = max_length;
  }

  std::size_t size() const override { return sentences_.size(); }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(sentences_.size()); }
  LabelKind label_kind() const override { return LabelKind::kToken; }

  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override {
    const Sentence& sentence = sentences_.at(example);
    TrainingRow row{tokenizer_.encode(sentence.text, encode_), {}};
    std::optional<std::size_t> last_word;
    for (const Token& token : tokenizer_.tokenize(sentence.text, encode_)) {
      std::int64_t label = kNoLabel;
      if (!token.special) {
        const auto end = std::upper_bound(sentence.ends.begin(), sentence.ends.end(), token.bytes.begin);
        const auto word = static_cast<std::size_t>(end - sentence.ends.begin());
        if (end != sentence.ends.end() && word != last_word) label = sentence.classes[word];
        last_word = word;
      }
      row.labels.push_back(label);
    }
    return {std::move(row)};
  }

 private:
  std::vector<Sentence> sentences_;
  const Tokenizer& tokenizer_;
  EncodeOptions encode_;
};

// As run_ner.py's get_label_list: Python sorts by code points, which is UTF-8's order of bytes.
std::vector<std::string> tags_of(const TaggedSentenceSet& set) {
  std::set<std::string> tags;
  for (const TaggedSentence& sentence : set.sentences) {
    for (const TaggedToken& token : sentence) tags.insert(token.tag);
  }
  return {tags.begin(), tags.end()};
}

using Numbers = std::map<std::string, int>;

Numbers numbers_of(const std::vector<std::string>& classes) {
  Numbers numbers;
  for (const std::string& name : classes) numbers.emplace(name, static_cast<int>(numbers.size()));
  return numbers;
}

std::string names_of(const Numbers& numbers) {
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers) names.push_back(name);
  return excerpt(fmt::format("{}", fmt::join(names, ", ")), 300);
}

int number_of(const TaggedToken& token, const Numbers& numbers, const std::string& where) {
  const auto number = numbers.find(token.tag);
  if (number != numbers.end()) return number->second;
  throw Error(ErrorKind::kBadInput, fmt::format("{}:{}: the tag '{}' is not one of the {} classes ({})", where,
                                                token.line, excerpt(token.tag), numbers.size(), names_of(numbers)));
}

Sentence sentence_of(const TaggedSentence& tokens, const Numbers& numbers, const std::string& where) {
  Sentence sentence;
  for (const TaggedToken& token : tokens) {
    if (!sentence.text.empty()) sentence.text += ' ';
    sentence.text += token.text;
    sentence.ends.push_back(sentence.text.size());
    sentence.classes.push_back(number_of(token, numbers, where));
  }
  return sentence;
}

}  // namespace

std::vector<std::string> entity_classes(const TaggedSentenceSet& set, const std::vector<std::string>& learnt) {
  std::vector<std::string> tags = tags_of(set);
  return std::is_permutation(tags.begin(), tags.end(), learnt.begin(), learnt.end()) ? learnt : tags;
}

void check_tags(const TaggedSentenceSet& set, const std::vector<std::string>& classes, const std::string& where) {
  const Numbers numbers = numbers_of(classes);
  for (const TaggedSentence& sentence : set.sentences) {
    for (const TaggedToken& token : sentence) number_of(token, numbers, where);
  }
}

LabelledRows entity_rows(TaggedSentenceSet set, const std::string& where, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options) {
  LabelledRows labelled;
  labelled.class_names = options.classes.empty() ? tags_of(set) : options.classes;
  labelled.class_count = static_cast<std::int64_t>(labelled.class_names.size());
  const Numbers numbers = numbers_of(labelled.class_names);
  std::vector<Sentence> sentences;
  for (const std::size_t i : drawn_examples(set.sentences.size(), options)) {
    sentences.push_back(sentence_of(set.sentences[i], numbers, where));
  }
  check_room(tokenizer, options);
  labelled.rows = std::make_unique<EntityRows>(std::move(sentences), tokenizer, options.max_length);
  return labelled;
}

}  // namespace transformeter
