// How a metric changed between two stored cases, and how sure that is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/case_pairs.h"
#include "analysis/compare_cases.h"

namespace transformeter {

struct MetricChange {
  std::optional<MetricRow> before;  // with a value
  std::optional<MetricRow> after;
  std::optional<Quotient> ratio;  // after ÷ before; without an interval both ends are the value
  bool has_interval = false;
  std::string reason;  // why there is no ratio, or no interval where one is needed
};

/// Of the headline where `statistic` is empty. Times, and rates of the same work, have the interval of `speed`; other
/// metrics the one of quotient_of, from three replicates on. `pair` has both sides.
MetricChange change_of(const CasePair& pair, const SpeedComparison& speed, std::string_view metric,
                       std::string_view statistic);

/// Whether it does not vary from run to run, or hardly, such as accuracy and memory: needs no interval.
bool is_exact(const MetricRow& row);

/// Of a case without a value of it: "b8 after has no accuracy: seeded random weights have no accuracy".
std::string why_missing(const AnalyzedCase& one, std::string_view metric, std::string_view statistic);

}  // namespace transformeter
