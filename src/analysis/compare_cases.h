// Whether one stored case is faster than another of the same workload.
#pragma once

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

struct SpeedComparison {
  std::optional<double> speed_up;  // time of the baseline ÷ time of the candidate
  std::optional<double> low;       // of the 95 % interval
  std::optional<double> high;
  SpeedAnswer answer = SpeedAnswer::kUndecided;  // what the candidate is, seen from the baseline
  std::string reason;                            // why it is undecided
};

/// The quotient's interval: the difference of the logarithms of both times, each with the standard error that its t
/// interval over replicates implies, on Welch's degrees of freedom. `faster` and `slower` need the interval beyond 1
/// and the quotient beyond the noise threshold; `same` an interval inside ± the threshold. Undecided, with the reason,
/// below three replicates, for cases that are not valid or not of one workload, and without times.
SpeedComparison compare_times(const AnalyzedCase& baseline, const AnalyzedCase& candidate);

}  // namespace transformeter
