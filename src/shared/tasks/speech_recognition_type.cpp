// Speech recognition: what is said in a sound, by tokenizers/ctc_vocabulary.h.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "datasets/media_data.h"
#include "tasks/answer_scorer.h"
#include "tasks/class_predictions.h"
#include "tasks/score_files.h"
#include "tasks/sound_rows.h"
#include "tasks/task_type.h"
#include "tasks/transcript_score.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

// JSON keeps an empty transcript apart from the end of a file.
class TranscriptFile final : public PredictionFile {
 public:
  using PredictionFile::PredictionFile;
  void add(std::size_t index, const Prediction& prediction) override {
    OrderedJson line;
    if (!inputs_.ids.empty()) line["id"] = inputs_.ids[index];
    line["prediction"] = answer_of<TranscriptPrediction>(prediction).text;
    sink_(line.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
  }
};

std::unique_ptr<PredictionFile> make_file(const PredictionInputs& inputs, Sink sink) {
  if (inputs.transcripts.empty()) raise_other_data(Task::kSpeechRecognition, "transcripts");
  return std::make_unique<TranscriptFile>(inputs, std::move(sink));
}

class TranscriptScorer final : public AnswerScorer {
 public:
  explicit TranscriptScorer(const PredictionInputs& inputs) : inputs_(inputs) {}
  void add(std::size_t index, const Prediction& prediction) override {
    answers_.emplace_back(index, answer_of<TranscriptPrediction>(prediction).text);
  }
  std::optional<ScoreReport> report(const StopCheck& check) const override {
    if (answers_.empty()) return std::nullopt;
    std::vector<TranscriptErrors> errors;
    for (const auto& [index, text] : answers_) {
      errors.push_back(transcript_errors(inputs_.transcripts.at(index), text, check));
    }
    return score_transcripts(errors, check);
  }

 private:
  const PredictionInputs& inputs_;
  std::vector<std::pair<std::size_t, std::string>> answers_;  // by the place of the sound
};

std::unique_ptr<AnswerScorer> make_scorer(const PredictionInputs& inputs) {
  if (inputs.transcripts.empty()) return nullptr;
  return std::make_unique<TranscriptScorer>(inputs);
}

ScoreReport score(const ScoreInputs& inputs) {
  const std::string& where = inputs.request.data;
  const DataSet data = load_transcripts(where, inputs.request.options);
  inputs.data_sha256 = sha256_of_media(data);
  std::vector<std::string> texts;
  read_predictions(
      inputs.predictions.where(), inputs.predictions.text(), data,
      {inputs.request.prediction_column, inputs.request.options}, [](std::string_view) { return false; },
      [&](const std::string& /*place*/, const std::string& text) { texts.push_back(text); });
  std::vector<TranscriptErrors> errors;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    errors.push_back(transcript_errors(*data.examples[i].transcript, texts[i], inputs.check));
  }
  return score_transcripts(errors, inputs.check);
}

class ScoredTranscripts final : public ScoredTexts {
 public:
  ScoredTranscripts(const DataSet& data, std::string where) : ScoredTexts(data, std::move(where)) {
    for (const Example& example : data.examples) transcripts_.push_back(example.transcript.value());
  }

  AnswerScores score(const std::vector<Prediction>& answers, const StopCheck& check) const override {
    std::vector<TranscriptErrors> errors;
    for (const Prediction& answer : answers) {
      const std::string& said = answer_of<TranscriptPrediction>(answer).text;
      errors.push_back(transcript_errors(transcripts_.at(errors.size()), said, check));
    }
    return {score_transcripts(errors, check).scores, std::nullopt, true};
  }

 private:
  std::vector<std::string> transcripts_;
};

// Error rates are shares of what was said.
void check_something_is_said(const DataSet& data, const std::string& where) {
  const auto is_said = [](const Example& example) { return !trim(*example.transcript).empty(); };
  if (std::any_of(data.examples.begin(), data.examples.end(), is_said)) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: all {} transcripts to be scored are empty, so there is no error rate; use another "
                          "--evaluation-share or --evaluation-data",
                          where, data.examples.size()));
}

FineTuningSets divide(const FineTuningSource& source) {
  FineTuningSets sets;
  auto [learnt, kept] = divided(load_transcripts(source.path, source.data), source);
  sets.rows = transcript_rows(std::move(learnt), *source.sounds, source.rows);
  if (const std::string& file = source.options.evaluation_data; !file.empty()) {
    kept = load_transcripts(file, source.scored_data());
  }
  if (!kept) return sets;
  check_something_is_said(*kept, source.scored_file());
  sets.scored_inputs = std::make_unique<ScoredTranscripts>(*kept, source.scored_file());
  sets.scored_files = std::move(kept->examples);
  return sets;
}

}  // namespace

TaskType speech_recognition_type() {
  TaskType type;
  type.task = Task::kSpeechRecognition;
  type.make_file = make_file;
  type.make_scorer = make_scorer;
  type.score = score;
  type.scores_columns = true;
  type.loss = LossKind::kTranscript;
  type.label_kind = LabelKind::kTranscript;
  type.divide = divide;
  return type;
}

}  // namespace transformeter
