// Token classification: a class for each token, and so for each word. In training the first token of a word has the
// word's class. A token belongs to the first word that ends behind its beginning, so that a blank in front of a word,
// which byte-level tokens hold, is the word's.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "tasks/entity_decoder.h"
#include "tasks/entity_rows.h"
#include "tasks/entity_score.h"
#include "tasks/predictions.h"
#include "tasks/score_files.h"
#include "tasks/softmax.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"

namespace transformeter {
namespace {

// Where tokens inside words are marked ("##ing"), the mark tells; else a word begins after a blank, as Transformers'
// pipeline has it then.
bool continues_word(const Token& token, std::string_view text, const TokenizerTraits& traits) {
  if (token.id == traits.special.unk) return false;
  const std::string_view prefix = traits.continuing_subword_prefix;
  if (!prefix.empty()) return token.text.size() > prefix.size() && token.text.starts_with(prefix);
  const std::size_t begin = token.bytes.begin;
  return begin > 0 && text[begin - 1] != ' ' && begin < text.size() && text[begin] != ' ';
}

class TaggedText final : public EncodedInput {
 public:
  TaggedText(const PredictionInput& input, const PredictionModel& model, const EncodeOptions& options)
      : input_(input), model_(model), tokens_(model.tokenizer.tokenize(input.text, options)) {
    rows_.push_back(model.tokenizer.encode(input.text, options));
  }

  Prediction decode(std::span<const RowOutput> outputs) const override {
    const TokenizerTraits& traits = model_.tokenizer.traits();
    std::vector<LabelledToken> labelled;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.special) continue;
      const std::vector<double> scores = softmax(outputs.front().token(i));
      const auto best = std::max_element(scores.begin(), scores.end());
      labelled.push_back({token.characters, token.bytes, label_of(static_cast<std::size_t>(best - scores.begin())),
                          *best, continues_word(token, input_.text, traits)});
    }
    EntityPrediction entities{group_entities(labelled, input_.text), tags_of_words(labelled, input_.words)};
    return {std::move(entities), rows_.front().truncated_tokens > 0};
  }

 private:
  std::string label_of(std::size_t index) const {
    return index < model_.labels.size() ? model_.labels[index] : fmt::format("LABEL_{}", index);
  }

  const PredictionInput& input_;
  const PredictionModel& model_;
  std::vector<Token> tokens_;
};

class EntityTask final : public PredictionTask {
 public:
  EntityTask(const PredictionModel& model, const PredictionOptions& options) : PredictionTask(false), model_(model) {
    options_.max_length = options.max_length;
  }

 private:
  std::unique_ptr<EncodedInput> do_encode(const PredictionInput& input) const override {
    return std::make_unique<TaggedText>(input, model_, options_);
  }

  PredictionModel model_;
  EncodeOptions options_;
};

std::unique_ptr<PredictionTask> make_prediction(const PredictionModel& model, const PredictionOptions& options) {
  return std::make_unique<EntityTask>(model, options);
}

PredictionInputs read_inputs(const std::string& where, std::string_view text) {
  return prediction_inputs(read_conll(where, text));
}

std::string tag_lines(const EntityPrediction& predicted, const TaggedSentence& sentence) {
  if (predicted.tags.size() != sentence.size()) {
    throw Error(ErrorKind::kProtocol,
                fmt::format("the worker returned {} tags for {} words", predicted.tags.size(), sentence.size()));
  }
  std::string text;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (!is_entity_tag(predicted.tags[i])) {
      throw bad_value("the model's label", excerpt(predicted.tags[i]),
                      "O, or B- or I- followed by a type, e.g. B-person",
                      "Name the classes like this under id2label in its config.json.");
    }
    text += fmt::format("{}\t{}\n", sentence[i].text, predicted.tags[i]);
  }
  return text + "\n";
}

class TagFile final : public PredictionFile {
 public:
  using PredictionFile::PredictionFile;
  void add(std::size_t index, const Prediction& prediction) override {
    sink_(tag_lines(answer_of<EntityPrediction>(prediction), inputs_.sentences.at(index)));
  }
};

std::unique_ptr<PredictionFile> make_file(const PredictionInputs& inputs, Sink sink) {
  if (inputs.sentences.empty()) raise_other_data(Task::kTokenClassification, "the words of a CoNLL file");
  return std::make_unique<TagFile>(inputs, std::move(sink));
}

