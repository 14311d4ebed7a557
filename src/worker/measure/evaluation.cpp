// One pass over the batches that anything is asked of.
#include "measure/evaluation.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/log_softmax.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "measure/output_collector.h"
#include "tasks/accuracy.h"
#include "tasks/transcript_score.h"

namespace transformeter {
namespace {

struct Answer {
  std::size_t example = 0;  // in the data set
  int label = 0;
  int predicted = 0;
  double log_loss = 0;  // nat: −log of the label's probability
};

// Batches may hold the examples in any order; the data set's makes answers comparable between cases.
void add_answers(std::vector<Series>& series, std::vector<Answer> answers) {
  std::sort(answers.begin(), answers.end(), [](const Answer& a, const Answer& b) { return a.example < b.example; });
  std::vector<double> labels;
  std::vector<double> predicted;
  std::vector<double> losses;
  for (const Answer& answer : answers) {
    labels.push_back(answer.label);
    predicted.push_back(answer.predicted);
    losses.push_back(answer.log_loss);
  }
  series.push_back(value_series("true_class", std::move(labels)));
  series.push_back(value_series("predicted_class", std::move(predicted)));
  series.push_back(value_series("log_loss", std::move(losses)));
}

// Of a sound, by jiwer's rules.
struct SpokenAnswer {
  std::size_t example = 0;  // in the data set
  TranscriptErrors errors;
};

void add_spoken(std::vector<Series>& series, std::vector<SpokenAnswer> answers) {
  std::sort(answers.begin(), answers.end(),
            [](const SpokenAnswer& a, const SpokenAnswer& b) { return a.example < b.example; });
  const auto add = [&](const char* name, EditCount TranscriptErrors::*kind, std::size_t EditCount::*count) {
    std::vector<double> values;
    for (const SpokenAnswer& answer : answers) values.push_back(static_cast<double>(answer.errors.*kind.*count));
    series.push_back(value_series(name, std::move(values)));
  };
  add("word_edits", &TranscriptErrors::words, &EditCount::edits);
  add("reference_words", &TranscriptErrors::words, &EditCount::units);
  add("character_edits", &TranscriptErrors::characters, &EditCount::edits);
  add("reference_characters", &TranscriptErrors::characters, &EditCount::units);
}

bool is_scored(const PreparedCase& prepared) {
  return prepared.trained_weights && is_scored_in_runs(prepared.request.task) && !prepared.request.sequence_length &&
         prepared.label_count == prepared.data.label_count;
}

class Evaluation {
 public:
  Evaluation(const PreparedCase& prepared, const EvaluateRequest& request)
      : prepared_(prepared),
        scores_classes_(request.score && is_scored(prepared)),
        scores_transcripts_(request.score && prepared.vocabulary.has_value()) {
    if (!request.outputs) return;
    is_masked_ = request.outputs->attention_mask;
    collector_.emplace(*request.outputs, prepared.calibration_keys);
  }

  /// One batch at least shows whether the numbers are numbers.
  void look_at(const StagedBatch& batch) {
    std::vector<std::int64_t> keys;
    if (collector_ && !collector_->is_full()) keys = input_keys(batch);
    const bool gives = collector_ && collector_->wants(keys);
    if (!scores() && !gives && has_looked_) return;
    const at::Tensor output = is_masked_ ? prepared_.engine->forward(batch) : prepared_.engine->forward_unmasked(batch);
    has_looked_ = true;
    non_finite_ += output.numel() - at::isfinite(output).sum().item<std::int64_t>();
    if (scores_classes_) score_classes(batch, output);
    if (scores_transcripts_) score_transcripts(batch, output);
    if (gives) collector_->add(batch, keys, output);
  }

  bool is_done() const { return has_looked_ && !scores() && (!collector_ || collector_->is_full()); }

