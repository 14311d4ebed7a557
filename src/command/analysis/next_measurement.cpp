// n = (z_0.95 + z_0.9)² · (s₁² + s₂²) ÷ d², of logarithms: the sample size of a one-sided test of two means.
#include "analysis/next_measurement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "analysis/compare_cases.h"
#include "base/units.h"
#include "metrics/metric_rows.h"
#include "metrics/quads.h"
#include "stats/percentile.h"
#include "stats/student_t.h"

namespace transformeter {
namespace {

constexpr double kPower = 0.9;

// Another process may be elsewhere, and nothing tells how far. Without a rival the objective is in no question.
bool lacks_processes(const JudgedCase& one, const CaseChoice& choice, const ChoiceOptions& options) {
  const auto level = level_of(one.figure(options.objective));
  const bool is_compared = choice.runner_up.has_value() && !is_score(options.objective);
  return (is_compared && (!level || !level->is_between_processes || level->is_unbounded)) ||
         std::any_of(one.limits.begin(), one.limits.end(),
                     [](const LimitCheck& check) { return check.is_unknown_between_processes(); });
}

// The choice and what may be the best in its place. Others that were measured in too few processes wait until these
// have shown how far processes lie apart.
std::vector<std::size_t> open_cases(const CaseChoice& choice) {
  std::vector<std::size_t> places{0};
  for (std::size_t i = 1; i < choice.cases.size(); ++i) {
    const JudgedCase& one = choice.cases[i];
    if (one.win_share.value_or(0) >= kRivalShare || choice.runner_up == i) places.push_back(i);
  }
  return places;
}

// Of one process, on the logarithm; nothing where no interval over processes tells it.
std::optional<double> process_variance(const std::optional<Level>& level) {
  const auto spread = level ? process_spread(*level) : std::nullopt;
  if (!spread) return std::nullopt;
  return spread->log_stddev * spread->log_stddev;
}

double replicates_for(double variance, double log_distance) {
  const double quantiles = normal_quantile(kDecidedConfidence) + normal_quantile(kPower);
  return quantiles * quantiles * variance / (log_distance * log_distance);
}

// What a question needs.
struct Need {
  double replicates = 0;  // 0: it is not in question
  double measured = 0;    // replicates that there are
  std::string what;       // "a difference of 2.4 %"
};

// On which side of its limits each case is; the question that needs most.
Need need_of_limits(const CaseChoice& choice, const std::vector<std::size_t>& places) {
  Need most;
  for (const std::size_t place : places) {
    const JudgedCase& one = choice.cases[place];
    for (const LimitCheck& check : one.limits) {
      const auto variance = process_variance(check.level);
      if (!variance || !(*variance > 0)) continue;
      const double needed = replicates_for(*variance, std::log(*check.row.value / check.limit.bound));
      if (needed <= most.replicates) continue;
      most = {
          needed, check.level->freedom + 1,
          fmt::format("on which side of the limit on {} {} is", name_of(check.limit.kind), one.candidate.one->label)};
    }
  }
  return most;
}

// Both with levels over processes; differences below the threshold do not count.
Need need_of_difference(const Level& first, const Level& other) {
  const double distance = std::max(std::abs(std::log(first.value / other.value)), std::log1p(kNoiseThreshold));
  return {replicates_for(*process_variance(first) + *process_variance(other), distance),
          std::max(first.freedom, other.freedom) + 1,
          fmt::format("a difference of {} %", format_number(100 * std::expm1(distance)))};
}

// Those with samples: neither crashed nor failed.
std::size_t good_replicates(const AnalyzedCase& one) {
  const std::vector<ReplicateRecord>& all = one.record->replicates;
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const ReplicateRecord& each) { return each.status == Status::kOk; }));
}

std::size_t most_replicates(const CaseChoice& choice, const std::vector<std::size_t>& places) {
  std::size_t most = 0;
  for (const std::size_t place : places) {
    most = std::max(most, good_replicates(*choice.cases[place].candidate.one));
  }
  return most;
}

// Processes needed for the samples of a p95, if further ones give as many as these did; correlated samples need more.
std::size_t replicates_for_p95(const AnalyzedCase& one) {
  const MetricRow* least = find_metric(one.analysis.metrics, "latency", "min");
  if (least == nullptr || least->n == 0) return 0;
  const std::size_t processes = good_replicates(one);
  return (min_samples_for_percentile(0.95) * processes + least->n - 1) / least->n;
}

// Among the cases that have all figures the choice is made.
bool is_open_for_unknown_alone(const CaseChoice& choice) {
  const bool is_sure = choice.confidence.value_or(choice.runner_up ? 0 : 1) >= kDecidedConfidence;
  return !choice.unknown_rivals.empty() && is_sure && !choice.covers_one_process && choice.doubts.empty();
}

