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
  std::string reason;  // why there is no ratio, no interval where one is needed, or why it is doubted; empty: none
};

/// Of the headline where `statistic` is empty. The headline time has the interval of `speed`, other metrics that of
/// quotient_of, from three replicates on; is_exact needs none. `pair` has both sides.
MetricChange change_of(const CasePair& pair, const SpeedComparison& speed, std::string_view metric,
                       std::string_view statistic);

/// Whether it is the same in each run of a case, such as FLOPs, the size of weights, and scores of the same texts.
bool is_exact(const MetricRow& row);

/// Why the row of that case is doubtful; empty: it is not. What disturbs times says nothing of memory.
std::string why_row_doubted(const AnalyzedCase& one, const MetricRow& row);

/// Of a case without a value of it: "b8 after has no accuracy: seeded random weights have no accuracy".
std::string why_missing(const AnalyzedCase& one, std::string_view metric, std::string_view statistic);

}  // namespace transformeter
