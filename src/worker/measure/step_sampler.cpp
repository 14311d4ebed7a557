// The phases' readings lie in one buffer; the bookkeeping comes after the last.
#include "measure/step_sampler.h"

#include "base/stopwatch.h"

namespace transformeter {
namespace {

enum Column : std::size_t {
  kLatency,
  kDataWait,
  kForward,
  kBackward,
  kOptimizer,
  kLoss,
  kNorm,
  kSkipped,
  kUsefulFlops,
  kProcessedFlops,
  kPaddedFlops,
};
constexpr const char* kNames[] = {
    "latency",       "data_wait",    "forward_time",      "backward_time",        "optimizer_time",   "loss",
    "gradient_norm", "skipped_step", "useful_step_flops", "processed_step_flops", "padded_step_flops"};

std::vector<Series> empty_series() {
  std::vector<Series> series;
  for (const char* name : kNames) series.push_back(value_series(name, {}));
  return series;
}

}  // namespace

StepSampler::StepSampler(const Clock& clock, Device& device, TrainingWork work)
    : clock_(clock),
      device_(device),
      work_(std::move(work)),
      origin_(clock.now()),
      has_timers_(device.make_timer() != nullptr),
      series_(empty_series()) {}

void StepSampler::begin_piece() {
  if (has_timers_) {
    if (timers_.size() == pieces_.size()) timers_.push_back(device_.make_timer());
    timers_[pieces_.size()]->start();
  }
  piece_begin_ = clock_.now();
}

void StepSampler::end_piece(StepPhase phase) {
  const Clock::TimePoint now = clock_.now();
  if (has_timers_) timers_[pieces_.size()]->stop();
  pieces_.emplace_back(phase, seconds_between(piece_begin_, now));
}

double StepSampler::total(StepPhase phase) {
  double seconds = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].first == phase) seconds += has_timers_ ? timers_[i]->elapsed_s() : pieces_[i].second;
  }
  return seconds;
}

double StepSampler::do_take(std::size_t, std::uint32_t flags) {
  pieces_.clear();
  const Clock::TimePoint begin = clock_.now();
  work_.take();
  const Clock::TimePoint taken = clock_.now();
  begin_piece();
  const StepResult result = work_.step([this](StepPhase phase) {
    end_piece(phase);
    if (phase != StepPhase::kOptimizer) begin_piece();
  });
  device_.synchronize();
  const Clock::TimePoint end = clock_.now();

  const StepSize size = work_.size();
  Series& latency = series_[kLatency];
  latency.value.push_back(seconds_between(begin, end));
  latency.start_s.push_back(seconds_between(origin_, begin));
  latency.index.push_back(0);
  latency.examples.push_back(size.work.examples);
  latency.useful_tokens.push_back(size.work.useful_tokens);
  latency.processed_tokens.push_back(size.work.processed_tokens);
  latency.flags.push_back(flags);
  series_[kDataWait].value.push_back(seconds_between(begin, taken));
  series_[kForward].value.push_back(total(StepPhase::kForward));
  series_[kBackward].value.push_back(total(StepPhase::kBackward));
  series_[kOptimizer].value.push_back(total(StepPhase::kOptimizer));
  series_[kLoss].value.push_back(result.loss);
  series_[kNorm].value.push_back(result.gradient_norm);
  series_[kSkipped].value.push_back(result.is_skipped ? 1 : 0);
  if (size.flops) {
    series_[kUsefulFlops].value.push_back(size.flops->useful);
    series_[kProcessedFlops].value.push_back(size.flops->processed);
    series_[kPaddedFlops].value.push_back(size.flops->padded);
  }
  return latency.value.back();
}

std::vector<Series> StepSampler::do_drain() {
  std::vector<Series> drained = std::exchange(series_, empty_series());
  // Without a formula there is no such series.
  while (drained.size() > kUsefulFlops && drained.back().value.empty()) drained.pop_back();
  return drained;
}

}  // namespace transformeter