  Evaluated result() {
    Evaluated result;
    result.series.push_back(scalar_series("non_finite_outputs", static_cast<double>(non_finite_)));
    if (accuracy_.labelled > 0) {
      result.series.push_back(scalar_series("correct", static_cast<double>(accuracy_.correct)));
      result.series.push_back(scalar_series("evaluated", static_cast<double>(accuracy_.labelled)));
      add_answers(result.series, std::move(answers_));
    }
    if (!spoken_.empty()) add_spoken(result.series, std::move(spoken_));
    if (collector_) result.outputs = collector_->outputs();
    return result;
  }

 private:
  bool scores() const { return scores_classes_ || scores_transcripts_; }

  // The most likely class of each frame, but for frames of padding.
  void score_transcripts(const StagedBatch& batch, const at::Tensor& output) {
    const at::Tensor classes = output.argmax(-1).to(at::kCPU, at::kLong).contiguous();  // [B, T]
    for (std::size_t row = 0; row < batch.example_index.size(); ++row) {
      const auto place = static_cast<std::int64_t>(row);
      const at::Tensor& mask = batch.inputs.token_mask;
      const std::int64_t frames = mask.defined() ? mask[place].sum().item<std::int64_t>() : batch.sequence_length;
      const std::span<const std::int64_t> ids(classes[place].const_data_ptr<std::int64_t>(),
                                              static_cast<std::size_t>(frames));
      const std::size_t example = batch.example_index[row];
      spoken_.push_back({example, transcript_errors(*prepared_.data.examples[example].transcript,
                                                    prepared_.vocabulary->text_of(ids))});
    }
  }

  void score_classes(const StagedBatch& batch, const at::Tensor& output) {
    const at::Tensor classes = output.argmax(-1);
    const at::Tensor log_probabilities = at::log_softmax(output.to(at::kFloat), -1).cpu();  // [B, classes]
    std::vector<int> predicted;
    std::vector<std::optional<int>> labels;
    for (std::size_t row = 0; row < batch.example_index.size(); ++row) {
      const auto place = static_cast<std::int64_t>(row);
      predicted.push_back(static_cast<int>(classes[place].item<std::int64_t>()));
      labels.push_back(prepared_.data.examples[batch.example_index[row]].label);
      if (!labels.back()) continue;
      const int label = *labels.back();
      answers_.push_back({batch.example_index[row], label, predicted.back(),
                          -static_cast<double>(log_probabilities[place][label].item<float>())});
    }
    accuracy_ += count_correct(predicted, labels);
  }

  const PreparedCase& prepared_;
  bool scores_classes_;
  bool scores_transcripts_;
  bool is_masked_ = true;
  std::optional<OutputCollector> collector_;
  bool has_looked_ = false;
  std::int64_t non_finite_ = 0;
  AccuracyCount accuracy_;
  std::vector<Answer> answers_;
  std::vector<SpokenAnswer> spoken_;
};

}  // namespace

Evaluated evaluate_case(const PreparedCase& prepared, const EvaluateRequest& request, const Clock& clock,
                        const std::function<void(const Evaluating&)>& on_progress) {
  constexpr std::chrono::seconds kProgressPeriod{1};
  Evaluation evaluation(prepared, request);
  Evaluating progress;
  Clock::TimePoint told = clock.now();
  const auto look_at = [&](const StagedBatch& batch) {
    evaluation.look_at(batch);
    progress.evaluated += batch.examples;
    if (clock.now() - told < kProgressPeriod) return;
    on_progress(progress);
    told = clock.now();
  };
  for (const StagedBatch& batch : prepared.batches) progress.total += batch.examples;
  for (const StagedBatch& batch : prepared.batches) {
    if (evaluation.is_done()) break;
    look_at(batch);
  }
  if (request.outputs && prepared.further_batches && !evaluation.is_done()) {
    const std::vector<Batch> further = prepared.further_batches(prepared.data, request.outputs->fewest_inputs);
    for (const Batch& batch : further) progress.total += batch.batch_size;
    for (const Batch& batch : further) {
      if (evaluation.is_done()) break;
      look_at(prepared.engine->stage(batch));
    }
  }
  return evaluation.result();
}

}  // namespace transformeter
