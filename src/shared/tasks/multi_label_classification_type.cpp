// Multi-label classification: any number of classes for a text, or a pair of texts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/random.h"
#include "base/text.h"
#include "datasets/classification.h"
#include "stats/label_set_f1.h"
#include "tasks/class_predictions.h"
#include "tasks/score_files.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

using LabelSet = std::vector<std::int64_t>;
constexpr std::int64_t kMostClasses = 10000;

double logistic(double logit) {
  return 1 / (1 + std::exp(-logit));
}

// As the text classification pipeline of Transformers scores them; its example scripts take what is above 0.
LabelSetPrediction labels_of(std::span<const float> logits, const std::vector<std::string>& names) {
  LabelSetPrediction prediction;
  prediction.logits.assign(logits.begin(), logits.end());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!(logits[i] > 0)) continue;
    prediction.labels.push_back(
        {static_cast<std::int64_t>(i), i < names.size() ? names[i] : "", logistic(static_cast<double>(logits[i]))});
  }
  return prediction;
}

std::unique_ptr<PredictionTask> make_prediction(const PredictionModel& model, const PredictionOptions& options) {
  return make_whole_text_task(model, options, [names = model.labels](std::span<const float> logits) {
    return Prediction{labels_of(logits, names), false};
  });
}

// The names of ["joy", "love"], joy,love, [3, 7] or 3,7.
std::vector<std::string> parts_of(const std::string& place, const std::string& text) {
  std::vector<std::string> parts;
  if (trim(text).empty()) return parts;
  if (trim(text).starts_with('[')) {
    for (const Json& one : parse_json(place, text)) {
      if (!one.is_string() && !one.is_number_integer()) {
        throw bad_value(place, excerpt(one.dump()), "a list of names or of whole numbers");
      }
      parts.push_back(one.is_string() ? one.get<std::string>() : one.dump());
    }
  } else {
    for (const std::string& part : split(text, ',')) parts.emplace_back(trim(part));
  }
  const bool has_empty = std::any_of(parts.begin(), parts.end(), [](const auto& part) { return trim(part).empty(); });
  if (has_empty) throw bad_value(place, excerpt(text), "labels by commas or as a JSON list, none of them empty");
  return parts;
}

std::optional<std::int64_t> number_of(const std::string& name) {
  const auto number = parse_integer(name);
  return number && *number >= 0 && *number < kMostClasses ? std::optional<std::int64_t>(*number) : std::nullopt;
}

bool are_numbers(const std::set<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& one) { return number_of(one).has_value(); });
}

// A JSON list a line: of numbers where the data's labels are numbers or their order was given, else of names.
class LabelSetFile final : public PredictionFile {
 public:
  LabelSetFile(const PredictionInputs& inputs, Sink sink) : PredictionFile(inputs, std::move(sink)) {
    for (const std::string& label : inputs_.label_names) {
      for (std::string& part : parts_of("label", label)) names_.insert(std::move(part));
    }
    if (are_numbers(names_)) names_.clear();
  }

  void add(std::size_t /*index*/, const Prediction& prediction) override {
    Json list = Json::array();
    for (const ScoredLabel& one : answer_of<LabelSetPrediction>(prediction).labels) {
      const bool is_number = names_.empty() || inputs_.has_ordered_labels;
      list.push_back(is_number ? Json(one.id) : Json(name_in_data(one)));
    }
    sink_(canonical_json(list) + "\n");
  }

 private:
  std::string name_in_data(const ScoredLabel& label) const {
    if (names_.contains(label.label)) return label.label;
    const bool has_name = !label.label.empty() && !label.label.starts_with("LABEL_");  // as Transformers names none
    throw Error(ErrorKind::kBadInput,
                has_name ? fmt::format("the model's label '{}' is in no list of the data; list the classes in the "
                                       "model's order with --labels FILE",
                                       excerpt(label.label))
                         : "the model does not name its classes, so they cannot be matched with the data; list them "
                           "in the model's order with --labels FILE");
  }

  std::set<std::string> names_;  // of the data's classes; empty: they are numbers
};

std::unique_ptr<PredictionFile> make_file(const PredictionInputs& inputs, Sink sink) {
  if (inputs.label_count == 0) raise_other_data(Task::kMultiLabelClassification, "labels");
  return std::make_unique<LabelSetFile>(inputs, std::move(sink));
}

// The classes of a data set: their names in order, or how many numbers there are.
struct Classes {
  std::vector<std::string> names;  // empty: numbers alone
  std::int64_t count = 0;
  bool has_numbers = true;  // names are in an order that a model may know too

  std::int64_t number(const std::string& place, const std::string& part) const {
    const auto name = std::find(names.begin(), names.end(), part);
    if (name != names.end()) return name - names.begin();
    const auto known = number_of(part);
    if (has_numbers && known && *known < count) return *known;
    throw bad_value(place + ": label", excerpt(part),
                    names.empty() ? fmt::format("a number from 0 to {}", count - 1)
                                  : "one of " + excerpt(fmt::format("{}", fmt::join(names, ", ")), 300),
                    known && !has_numbers ? "To use numbers, list the classes in order with --labels FILE." : "");
  }

