// Regression: a number for a text, or a pair of texts, such as how similar two sentences are.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "stats/correlation.h"
#include "tasks/class_predictions.h"
#include "tasks/score_files.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

std::unique_ptr<PredictionTask> make_prediction(const PredictionModel& model, const PredictionOptions& options) {
  return make_whole_text_task(model, options, [](std::span<const float> values) {
    return Prediction{NumberPrediction{{values.begin(), values.end()}}, false};
  });
}

// The answer of a model that has one output.
double number_of(const Prediction& prediction) {
  const std::vector<float>& values = answer_of<NumberPrediction>(prediction).values;
  if (values.size() == 1) return static_cast<double>(values.front());
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("the model answers with {} numbers, but data files have one for each example", values.size()));
}

class NumberFile final : public PredictionFile {
 public:
  using PredictionFile::PredictionFile;
  void add(std::size_t /*index*/, const Prediction& prediction) override {
    sink_(fmt::format("{}\n", static_cast<float>(number_of(prediction))));
  }
};

std::unique_ptr<PredictionFile> make_file(const PredictionInputs& inputs, Sink sink) {
  if (inputs.label_count == 0) raise_other_data(Task::kRegression, "numbers in a column of labels");
  return std::make_unique<NumberFile>(inputs, std::move(sink));
}

// Targets are 32-bit floats.
double finite_number(const std::string& what, std::string_view text) {
  const auto number = parse_number(text);
  if (number && std::abs(*number) <= static_cast<double>(std::numeric_limits<float>::max())) return *number;
  throw bad_value(what, excerpt(text), "a number within the range of a 32-bit float");
}

// By the numbers that the labels have in the data set: readers take each label for a class.
std::vector<double> values_of_labels(const DataSet& data, const std::string& where) {
  std::vector<double> values;
  for (int label = 0; label < data.label_count; ++label) {
    const auto index = static_cast<std::size_t>(label);
    values.push_back(data.label_names.empty() ? label : finite_number(where + ": label", data.label_names[index]));
  }
  return values;
}

// A data set whose labels are numbers.
struct Valued {
  DataSet data;
  std::vector<double> values;  // by label

  double of(const Example& example) const { return values.at(static_cast<std::size_t>(*example.label)); }
};

Valued load_valued(const std::string& path, const DataOptions& options, const std::string& what) {
  if (!options.labels.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("--labels lists classes, which task {} does not have", name_of(Task::kRegression)));
  }
  Valued valued{load_dataset(path, options), {}};
  if (valued.data.task != Task::kSequenceClassification) check_form(valued.data, path, Task::kRegression);
  check_labelled(valued.data, path, what);
  valued.values = values_of_labels(valued.data, path);
  return valued;
}

std::vector<double> values_of(const Valued& valued) {
  std::vector<double> values;
  for (const Example& example : valued.data.examples) values.push_back(valued.of(example));
  return values;
}

double squared_error(double predicted, double value) {
  return (predicted - value) * (predicted - value);
}

ScoreReport score_numbers(const std::vector<double>& predicted, const std::vector<double>& values,
                          const StopCheck& check) {
  const std::size_t n = values.size();
  ScoreReport report{Task::kRegression, "Pearson's r and Spearman's rho as in SciPy; mean squared error", {}, {}};
  const auto add = [&](const char* name, const ResampledStatistic& statistic) {
    report.scores.push_back(bootstrapped_score(name, n, "examples", statistic, check));
  };
  add("pearson", [&](std::span<const std::size_t> chosen) { return pearson(predicted, values, chosen); });
  add("spearman", [&](std::span<const std::size_t> chosen) { return spearman(predicted, values, chosen); });
  add("mean_squared_error", [&](std::span<const std::size_t> chosen) {
    double sum = 0;
    for (const std::size_t i : chosen) sum += squared_error(predicted[i], values[i]);
    return std::optional(sum / static_cast<double>(chosen.size()));
  });
  if (std::isnan(report.scores.front().estimate.value)) {
    report.notes.emplace_back("no correlation: all predictions, or all values of the data, are equal");
  }
  return report;
}

