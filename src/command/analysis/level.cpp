// A t interval says what its standard error was; a percentile, which has none, is resampled.
#include "analysis/level.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "analysis/compare_cases.h"
#include "analysis/metric_change.h"
#include "metrics/case_summary.h"
#include "metrics/slices.h"
#include "stats/replicates.h"
#include "stats/resampled_percentile.h"
#include "stats/student_t.h"

namespace transformeter {
namespace {

constexpr double kP95 = 0.95;
constexpr double kFarthest = 100;  // times the value, or that part of it: as far as an interval is taken to reach

// Each process as one unit where there are enough of them.
std::vector<std::vector<double>> units_of_samples(const Slices& slices, bool& are_processes) {
  std::map<int, std::vector<double>> processes;
  std::vector<std::vector<double>> parts;
  for (const SampleWindow& window : slices.windows) {
    if (window.samples.empty()) continue;
    parts.push_back(window.samples);
    std::vector<double>& all = processes[window.process];
    all.insert(all.end(), window.samples.begin(), window.samples.end());
  }
  are_processes = processes.size() >= kMinReplicatesToCompare;
  if (!are_processes) return parts.size() >= kFewestSlices ? parts : std::vector<std::vector<double>>();
  std::vector<std::vector<double>> units;
  for (auto& [process, samples] : processes) units.push_back(std::move(samples));
  return units;
}

// Bailey (1994), "Polar generation of random variates with the t-distribution", Mathematics of Computation 62.
double draw_t(double freedom, RandomStream& random) {
  constexpr double kAsNormal = 200;
  if (freedom > kAsNormal) return random.normal();
  const double radius = std::sqrt(freedom * std::expm1(-2 / freedom * std::log1p(-random.uniform())));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

}  // namespace

Level level_from_interval(const MetricRow& row) {
  const double freedom = static_cast<double>(row.n) - 1;
  // A lower end at 0 was cut there, and half the length would claim a smaller error than the t interval had. What is
  // made from the inverse of such a rate has no upper end.
  const bool is_whole = row.high && *row.low > 0;
  // Of a median the interval's centre is the mean of the processes' medians, not the value.
  const double centre = is_whole ? (*row.low + *row.high) / 2 : *row.value;
  const double half_width = is_whole    ? (*row.high - *row.low) / 2
                            : !row.high ? *row.value * (*row.value / *row.low - 1)
                                        : *row.high - *row.value;
  const double error = half_width / student_t_quantile(0.975, freedom) / centre;
  return {centre, error, freedom, row.interval == IntervalKind::kBetweenReplicates};
}

std::optional<Level> level_of(const MetricRow& row) {
  if (!row.value || !std::isfinite(*row.value)) return std::nullopt;
  if (is_exact(row) || !(*row.value > 0)) return std::nullopt;
  if (!is_over_slices(row.interval) || row.n < kMinReplicatesToCompare || !row.low) return std::nullopt;
  const double freedom = static_cast<double>(row.n) - 1;
  const double down = *row.low > 0 ? *row.value / *row.low : kFarthest;
  const double up = row.high ? *row.high / *row.value : kFarthest;
  const double reach = std::clamp(std::max(down, up), 1.0, kFarthest);
  const double error = std::log(reach) / student_t_quantile(0.975, freedom);
  return Level{*row.value, error, freedom, row.interval == IntervalKind::kBetweenReplicates, reach == kFarthest};
}

std::optional<ProcessSpread> process_spread(const Level& level) {
  if (!level.is_between_processes || level.is_unbounded || !(level.freedom > 0)) return std::nullopt;
  return ProcessSpread{level.log_error * std::sqrt(level.freedom + 1), level.freedom};
}

std::optional<ProcessSpread> largest_process_spread(const std::vector<Level>& levels) {
  std::optional<ProcessSpread> largest;
  for (const Level& level : levels) {
    const auto spread = process_spread(level);
    if (spread && (!largest || spread->log_stddev > largest->log_stddev)) largest = spread;
  }
  return largest;
}

Level with_process_spread(const Level& level, const ProcessSpread& spread) {
  if (level.is_between_processes) return level;
  const double freedom = level.log_error > 0 ? std::min(level.freedom, spread.freedom) : spread.freedom;
  return {level.value, std::hypot(level.log_error, spread.log_stddev), freedom, false};
}

Quotient quotient_of(const Level& one, const Level& other) {
  const double quotient = one.value / other.value;
  const double from = one.log_error * one.log_error;
  const double to = other.log_error * other.log_error;
  if (!(from + to > 0)) return {quotient, quotient, quotient};
  const double spread = (from > 0 ? from * from / one.freedom : 0) + (to > 0 ? to * to / other.freedom : 0);
  const double freedom = (from + to) * (from + to) / spread;
  const double half_width = student_t_quantile(0.975, freedom) * std::sqrt(from + to);
  return {quotient, quotient * std::exp(-half_width), quotient * std::exp(half_width)};
}

double draw(const Level& level, RandomStream& random) {
  return level.log_error > 0 ? level.value * std::exp(level.log_error * draw_t(level.freedom, random)) : level.value;
}

std::optional<Level> latency_p95_level(const CaseRecord& the_case) {
  const Slices slices = slices_of(the_case);
  bool are_processes = false;
  const std::vector<std::vector<double>> units = units_of_samples(slices, are_processes);
  const auto error = resampled_percentile_error(units, kP95);
  const CaseAnalysis analysis = analysis_of(the_case);
  const MetricRow* p95 = find_metric(analysis.metrics, "latency", "p95");
  if (!error || p95 == nullptr || !p95->value || !(*p95->value > 0)) return std::nullopt;
  const double freedom = static_cast<double>(units.size()) - 1;
  const double log_error = *error / *p95->value;
  const bool is_unbounded = std::exp(student_t_quantile(0.975, freedom) * log_error) >= kFarthest;
  return Level{*p95->value, log_error, freedom, are_processes, is_unbounded};
}

}  // namespace transformeter
