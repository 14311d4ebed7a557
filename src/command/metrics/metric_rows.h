// Builds rows, so that units, counts and reasons are set in one place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"
#include "stats/estimate.h"

namespace transformeter {

inline constexpr std::string_view kTooFewSamples = "too_few_samples";
inline constexpr std::string_view kHeavyTail = "heavy tail: one sample makes up more than a tenth of the variance";
inline constexpr std::string_view kNotAvailable = "not_available_here";
inline constexpr std::string_view kOverInputs = "distribution over inputs";
inline constexpr std::string_view kOneNumberEach = "an interval needs 3 replicates";

/// What a row is about. The unit comes from the declared metric.
struct RowTitle {
  std::string_view metric;
  std::string_view statistic;
  std::string_view provenance = "measured";
};

MetricRow missing_row(const RowTitle& title, std::string_view reason);

/// One estimate, its interval named `kind`; `no_interval` says why there is none, where a reader would expect one. A
/// value that is not finite makes a missing row.
MetricRow estimate_row(const RowTitle& title, const Estimate& estimate, IntervalKind kind,
                       std::string_view no_interval = "");

/// What combining needs to know of the slice.
void set_slice(Estimate& estimate, const SampleWindow& window);

/// The estimates of the slices as one row (stats/replicates.h); a missing row without any. `reason` says why there is
/// no interval; where it would be too few samples, a heavy tail is named instead.
MetricRow replicated_row(const RowTitle& title, const std::vector<Estimate>& slices, std::string_view reason);

}  // namespace transformeter