  LabelSet numbers(const std::string& place, const std::string& text) const {
    std::set<std::int64_t> set;
    for (const std::string& part : parts_of(place, text)) {
      const bool is_new = set.insert(number(place, part)).second;
      // [0, 1, 0] says of each class whether it is one; it is not the classes 0 and 1.
      if (!is_new && number_of(part)) {
        throw bad_value(place + ": label", excerpt(text),
                        "the numbers of its classes, each once: not one 0 or 1 a class");
      }
    }
    return {set.begin(), set.end()};
  }
};

// A label as it stands in the file: readers take each combination for a class.
std::string text_of(const DataSet& data, int label) {
  return data.label_names.empty() ? std::to_string(label) : data.label_names.at(static_cast<std::size_t>(label));
}

// Those that some example has: of numbers not all up to the largest occur.
std::set<int> labels_in(const DataSet& data) {
  std::set<int> labels;
  for (const Example& example : data.examples) labels.insert(*example.label);
  return labels;
}

Classes classes_of(const DataSet& data, const std::string& where, const DataOptions& options,
                   const ModelConfig* trained) {
  Classes classes;
  if (!options.labels.empty()) {
    classes.names = load_label_list(options.labels);
  } else {
    std::set<std::string> parts;
    for (const int label : labels_in(data)) {
      for (std::string& part : parts_of(where + ": label", text_of(data, label))) parts.insert(std::move(part));
    }
    if (parts.empty()) throw Error(ErrorKind::kBadInput, where + ": no example has a label");
    if (are_numbers(parts)) {
      for (const std::string& part : parts) classes.count = std::max(classes.count, *number_of(part) + 1);
      if (trained != nullptr) classes.count = std::max(classes.count, trained->num_labels);
      return classes;
    }
    classes.names.assign(parts.begin(), parts.end());
    classes.has_numbers = false;
    // A trained model's classes keep the order in which it has learnt them, also where the data lacks some.
    if (trained != nullptr) {
      const std::set learnt(trained->labels.begin(), trained->labels.end());
      if (std::includes(learnt.begin(), learnt.end(), parts.begin(), parts.end())) classes.names = trained->labels;
    }
  }
  classes.count = static_cast<std::int64_t>(classes.names.size());
  return classes;
}

// A data set with the classes of each combination of labels.
struct Labelled {
  DataSet data;
  std::vector<LabelSet> sets;  // by label

  const LabelSet& of(const Example& example) const { return sets.at(static_cast<std::size_t>(*example.label)); }
};

DataSet load_label_lists(const std::string& path, DataOptions options, const std::string& what) {
  options.has_label_lists = true;
  DataSet data = load_dataset(path, options);
  if (data.task != Task::kSequenceClassification) check_form(data, path, Task::kMultiLabelClassification);
  check_labelled(data, path, what);
  return data;
}

std::vector<LabelSet> sets_of_labels(const DataSet& data, const std::string& where, const Classes& classes) {
  std::vector<LabelSet> sets(static_cast<std::size_t>(data.label_count));
  for (const int label : labels_in(data)) {
    sets[static_cast<std::size_t>(label)] = classes.numbers(where, text_of(data, label));
  }
  return sets;
}

std::vector<LabelSet> sets_of(const Labelled& labelled) {
  std::vector<LabelSet> sets;
  for (const Example& example : labelled.data.examples) sets.push_back(labelled.of(example));
  return sets;
}

ScoreReport score_sets(const std::vector<LabelSet>& predicted, const std::vector<LabelSet>& labels,
                       std::int64_t class_count, const StopCheck& check) {
  const std::size_t n = labels.size();
  ScoreReport report{Task::kMultiLabelClassification,
                     "F1 of label sets as in scikit-learn; subset accuracy: all labels right",
                     {},
                     {}};
  LabelSetF1 f1(predicted, labels, class_count);
  const auto add = [&](const char* name, const ResampledStatistic& statistic) {
    report.scores.push_back(bootstrapped_score(name, n, "examples", statistic, check));
  };
  add("micro_f1", [&](std::span<const std::size_t> chosen) { return f1.micro(chosen); });
  add("macro_f1", [&](std::span<const std::size_t> chosen) { return f1.macro(chosen); });
  std::size_t right = 0;
  for (std::size_t i = 0; i < n; ++i) right += predicted[i] == labels[i] ? 1 : 0;
  report.scores.push_back(share_score("subset_accuracy", "examples", right, n));
  return report;
}

ScoreReport score(const ScoreInputs& inputs) {
  Labelled labelled{load_label_lists(inputs.request.data, inputs.request.options, "scoring"), {}};
  inputs.data_sha256 = labelled.data.sha256;
  const Classes classes = classes_of(labelled.data, inputs.request.data, inputs.request.options, nullptr);
  labelled.sets = sets_of_labels(labelled.data, inputs.request.data, classes);
  const ClassPredictionOptions options{inputs.request.prediction_column, inputs.request.options};
  std::vector<LabelSet> predicted;
  read_predictions(
      inputs.predictions.where(), inputs.predictions.text(), labelled.data, options,
      [](std::string_view line) { return line.starts_with('['); },
      [&](const std::string& place, const std::string& text) { predicted.push_back(classes.numbers(place, text)); });
  return with_note_of_blanks(score_sets(predicted, sets_of(labelled), classes.count, inputs.check), labelled.data);
}

