// One pass over the batches that anything is asked of.
#include "measure/evaluation.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/log_softmax.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "measure/output_collector.h"
#include "tasks/accuracy.h"

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

bool is_scored(const PreparedCase& prepared) {
  return prepared.trained_weights && is_scored_in_runs(prepared.request.task) && !prepared.request.sequence_length &&
         prepared.label_count == prepared.data.label_count;
}

class Evaluation {
 public:
  Evaluation(const PreparedCase& prepared, const EvaluateRequest& request)
      : prepared_(prepared), scores_(request.score && is_scored(prepared)) {
    if (!request.outputs) return;
    is_masked_ = request.outputs->attention_mask;
    collector_.emplace(*request.outputs, prepared.calibration_keys);
  }

  /// One batch at least shows whether the numbers are numbers.
  void look_at(const StagedBatch& batch) {
    std::vector<std::int64_t> keys;
    if (collector_ && !collector_->is_full()) keys = input_keys(batch);
    const bool gives = collector_ && collector_->wants(keys);
    if (!scores_ && !gives && has_looked_) return;
    const at::Tensor output = is_masked_ ? prepared_.engine->forward(batch) : prepared_.engine->forward_unmasked(batch);
    has_looked_ = true;
    non_finite_ += output.numel() - at::isfinite(output).sum().item<std::int64_t>();
    if (scores_) score(batch, output);
    if (gives) collector_->add(batch, keys, output);
  }

  bool is_done() const { return has_looked_ && !scores_ && (!collector_ || collector_->is_full()); }

  Evaluated result() {
    Evaluated result;
    result.series.push_back(scalar_series("non_finite_outputs", static_cast<double>(non_finite_)));
    if (accuracy_.labelled > 0) {
      result.series.push_back(scalar_series("correct", static_cast<double>(accuracy_.correct)));
      result.series.push_back(scalar_series("evaluated", static_cast<double>(accuracy_.labelled)));
      add_answers(result.series, std::move(answers_));
    }
    if (collector_) result.outputs = collector_->outputs();
    return result;
  }

 private:
  void score(const StagedBatch& batch, const at::Tensor& output) {
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
  bool scores_;
  bool is_masked_ = true;
  std::optional<OutputCollector> collector_;
  bool has_looked_ = false;
  std::int64_t non_finite_ = 0;
  AccuracyCount accuracy_;
  std::vector<Answer> answers_;
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
