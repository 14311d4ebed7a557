// Warm-up over the cycle, the measuring window, and the evaluation of outputs.
#include "worker/batch_measurement.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <utility>

#include "data/accuracy.h"
#include "device/runtime.h"
#include "engine/kernel_probe.h"
#include "worker/measuring_window.h"

namespace transformeter {
namespace {

constexpr double kLongestAutoWarmupS = 2;

struct Answer {
  std::size_t example = 0;  // in the data set
  int label = 0;
  int predicted = 0;
};

// Batches may hold the examples in any order; the data set's makes answers comparable between cases.
void add_answers(std::vector<Series>& series, std::vector<Answer> answers) {
  std::sort(answers.begin(), answers.end(), [](const Answer& a, const Answer& b) { return a.example < b.example; });
  std::vector<double> labels;
  std::vector<double> predicted;
  for (const Answer& answer : answers) {
    labels.push_back(answer.label);
    predicted.push_back(answer.predicted);
  }
  series.push_back(value_series("true_class", std::move(labels)));
  series.push_back(value_series("predicted_class", std::move(predicted)));
}

}  // namespace

BatchMeasurement::BatchMeasurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock)
    : case_(std::move(prepared)), request_(request), clock_(clock) {}

std::vector<WorkSize> BatchMeasurement::sizes() const {
  std::vector<WorkSize> sizes;
  for (const StagedBatch& batch : cycle()) {
    sizes.push_back({batch.examples, batch.useful_tokens, batch.processed_tokens});
  }
  return sizes;
}

Warmed BatchMeasurement::warm(const WarmRequest& request) {
  Sampler sampler(
      clock_, [this](std::size_t index) { output_ = case_.engine->run(cycle()[index]); }, sizes());
  Warmed warmed;
  double first_s = 0;
  {
    const KernelProbe probe;
    first_s = sampler.take(0, kSampleWarmup | kSampleFirst);
    warmed.series.push_back(cold_start(request_, clock_.now()));
    warmed.effective["attention_kernel"] = attention_kernel_of(case_, probe);
    warmed.series.push_back(scalar_series("first_forward", first_s));
  }
  warmed.effective["precision"] = precision_name(output_.scalar_type());
  warmed.effective["device"] = output_.device().str();

  // Auto: a second pass, and with several batches as much of one cycle as fits, because each new shape pays once for
  // what the libraries prepare.
  const auto cycle_batches = static_cast<std::int64_t>(case_.batches.size());
  const std::int64_t passes =
      std::max<std::int64_t>(request.count.value_or(std::max<std::int64_t>(cycle_batches, 2)), 1);
  double spent_s = first_s;
  std::int64_t tokens = 0;
  for (std::int64_t pass = 1; pass < passes; ++pass) {
    if (!request.count && pass >= 2 && spent_s > kLongestAutoWarmupS) break;
    const auto index = static_cast<std::size_t>(pass % cycle_batches);
    spent_s += sampler.take(index, kSampleWarmup);
    tokens += case_.batches[index].processed_tokens;
  }
  // The first pass is left out of the forecast where there is another.
  const double counted_s = tokens > 0 ? spent_s - first_s : first_s;
  if (tokens == 0) tokens = case_.batches.front().processed_tokens;
  std::int64_t all_tokens = 0;
  for (const StagedBatch& batch : case_.batches) all_tokens += batch.processed_tokens;
  warmed.cycle_forecast_s = counted_s * static_cast<double>(all_tokens) / static_cast<double>(tokens);
  warmed.cycle_batches = cycle_batches;
  for (Series& series : before_measuring(sampler.drain())) warmed.series.push_back(std::move(series));
  return warmed;
}

std::vector<Series> BatchMeasurement::cut_cycle(std::int64_t examples) {
  CycleOptions options = case_.source.options;
  options.cut_examples = examples;
  const Cycle cut = build_cycle(case_.source.order, case_.source.encodings, case_.source.frame, options);
  cut_.clear();
  for (const Batch& batch : cut.batches) cut_.push_back(case_.engine->stage(batch));
  Sampler sampler(
      clock_, [this](std::size_t index) { output_ = case_.engine->run(cut_[index]); }, sizes());
  for (std::size_t index = 0; index < cut_.size(); ++index) sampler.take(index, kSampleWarmup);
  return before_measuring(sampler.drain());
}

Measured BatchMeasurement::measure(const MeasureRequest& request, const BlockSink& sink) {
  if (request.cycle_examples && *request.cycle_examples < static_cast<std::int64_t>(case_.source.order.size())) {
    sink(cut_cycle(*request.cycle_examples));
  }
  Sampler sampler(
      clock_, [this](std::size_t index) { output_ = case_.engine->run(cycle()[index]); }, sizes());
  Sampler nothing(clock_, [](std::size_t) {}, {WorkSize{}});
  output_ = at::Tensor();
  Measured measured = measure_window({sampler, nothing}, {*case_.device, request_, clock_}, request, sink);
  measured.effective["cycle_batches"] = cycle().size();
  return measured;
}

bool BatchMeasurement::is_scored() const {
  return case_.trained_weights && case_.request.task == "sequence_classification" && !case_.request.sequence_length &&
         case_.label_count == case_.data.label_count;
}

Evaluated BatchMeasurement::evaluate(const EvaluateRequest& request,
                                     const std::function<void(const Evaluating&)>& on_progress) {
  constexpr std::chrono::seconds kProgressPeriod{1};
  std::int64_t non_finite = 0;
  AccuracyCount accuracy;
  std::vector<Answer> answers;
  Evaluating progress;
  for (const StagedBatch& batch : case_.batches) progress.total += batch.examples;
  Clock::TimePoint told = clock_.now();
  for (const StagedBatch& batch : case_.batches) {
    const at::Tensor output = case_.engine->run(batch);
    non_finite += output.numel() - at::isfinite(output).sum().item<std::int64_t>();
    if (!request.score || !is_scored()) break;  // one batch shows whether the numbers are numbers
    const at::Tensor classes = output.argmax(-1);
    std::vector<int> predicted;
    std::vector<std::optional<int>> labels;
    for (std::size_t row = 0; row < batch.example_index.size(); ++row) {
      predicted.push_back(static_cast<int>(classes[static_cast<std::int64_t>(row)].item<std::int64_t>()));
      labels.push_back(case_.data.examples[batch.example_index[row]].label);
      if (labels.back()) answers.push_back({batch.example_index[row], *labels.back(), predicted.back()});
    }
    accuracy += count_correct(predicted, labels);
    progress.evaluated += batch.examples;
    if (clock_.now() - told >= kProgressPeriod) {
      on_progress(progress);
      told = clock_.now();
    }
  }
  Evaluated result;
  result.series.push_back(scalar_series("non_finite_outputs", static_cast<double>(non_finite)));
  if (accuracy.labelled > 0) {
    result.series.push_back(scalar_series("correct", static_cast<double>(accuracy.correct)));
    result.series.push_back(scalar_series("evaluated", static_cast<double>(accuracy.labelled)));
    add_answers(result.series, std::move(answers));
  }
  return result;
}

}  // namespace transformeter