void wait_for_doubts(NextMeasurement& next) {
  next.replicates = kReplicatesForUnknownSpread;
  next.why = "the figures are doubtful: measure again once their causes are gone";
  next.is_for_doubts = true;
}

// More than there are, since so many did not decide it.
void set_replicates(NextMeasurement& next, const Need& need, bool is_doubtful) {
  constexpr double kMost = 1000;  // what --replicates takes
  if (need.replicates > kMost && is_doubtful) return wait_for_doubts(next);
  if (need.replicates > kMost) {
    next.why = fmt::format("nothing: {} replicates would not find {} nine times out of ten", kMost, need.what);
    return;
  }
  const auto fewest = static_cast<double>(kMinReplicatesToCompare);
  next.replicates = static_cast<std::size_t>(std::ceil(std::max({need.replicates, fewest, need.measured + 1})));
  next.why = fmt::format("{} replicates of each would find {} nine times out of ten", *next.replicates, need.what);
}

}  // namespace

std::size_t replicates_for_unknown(const CaseChoice& choice, const std::vector<std::size_t>& places) {
  return std::max(kReplicatesForUnknownSpread, most_replicates(choice, places) + 1);
}

std::optional<NextMeasurement> next_measurement(const CaseChoice& choice, const ChoiceOptions& options) {
  if (choice.state != ChoiceState::kUndecided) return std::nullopt;
  NextMeasurement next;
  next.cases = open_cases(choice);
  std::optional<NextMeasurement> with_unknown = next;
  if (add_unknown_rivals(choice, with_unknown)) return with_unknown;
  if (is_open_for_unknown_alone(choice)) {
    next.why = fmt::format("nothing: more processes do not give what is missing of {}",
                           choice.cases[choice.unknown_rivals.front()].candidate.one->label);
    return next;
  }
  const bool lacks = std::any_of(next.cases.begin(), next.cases.end(), [&](std::size_t place) {
    return lacks_processes(choice.cases[place], choice, options);
  });
  if (lacks) {
    next.replicates = replicates_for_unknown(choice, next.cases);
    next.why = fmt::format("{} replicates of each, to show how much processes differ", *next.replicates);
    return next;
  }
  if (!choice.doubts.empty() && choice.confidence.value_or(0) >= kDecidedConfidence) {
    wait_for_doubts(next);
    return next;
  }
  Need need = need_of_limits(choice, next.cases);
  if (choice.runner_up && is_score(options.objective)) {
    if (need.replicates <= need.measured) {
      next.why = "nothing: replicates score the same texts again; only more texts can tell the cases apart";
      return next;
    }
  } else if (choice.runner_up) {
    const auto first = level_of(choice.cases.front().figure(options.objective));
    const auto other = level_of(choice.cases[*choice.runner_up].figure(options.objective));
    const bool is_same = answer_of(quotient_of(*first, *other)) == SpeedAnswer::kSame;
    if (is_same && need.replicates <= need.measured) {
      next.why = "nothing: they differ by less than counts as a difference; take either";
      return next;
    }
    const Need difference = need_of_difference(*first, *other);
    if (!is_same && difference.replicates > need.replicates) need = difference;
  }
  if (need.replicates == 0) return std::nullopt;
  set_replicates(next, need, !choice.doubts.empty());
  return next;
}

bool add_unknown_rivals(const CaseChoice& choice, std::optional<NextMeasurement>& next) {
  std::vector<std::size_t> places;
  std::vector<std::string> labels;
  for (const std::size_t place : choice.unknown_rivals) {
    const JudgedCase& one = choice.cases[place];
    const bool helps = std::all_of(one.limits.begin(), one.limits.end(), [](const LimitCheck& check) {
      return check.row.value || check.is_for_more_samples;
    });
    if (!helps) continue;
    places.push_back(place);
    labels.push_back(one.candidate.one->label);
  }
  if (places.empty()) return false;
  if (!next) next.emplace();
  const std::size_t fewest = next->replicates.value_or(0);
  next->cases.insert(next->cases.end(), places.begin(), places.end());
  std::size_t needed = std::max(kReplicatesForUnknownSpread, 2 * most_replicates(choice, places));
  for (const std::size_t place : places)
    needed = std::max(needed, replicates_for_p95(*choice.cases[place].candidate.one));
  next->replicates = std::max(fewest, needed);
  const std::string before = next->why.empty() ? "" : next->why + "; ";
  next->why = fmt::format("{}{} replicates of each, towards a p95 of {}, which has too few samples", before,
                          *next->replicates, fmt::join(labels, ", "));
  return true;
}

}  // namespace transformeter
