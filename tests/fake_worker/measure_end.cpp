// Counts in whole cycles, unless an exact count is asked for.
#include "fake_worker/measure_end.h"

#include <algorithm>

namespace transformeter {
namespace {

constexpr std::int64_t kSmallestCount = 10;  // a limit that is not hard stretches to so many samples
constexpr std::int64_t kMinCycles = 6;

StoppingOptions stopping_options(const MeasureRequest& request) {
  StoppingOptions options;
  options.limit_s = request.limit_s;
  options.hard_limit = request.limit_is_hard;
  if (request.slices > 1) options.slice_s = request.limit_s;
  if (request.exactly) options.exact_count = static_cast<std::size_t>(*request.exactly);
  return options;
}

// As many as all slices together are to have, shared out.
std::int64_t samples_of_slice(std::int64_t samples, const MeasureRequest& request) {
  const std::int64_t slice = request.slice % request.slices;
  return std::max<std::int64_t>(1, samples * (slice + 1) / request.slices - samples * slice / request.slices);
}

}  // namespace

MeasureEnd::MeasureEnd(const Behaviour& behaviour, const MeasureRequest& request, std::int64_t batches)
    : request_(request),
      reason_(request.exactly      ? "count_reached"
              : request.slices > 1 ? "slice_done"
                                   : "target_met") {
  if (behaviour.rule) rule_.emplace(stopping_options(request), static_cast<std::size_t>(batches));
  const std::int64_t cycles = request.slices > 1 ? 1 : kMinCycles;
  const std::int64_t count = std::max(samples_of_slice(behaviour.samples, request), batches > 1 ? cycles * batches : 1);
  wanted_ = request.exactly.value_or((count + batches - 1) / batches * batches);
}

bool MeasureEnd::reached(double time_s) {
  if (rule_) return rule_stopped_;
  if (samples_ >= wanted_) return true;
  if (request_.slices > 1 && !request_.limit_is_hard) return false;
  const bool may_stop = request_.limit_is_hard || (!request_.exactly && samples_ >= kSmallestCount);
  if (!may_stop || time_s < request_.limit_s) return false;
  reason_ = "limit_reached";
  return true;
}

void MeasureEnd::add(double seconds, double time_s, std::int64_t position) {
  ++samples_;
  if (!rule_) return;
  const StopDecision decision = rule_->add(seconds, time_s, static_cast<std::size_t>(position));
  rule_stopped_ = decision != StopDecision::kContinue;
  reason_ = name_of(decision);
}

}  // namespace transformeter