ScoreReport score(const ScoreInputs& inputs) {
  const TaggedSentenceSet set = load_tagged_sentences(inputs.request.data, inputs.request.options.split);
  inputs.data_sha256 = set.sha256;
  return score_entities(set.sentences,
                        read_predicted_tags(inputs.predictions.where(), inputs.predictions.text(), set.sentences),
                        inputs.check);
}

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

std::vector<std::string> learnt_labels(const TrainingRowsOptions& options) {
  return options.trained == nullptr ? std::vector<std::string>() : options.trained->labels;
}

LabelledRows entity_rows(TaggedSentenceSet set, const std::string& where, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options) {
  LabelledRows labelled;
  labelled.class_names = options.classes.empty() ? entity_classes(set, learnt_labels(options)) : options.classes;
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

// Of a file of that form; this reader knows neither columns nor other forms.
TaggedSentenceSet load_checked(const std::string& path, const DataOptions& data) {
  check_form(load_dataset(path, data), path, Task::kTokenClassification);
  return load_tagged_sentences(path, data.split);
}

LabelledRows read_rows(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                       const TrainingRowsOptions& options) {
  return entity_rows(load_checked(path, data), path, tokenizer, options);
}

// F1 of entities.
class ScoredEntities final : public ScoredInputs {
 public:
  ScoredEntities(TaggedSentenceSet set, const std::vector<std::string>& tags, std::string where)
      : sentences_(set.sentences), where_(std::move(where)) {
    inputs_ = prediction_inputs(std::move(set)).inputs;
    labels_ = tags;
  }

  std::string place_of(std::size_t input) const override {
    return fmt::format("{}:{}", where_, sentences_[input].front().line);
  }

  AnswerScores score(const std::vector<Prediction>& answers, const StopCheck& check) const override {
    std::vector<std::vector<std::string>> predicted;
    for (const Prediction& answer : answers) predicted.push_back(std::get<EntityPrediction>(answer.value).tags);
    return {score_entities(sentences_, predicted, check).scores, std::nullopt};
  }

 private:
  std::vector<TaggedSentence> sentences_;
  std::string where_;
};

FineTuningSets divide(const FineTuningSource& source) {
  FineTuningSets sets;
  TaggedSentenceSet all = load_checked(source.path, source.data);
  TrainingRowsOptions options = source.rows;
  options.classes = entity_classes(all, learnt_labels(options));  // those of what is kept back too
  auto [learnt, kept] = divided(std::move(all), source);
  sets.rows = entity_rows(std::move(learnt), source.path, *source.tokenizer, options);
  if (const std::string& file = source.options.evaluation_data; !file.empty()) {
    kept = load_tagged_sentences(file, source.options.evaluation_split);
    check_tags(*kept, sets.rows.class_names, file);
  }
  if (!kept) return sets;
  sets.scored_inputs = std::make_unique<ScoredEntities>(std::move(*kept), sets.rows.class_names, source.scored_file());
  return sets;
}

RowLabeller random_labels(std::int64_t classes, const Tokenizer& /*tokenizer*/, const TrainingRowsOptions& options) {
  return [classes, seed = options.seed](Encoding encoding, std::size_t example, std::int64_t /*epoch*/) {
    RandomStream random = label_stream(seed, example);
    TrainingRow row{std::move(encoding), {}};
    for (const std::uint8_t is_special : row.encoding.special_mask) {
      const auto bound = static_cast<std::uint64_t>(classes);
      row.labels.push_back(is_special != 0 ? kNoLabel : static_cast<std::int64_t>(random.below(bound)));
    }
    return row;
  };
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

TaskType token_classification_type() {
  TaskType type;
  type.task = Task::kTokenClassification;
  type.make_prediction = make_prediction;
  type.has_own_form = looks_like_conll;
  type.read_inputs = read_inputs;
  type.make_file = make_file;
  type.score = score;
  type.loss = LossKind::kLabels;
  type.read_rows = read_rows;
  type.random_labels = random_labels;
  type.label_kind = LabelKind::kToken;
  type.divide = divide;
  return type;
}

}  // namespace transformeter
