// Sentences of tagged words: of each word the first token has the word's class. A token belongs to the first word that
// ends behind its beginning, so that a blank in front of a word, which byte-level tokens hold, is the word's.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "data/training_tasks.h"

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

Sentence sentence_of(const TaggedSentence& tokens, const std::map<std::string, int>& number_of,
                     const std::string& where) {
  Sentence sentence;
  for (const TaggedToken& token : tokens) {
    const auto number = number_of.find(token.tag);
    if (number == number_of.end()) {
      throw Error(ErrorKind::kBadInput, fmt::format("{}:{}: the tag '{}' is none of the {} classes", where, token.line,
                                                    excerpt(token.tag), number_of.size()));
    }
    if (!sentence.text.empty()) sentence.text += ' ';
    sentence.text += token.text;
    sentence.ends.push_back(sentence.text.size());
    sentence.classes.push_back(number->second);
  }
  return sentence;
}

}  // namespace

LabelledRows entity_rows(TaggedSentenceSet set, const std::string& where, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options) {
  LabelledRows labelled;
  labelled.class_names = options.classes.empty() ? tags_of(set) : options.classes;
  labelled.class_count = static_cast<std::int64_t>(labelled.class_names.size());
  std::map<std::string, int> number_of;
  for (const std::string& name : labelled.class_names) number_of.emplace(name, static_cast<int>(number_of.size()));
  std::vector<Sentence> sentences;
  for (const std::size_t i : drawn_examples(set.sentences.size(), options)) {
    sentences.push_back(sentence_of(set.sentences[i], number_of, where));
  }
  check_room(tokenizer, options);
  labelled.rows = std::make_unique<EntityRows>(std::move(sentences), tokenizer, options.max_length);
  return labelled;
}

}  // namespace transformeter