ScoreReport score(const ScoreInputs& inputs) {
  const Valued valued = load_valued(inputs.request.data, inputs.request.options, "scoring");
  inputs.data_sha256 = valued.data.sha256;
  const ClassPredictionOptions options{inputs.request.prediction_column, inputs.request.options};
  std::vector<double> predicted;
  read_predictions(
      inputs.predictions.where(), inputs.predictions.text(), valued.data, options,
      [](std::string_view line) { return parse_number(line).has_value(); },
      [&](const std::string& place, const std::string& text) {
        predicted.push_back(finite_number(place + ": prediction", text));
      });
  return with_note_of_blanks(score_numbers(predicted, values_of(valued), inputs.check), valued.data);
}

LabelledRows rows_of(Valued valued, const Tokenizer& tokenizer, const TrainingRowsOptions& options) {
  const auto put = [values = std::move(valued.values)](const Example& example, TrainingRow& row) {
    row.numbers = {static_cast<float>(values.at(static_cast<std::size_t>(*example.label)))};
  };
  LabelledRows rows = whole_text_rows(std::move(valued.data), tokenizer, options, LabelKind::kNumbers, put);
  rows.class_count = 1;  // outputs
  rows.class_names.clear();
  return rows;
}

LabelledRows read_rows(const std::string& path, const DataOptions& options, const Tokenizer& tokenizer,
                       const TrainingRowsOptions& rows_options) {
  return rows_of(load_valued(path, options, "training"), tokenizer, rows_options);
}

class ScoredNumbers final : public ScoredTexts {
 public:
  ScoredNumbers(const Valued& valued, std::string where)
      : ScoredTexts(valued.data, std::move(where)), values_(values_of(valued)) {}

  AnswerScores score(const std::vector<Prediction>& answers, const StopCheck& check) const override {
    std::vector<double> predicted;
    double loss = 0;
    for (const Prediction& answer : answers) {
      predicted.push_back(number_of(answer));
      loss += squared_error(predicted.back(), values_[predicted.size() - 1]);
    }
    return {score_numbers(predicted, values_, check).scores, loss / static_cast<double>(values_.size())};
  }

 private:
  std::vector<double> values_;
};

FineTuningSets divide(const FineTuningSource& source) {
  FineTuningSets sets;
  Valued valued = load_valued(source.path, source.data, "training");
  auto [learnt, kept] = divided(std::move(valued.data), source);
  std::optional<Valued> scored;
  if (kept) scored = Valued{std::move(*kept), valued.values};
  sets.rows = rows_of({std::move(learnt), std::move(valued.values)}, *source.tokenizer, source.rows);
  if (const std::string& file = source.options.evaluation_data; !file.empty()) {
    scored = load_valued(file, source.scored_data(), "evaluation");
  }
  if (scored) sets.scored_inputs = std::make_unique<ScoredNumbers>(*scored, source.scored_file());
  return sets;
}

RowLabeller random_labels(std::int64_t classes, const Tokenizer& /*tokenizer*/, const TrainingRowsOptions& options) {
  return [classes, seed = options.seed](Encoding encoding, std::size_t example, std::int64_t /*epoch*/) {
    RandomStream random = label_stream(seed, example);
    TrainingRow row{std::move(encoding), {}, {}};
    for (std::int64_t i = 0; i < classes; ++i) row.numbers.push_back(static_cast<float>(random.normal()));
    return row;
  };
}

}  // namespace

TaskType regression_type() {
  TaskType type;
  type.task = Task::kRegression;
  type.make_prediction = make_prediction;
  type.make_file = make_file;
  type.score = score;
  type.scores_columns = true;
  type.loss = LossKind::kSquaredError;
  type.read_rows = read_rows;
  type.random_labels = random_labels;
  type.label_kind = LabelKind::kNumbers;
  type.divide = divide;
  return type;
}

}  // namespace transformeter
