// Whether one stored case is faster than another of the same workload.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/analyzed_run.h"

namespace transformeter {

enum class SpeedAnswer { kFaster, kSlower, kSame, kUndecided };

/// "faster", "slower", "same", "undecided".
std::string_view name_of(SpeedAnswer answer);

/// A change below this share of the baseline's time counts as none.
inline constexpr double kNoiseThreshold = 0.01;
/// Replicates a stored case needs before it can be compared: fewer hold too little between-process variance.
inline constexpr std::size_t kMinReplicatesToCompare = 3;

/// A value of the baseline ÷ the candidate's, with its 95 % interval.
struct Quotient {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// From two rows whose values are positive and whose intervals are t intervals over replicates: the difference of the
/// logarithms, each with the standard error that its interval implies, on Welch's degrees of freedom. Replicates are
/// not paired by index: docs/metrics.md says why.
Quotient quotient_of(const MetricRow& baseline, const MetricRow& candidate);

/// Why the row, of the case `one`, cannot be part of a quotient: no positive value (of `what`), fewer than three
/// replicates, or fewer of them with a value; empty when it can.
std::string why_no_quotient(const MetricRow* row, const AnalyzedCase& one, std::string_view what);

/// "doubtful (drift, foreign_load)"; empty for a valid case.
std::string doubt_text(const AnalyzedCase& one);

/// "LABEL is doubtful (drift, foreign_load)"; empty for a valid case.
std::string why_doubted(const AnalyzedCase& one);

/// Why two cases cannot be compared: one is not ok, or their workloads differ, naming the difference ("the workloads
/// differ: batch_size 1 vs. 8"). Empty when they can.
std::string why_no_pair(const AnalyzedCase& baseline, const AnalyzedCase& candidate);

struct SpeedComparison {
  std::optional<Quotient> speed_up;              // time of the baseline ÷ time of the candidate
  SpeedAnswer answer = SpeedAnswer::kUndecided;  // what the candidate is, seen from the baseline
  std::string reason;                            // why it is undecided
};

/// `faster` and `slower` need the interval beyond 1 and the quotient beyond the noise threshold; `same` an interval
/// inside ± the threshold. Undecided, with the reason: below three replicates, for invalid cases, those not of one
/// workload and those without times there are no figures; of doubtful cases there are.
SpeedComparison compare_times(const AnalyzedCase& baseline, const AnalyzedCase& candidate);

}  // namespace transformeter
