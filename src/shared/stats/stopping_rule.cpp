// Looks at a geometric sequence of sample counts.
#include "stats/stopping_rule.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <utility>

#include "base/error.h"
#include "stats/dependence.h"
#include "stats/mean.h"
#include "stats/percentile.h"
#include "stats/steady_state.h"

namespace transformeter {
namespace {

// first · √2^look, rounded: 10, 14, 20, 28, 40, 57, 80, 113
std::size_t look_at(std::size_t first, std::size_t look) {
  return static_cast<std::size_t>(std::llround(static_cast<double>(first) * std::pow(2.0, 0.5 * look)));
}

void check_not_negative(std::string_view what, double value) {
  if (std::isfinite(value) && value >= 0) return;
  throw bad_value(what, fmt::format("{}", value), "a finite number, 0 or more");
}

void check_count(std::string_view what, std::size_t value, std::size_t least) {
  if (value < least) throw bad_value(what, fmt::format("{}", value), fmt::format("{} or more", least));
}

std::optional<Estimate> steady_median(std::span<const double> values) {
  const SteadyState state = find_steady_state(values);
  if (!state.from) return std::nullopt;
  const auto window = values.subspan(*state.from);
  return estimate_median(window, effective_n_of_quantile(window, 0.5));
}

}  // namespace

std::string_view name_of(StopDecision decision) {
  switch (decision) {
    case StopDecision::kContinue:
      return "continue";
    case StopDecision::kTargetMet:
      return "target_met";
    case StopDecision::kLimitReached:
      return "limit_reached";
    case StopDecision::kCountReached:
      return "count_reached";
    case StopDecision::kSliceDone:
      return "slice_done";
  }
  return "continue";
}

StoppingRule::StoppingRule(const StoppingOptions& options, std::size_t batches_per_cycle)
    : options_(options), batches_per_cycle_(batches_per_cycle) {
  check_not_negative("min_time_s", options.min_time_s);
  check_not_negative("target", options.target);
  check_not_negative("limit_s", options.limit_s);
  check_count("min_samples", options.min_samples, 1);
  check_count("min_cycles", options.min_cycles, 2);
  check_count("batches_per_cycle", batches_per_cycle, 1);
  if (options.slice_s) check_not_negative("slice_s", *options.slice_s);
  check_count("slice_samples", options.slice_samples, 1);
  if (options.exact_count) check_count("samples", *options.exact_count, 1);
  next_look_ = batches_per_cycle > 1 ? options.min_cycles : options.min_samples;
}

StopDecision StoppingRule::add(double duration_s, double elapsed_s, std::size_t batch_index) {
  ++samples_;
  bool whole = true;
  if (batches_per_cycle_ == 1) {
    judged_.push_back(duration_s);
  } else {
    cycle_total_ += duration_s;
    ++cycle_samples_;
    whole = batch_index + 1 == batches_per_cycle_;
    if (whole) {
      if (cycle_samples_ == batches_per_cycle_) judged_.push_back(cycle_total_);
      cycle_total_ = 0;
      cycle_samples_ = 0;
    }
  }
  if (options_.exact_count && samples_ >= *options_.exact_count) return StopDecision::kCountReached;
  if (options_.slice_s && !options_.exact_count) {
    const bool done = whole && samples_ >= options_.slice_samples && !(elapsed_s < *options_.slice_s);
    return done ? StopDecision::kSliceDone : StopDecision::kContinue;
  }
  const bool past_limit = !(elapsed_s < options_.limit_s);
  if (options_.hard_limit && past_limit) return StopDecision::kLimitReached;
  if (options_.exact_count || !whole) return StopDecision::kContinue;
  const bool look = time_to_look();
  if (samples_ < options_.min_samples) return StopDecision::kContinue;
  if (batches_per_cycle_ > 1 && judged_.size() < options_.min_cycles) return StopDecision::kContinue;

  if (look && meets_target() && elapsed_s >= options_.min_time_s) return StopDecision::kTargetMet;
  return past_limit ? StopDecision::kLimitReached : StopDecision::kContinue;
}

bool StoppingRule::time_to_look() {
  if (judged_.size() < next_look_) return false;
  const std::size_t first = batches_per_cycle_ > 1 ? options_.min_cycles : options_.min_samples;
  // Small firsts repeat a count after rounding (1, 1, 2).
  while (next_look_ <= judged_.size()) next_look_ = look_at(first, ++looks_);
  return true;
}

bool StoppingRule::meets_target() {
  if (batches_per_cycle_ == 1 && samples_ < options_.target_samples) return false;
  const auto now = estimate();
  const auto width = now ? relative_half_width(*now) : std::nullopt;
  const bool met = width && *width <= options_.target;
  const bool met_before = std::exchange(met_before_, met);
  return met && met_before;
}

std::optional<Estimate> StoppingRule::estimate() const {
  return batches_per_cycle_ > 1 ? estimate_mean(judged_) : steady_median(judged_);
}

}  // namespace transformeter
