// Each format is one class.
#include "cli/prediction_output.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/text.h"
#include "cli/score_text.h"
#include "cli/text_table.h"
#include "report/display_text.h"
#include "tasks/prediction_file.h"

namespace transformeter {
namespace {

const char* given_kind(Task task) {
  if (reads_audio(task)) return "audio";
  return reads_images(task) ? "image" : "text";
}

// What was asked comes first, for readers.
std::string object_text(const PredictionSubject& subject, std::size_t index, const Prediction& prediction) {
  const PredictionInputs& inputs = subject.inputs;
  OrderedJson object;
  object["index"] = index;
  if (!inputs.ids.empty()) object["id"] = inputs.ids[index];
  object[given_kind(subject.task)] = inputs.inputs[index].text;
  if (inputs.inputs[index].text_pair) object["text_pair"] = *inputs.inputs[index].text_pair;
  const OrderedJson answer = to_json(prediction);
  for (const auto& [key, value] : answer.items()) object[key] = value;
  return object.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

class JsonLines final : public PredictionOutput {
 public:
  JsonLines(const PredictionSubject& subject, Sink sink) : subject_(subject), sink_(std::move(sink)) {}
  void begin(const Json&) override {}
  void add(std::size_t index, const Prediction& prediction) override {
    sink_(object_text(subject_, index, prediction) + "\n");
  }
  void finish(const ScoreReport* /*scores*/) override {}

 private:
  const PredictionSubject& subject_;
  Sink sink_;
};

class JsonDocument final : public PredictionOutput {
 public:
  JsonDocument(const PredictionSubject& subject, Sink sink) : subject_(subject), sink_(std::move(sink)) {}
  void begin(const Json& effective) override {
    const Json head = {
        {"task", subject_.task}, {"model", subject_.identity}, {"data", subject_.data}, {"effective", effective}};
    std::string text = head.dump(2, ' ', false, Json::error_handler_t::replace);
    text.resize(text.size() - 2);  // the closing bracket and the line feed before it
    sink_(text + ",\n  \"predictions\": [");
  }
  void add(std::size_t index, const Prediction& prediction) override {
    sink_((index == 0 ? "\n    " : ",\n    ") + object_text(subject_, index, prediction));
  }
  void finish(const ScoreReport* scores) override {
    sink_("\n  ]");
    if (scores != nullptr) sink_(",\n  \"scores\": " + scores_json(*scores).dump());
    sink_("\n}\n");
  }

 private:
  const PredictionSubject& subject_;
  Sink sink_;
};

struct ShownAnswer {
  std::string text;
  std::string score;
};

std::string shown_score(double score) {
  return fmt::format("{:.4f}", score);
}

ShownAnswer shown(const ClassPrediction& value) {
  return {value.label.empty() ? std::to_string(value.label_id) : value.label, shown_score(value.score)};
}

ShownAnswer shown(const LabelSetPrediction& value) {
  ShownAnswer answer;
  for (const ScoredLabel& one : value.labels) {
    const char* const separator = answer.text.empty() ? "" : ", ";
    answer.text += fmt::format("{}{}", separator, one.label.empty() ? std::to_string(one.id) : one.label);
    answer.score += fmt::format("{}{}", separator, shown_score(one.score));
  }
  if (value.labels.empty()) answer.text = "(none)";
  return answer;
}

ShownAnswer shown(const NumberPrediction& value) {
  return {fmt::format("{:.4f}", fmt::join(value.values, ", ")), ""};
}

ShownAnswer shown(const EntityPrediction& value) {
  ShownAnswer answer;
  for (const PredictedEntity& one : value.entities) {
    answer.text += fmt::format("{}{} {}", answer.text.empty() ? "" : ", ", one.entity, one.text);
    answer.score += fmt::format("{}{}", answer.score.empty() ? "" : ", ", shown_score(one.score));
  }
  return answer;
}

ShownAnswer shown(const AnswerPrediction& value) {
  return {value.answer.empty() ? "(no answer)" : value.answer, shown_score(value.score)};
}

ShownAnswer shown(const EmbeddingPrediction& value) {
  double squares = 0;
  for (const float number : value.embedding) squares += static_cast<double>(number) * static_cast<double>(number);
  return {fmt::format("{} dimensions, norm {:.4f}", value.embedding.size(), std::sqrt(squares)), ""};
}

ShownAnswer shown(const MaskPrediction& value) {
  ShownAnswer answer;
  for (const FilledMask& mask : value.masks) {
    if (!answer.text.empty()) answer.text += "; ";
    for (const Filling& one : mask.fillings) {
      answer.text +=
          fmt::format("{}{} {}", &one == mask.fillings.data() ? "" : ", ", one.token, shown_score(one.score));
    }
  }
  return answer;
}

ShownAnswer shown(const GeneratedText& value) {
  return {value.text, value.score ? shown_score(*value.score) : ""};
}

ShownAnswer shown(const TranscriptPrediction& value) {
  return {value.text, ""};
}

class PredictionTable final : public PredictionOutput {
 public:
  PredictionTable(const PredictionSubject& subject, Sink sink) : subject_(subject), sink_(std::move(sink)) {}
  void begin(const Json&) override {}
  void add(std::size_t index, const Prediction& prediction) override {
    constexpr std::size_t kTextColumns = 48;
    const PredictionInput& input = subject_.inputs.inputs[index];
    ShownAnswer answer = std::visit([](const auto& value) { return shown(value); }, prediction.value);
    if (prediction.truncated) answer.text += " (text truncated)";
    // Paths differ at their ends.
    const bool is_path = modality_of(subject_.task) != Modality::kText;
    std::string given = is_path ? last_columns(one_line(input.text), kTextColumns)
                                : cut_to_columns(one_line(excerpt(input.text, 400)), kTextColumns);
    rows_.push_back({std::to_string(index), std::move(given), std::move(answer.text), std::move(answer.score)});
  }
  void finish(const ScoreReport* scores) override {
    sink_(text_table({{"index", true}, {given_kind(subject_.task)}, {"answer"}, {"score", true}}, rows_));
    if (scores != nullptr) sink_("\n" + score_table(*scores));
  }

 private:
  const PredictionSubject& subject_;
  Sink sink_;
  std::vector<std::vector<std::string>> rows_;
};

class Predictions final : public PredictionOutput {
 public:
  Predictions(const PredictionSubject& subject, Sink sink)
      : file_(make_prediction_file(subject.task, subject.inputs, std::move(sink))) {}
  void begin(const Json&) override {}
  void add(std::size_t index, const Prediction& prediction) override { file_->add(index, prediction); }
  void finish(const ScoreReport* /*scores*/) override { file_->finish(); }

 private:
  std::unique_ptr<PredictionFile> file_;
};

}  // namespace

const std::vector<std::string>& prediction_formats() {
  static const std::vector<std::string> kFormats{"jsonl", "json", "table", "predictions"};
  return kFormats;
}

bool shows_scores(const std::string& format) {
  return format == "json" || format == "table";
}

std::unique_ptr<PredictionOutput> make_prediction_output(const std::string& format, const PredictionSubject& subject,
                                                         Sink sink) {
  if (format == "json") return std::make_unique<JsonDocument>(subject, std::move(sink));
  if (format == "table") return std::make_unique<PredictionTable>(subject, std::move(sink));
  if (format == "predictions") return std::make_unique<Predictions>(subject, std::move(sink));
  return std::make_unique<JsonLines>(subject, std::move(sink));
}

}  // namespace transformeter