LabelledRows rows_of(Labelled labelled, const Classes& classes, const Tokenizer& tokenizer,
                     const TrainingRowsOptions& options) {
  const auto put = [sets = std::move(labelled.sets), count = static_cast<std::size_t>(classes.count)](
                       const Example& example, TrainingRow& row) {
    row.numbers.assign(count, 0);
    for (const std::int64_t one : sets.at(static_cast<std::size_t>(*example.label))) {
      row.numbers[static_cast<std::size_t>(one)] = 1;
    }
  };
  LabelledRows rows = whole_text_rows(std::move(labelled.data), tokenizer, options, LabelKind::kNumbers, put);
  rows.class_count = classes.count;
  rows.class_names = classes.names;
  return rows;
}

LabelledRows read_rows(const std::string& path, const DataOptions& options, const Tokenizer& tokenizer,
                       const TrainingRowsOptions& rows_options) {
  Labelled labelled{load_label_lists(path, options, "training"), {}};
  const Classes classes = classes_of(labelled.data, path, options, rows_options.trained);
  labelled.sets = sets_of_labels(labelled.data, path, classes);
  return rows_of(std::move(labelled), classes, tokenizer, rows_options);
}

// −Σ y ln p + (1 − y) ln (1 − p) over the classes, their mean; without overflow.
double binary_cross_entropy(const std::vector<float>& logits, const LabelSet& labels) {
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto logit = static_cast<double>(logits[i]);
    const bool is_label = std::binary_search(labels.begin(), labels.end(), static_cast<std::int64_t>(i));
    sum += std::max(logit, 0.0) - (is_label ? logit : 0.0) + std::log1p(std::exp(-std::abs(logit)));
  }
  return sum / static_cast<double>(logits.size());
}

class ScoredLabelSets final : public ScoredTexts {
 public:
  ScoredLabelSets(const Labelled& labelled, std::int64_t class_count, std::string where)
      : ScoredTexts(labelled.data, std::move(where)), sets_(sets_of(labelled)), class_count_(class_count) {}

  AnswerScores score(const std::vector<Prediction>& answers, const StopCheck& check) const override {
    std::vector<LabelSet> predicted;
    double loss = 0;
    for (const Prediction& answer : answers) {
      const auto& labels = answer_of<LabelSetPrediction>(answer);
      loss += binary_cross_entropy(labels.logits, sets_[predicted.size()]);
      LabelSet set;
      for (const ScoredLabel& one : labels.labels) set.push_back(one.id);
      predicted.push_back(std::move(set));
    }
    return {score_sets(predicted, sets_, class_count_, check).scores, loss / static_cast<double>(sets_.size())};
  }

 private:
  std::vector<LabelSet> sets_;
  std::int64_t class_count_;
};

FineTuningSets divide(const FineTuningSource& source) {
  FineTuningSets sets;
  DataSet data = load_label_lists(source.path, source.data, "training");
  const Classes classes = classes_of(data, source.path, source.data, source.rows.trained);
  std::vector<LabelSet> of_labels = sets_of_labels(data, source.path, classes);
  auto [learnt, kept] = divided(std::move(data), source);
  std::optional<Labelled> scored;
  if (kept) scored = Labelled{std::move(*kept), of_labels};
  sets.rows = rows_of({std::move(learnt), std::move(of_labels)}, classes, *source.tokenizer, source.rows);
  if (const std::string& file = source.options.evaluation_data; !file.empty()) {
    scored = Labelled{load_label_lists(file, source.scored_data(), "evaluation"), {}};
    scored->sets = sets_of_labels(scored->data, file, classes);
  }
  if (scored) {
    sets.scored_inputs = std::make_unique<ScoredLabelSets>(*scored, classes.count, source.scored_file());
  }
  return sets;
}

// Each class with even odds.
RowLabeller random_labels(std::int64_t classes, const Tokenizer& /*tokenizer*/, const TrainingRowsOptions& options) {
  return [classes, seed = options.seed](Encoding encoding, std::size_t example, std::int64_t /*epoch*/) {
    RandomStream random = label_stream(seed, example);
    TrainingRow row{std::move(encoding), {}, {}};
    for (std::int64_t i = 0; i < classes; ++i) row.numbers.push_back(static_cast<float>(random.below(2)));
    return row;
  };
}

}  // namespace

TaskType multi_label_classification_type() {
  TaskType type;
  type.task = Task::kMultiLabelClassification;
  type.make_prediction = make_prediction;
  type.make_file = make_file;
  type.score = score;
  type.scores_columns = true;
  type.loss = LossKind::kBinaryCrossEntropy;
  type.read_rows = read_rows;
  type.random_labels = random_labels;
  type.label_kind = LabelKind::kNumbers;
  type.divide = divide;
  return type;
}

}  // namespace transformeter
