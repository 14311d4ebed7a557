// Where the true level of a figure may lie, and draws of it.
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "metrics/case_metrics.h"
#include "metrics/quads.h"

namespace transformeter {

/// A figure that is exact, or one above 0 whose logarithm is known up to Student's t.
struct Level {
  double value = 0;
  double log_error = 0;              // standard error of the logarithm; 0: exact
  double freedom = 0;                // degrees of freedom of that error
  bool is_between_processes = true;  // its error holds what differs between processes, or there is none
  bool is_unbounded = false;         // its interval has no end above 0, or none at all: its error is a bound, no figure
};

/// The centre of the t interval of a row with a value above 0 and n ≥ 2, and the error that it implies (delta method),
/// for differences of well known levels. The upper end may be missing where the lower one is above 0; the value is then
/// the centre, as it is where the lower end was cut at 0.
Level level_from_interval(const MetricRow& row);

/// Of a row with an interval over three or more replicates, or over slices of fewer processes; the error is that of the
/// larger side on the logarithm, so that draws reach as far as the interval does, a hundredfold at most: one that
/// reaches 0 excludes nothing. Nothing for any other interval, for a value not above 0, and for a row that is_exact:
/// replicates score the same texts again, and tell nothing of how the score differs on others.
std::optional<Level> level_of(const MetricRow& row);

/// How far processes lie apart: the standard deviation of the logarithm, known up to Student's t.
struct ProcessSpread {
  double log_stddev = 0;
  double freedom = 0;
};

/// Nothing for a level that is not between processes, or unbounded.
std::optional<ProcessSpread> process_spread(const Level& level);

/// The largest spread among levels between processes, 0 where all are alike; nothing without such a level.
std::optional<ProcessSpread> largest_process_spread(const std::vector<Level>& levels);

/// A level of fewer than three processes, widened as if it were one process of that spread; any other is returned
/// unchanged.
Level with_process_spread(const Level& level, const ProcessSpread& spread);

/// The first ÷ the second, with a 95 % interval on Welch's degrees of freedom (1947).
Quotient quotient_of(const Level& one, const Level& other);

/// A draw of where it may lie: value · exp(t · error), t of Student's distribution.
double draw(const Level& level, RandomStream& random);

/// Where the p95 latency of a case may lie, from its samples drawn again by processes, or by slices of fewer than three
/// processes; nothing for fewer of these than an interval needs. The case must hold its series.
std::optional<Level> latency_p95_level(const CaseRecord& the_case);

}  // namespace transformeter
