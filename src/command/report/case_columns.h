// The columns of case tables, declared once for terminal and Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyzed_run.h"

namespace transformeter {

struct CaseColumn {
  std::string heading;
  bool is_number = false;          // aligned right
  bool may_be_left_out = false;    // where the width does not allow it
  std::vector<std::string> cells;  // one per case of the run, one line each, not escaped
};

/// Of a run of one scenario: the varying settings (the case's id without any), time with its interval, throughput,
/// accuracy, divergence and MFU where there are any, peak memory, and the result: "ok, VERDICT" or the status. Of
/// requests that make text, times of the first and of each further token, and the rate of the latter.
std::vector<CaseColumn> case_columns(const AnalyzedRun& run);

/// Memory in detail of the cases that are ok, a cell for each of them; no columns but the labels when none has any.
std::vector<CaseColumn> memory_columns(const AnalyzedRun& run);

/// A metric that is a column of a table.
struct MetricHeading {
  const char* metric;
  const char* heading;
};
/// The memory tables' in every form: those with a value in a case that is ok.
std::vector<MetricHeading> memory_metrics(const AnalyzedRun& run);

/// Whether the metric's headline has a value in any case.
bool any_value(const AnalyzedRun& run, const char* metric);

/// The heading of a setting's column: "batch", "length", "prompt", "new tokens", else the setting's name.
std::string axis_heading(std::string_view setting);

/// Whether the unit is one that a column's heading names: "sample/s", "token/s".
bool is_throughput(std::string_view unit);

/// "26.1 ms ± 1.1 %", "26.1 ms" without an interval, "-" without a value.
std::string value_text(const MetricRow* row);

/// "single window", "between slices", "between replicates", "within one process"; "none".
std::string_view interval_kind_text(IntervalKind kind);

/// "25.9 ms to 26.4 ms"; "26.1 ms" where both ends read so.
std::string range_text(double low, double high, std::string_view unit);

/// "26.1 ms (25.9 ms to 26.4 ms)", or as value_text.
std::string interval_text(const MetricRow* row);

}  // namespace transformeter
