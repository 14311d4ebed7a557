// n = (z_0.95 + z_0.9)² · (s₁² + s₂²) ÷ d², of logarithms: the sample size of a one-sided test of two means.
#include "analysis/next_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/compare_cases.h"
#include "analysis/metric_change.h"
#include "base/units.h"
#include "metrics/quads.h"
#include "stats/student_t.h"

namespace transformeter {
namespace {

constexpr double kRivalShare = 0.05;
constexpr double kPower = 0.9;

std::vector<std::size_t> open_cases(const CaseChoice& choice) {
  std::vector<std::size_t> places{0};
  for (std::size_t i = 1; i < choice.cases.size(); ++i) {
    const bool is_rival = choice.cases[i].win_share.value_or(0) >= kRivalShare;
    if (is_rival || choice.runner_up == i) places.push_back(i);
  }
  return places;
}

// Of one process, on the logarithm; nothing where no interval over processes tells it.
std::optional<double> process_variance(const std::optional<Level>& level) {
  if (!level || !level->is_between_processes) return std::nullopt;
  return level->log_error * level->log_error * (level->freedom + 1);
}

double replicates_for(double variance, double log_distance) {
  const double quantiles = normal_quantile(kDecidedConfidence) + normal_quantile(kPower);
  return quantiles * quantiles * variance / (log_distance * log_distance);
}

// Of the first case's limits the one that needs most; 0 where none is in question.
double replicates_for_limits(const JudgedCase& first) {
  double most = 0;
  for (const LimitCheck& check : first.limits) {
    const auto variance = process_variance(check.level);
    if (!variance || !(*variance > 0)) continue;
    const double distance = std::log(*check.row.value / check.limit.bound);
    if (distance != 0) most = std::max(most, replicates_for(*variance, distance));
  }
  return most;
}

// More than there are, since so many did not decide it.
void set_replicates(NextMeasurement& next, double needed, double measured, const std::string& why) {
  constexpr double kMost = 1000;  // what --replicates takes
  if (needed > kMost) {
    next.why = fmt::format("nothing: {} replicates would not find {} nine times out of ten; take either", kMost, why);
    return;
  }
  const auto fewest = static_cast<double>(kMinReplicatesToCompare);
  next.replicates = static_cast<std::size_t>(std::ceil(std::max({needed, fewest, measured + 1})));
  next.why = fmt::format("{} replicates of each would find {} nine times out of ten", *next.replicates, why);
}

}  // namespace

std::optional<NextMeasurement> next_measurement(const CaseChoice& choice, const ChoiceOptions& options) {
  if (choice.state != ChoiceState::kUndecided) return std::nullopt;
  NextMeasurement next;
  next.cases = open_cases(choice);
  const JudgedCase& first = choice.cases.front();
  const MetricRow& best = first.figure(options.objective);
  double needed = replicates_for_limits(first);
  std::string why = "on which side of the limit it is";
  if (!choice.doubts.empty() && choice.confidence.value_or(0) >= kDecidedConfidence) {
    next.replicates = kReplicatesForUnknownSpread;
    next.why = "the figures are doubtful: measure again once their causes are gone";
    return next;
  }
  if (choice.runner_up && !is_exact(best)) {
    const MetricRow& other = choice.cases[*choice.runner_up].figure(options.objective);
    const auto level = level_of(best);
    const auto other_level = level_of(other);
    const auto variance = process_variance(level);
    const auto other_variance = process_variance(other_level);
    if (!variance || !other_variance) {
      next.replicates = kReplicatesForUnknownSpread;
      next.why = fmt::format("{} replicates of each, to show how much processes differ", *next.replicates);
      return next;
    }
    if (answer_of(quotient_of(*level, *other_level)) == SpeedAnswer::kSame && needed == 0) {
      next.why = "nothing: they differ by less than counts as a difference; take either";
      return next;
    }
    // Less does not count as a difference.
    const double distance = std::max(std::abs(std::log(*best.value / *other.value)), std::log1p(kNoiseThreshold));
    why = fmt::format("a difference of {} %", format_number(100 * std::expm1(distance)));
    needed = std::max(needed, replicates_for(*variance + *other_variance, distance));
  }
  if (needed == 0) return std::nullopt;
  const auto level = level_of(best);
  set_replicates(next, needed, level ? level->freedom + 1 : 0, why);
  return next;
}

}  // namespace transformeter
