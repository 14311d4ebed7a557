// The columns that tables show of each case, declared once for terminal and Markdown.
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

/// The varying settings (the case's id without any), time with its interval, throughput, accuracy where there is any,
/// peak memory, and the result: "ok, VERDICT" or the status.
std::vector<CaseColumn> case_columns(const AnalyzedRun& run);

/// Memory in detail; no columns but the labels when no case has any.
std::vector<CaseColumn> memory_columns(const AnalyzedRun& run);

/// The heading of a setting's column: "batch", "length", else the setting's name.
std::string axis_heading(std::string_view setting);

/// As format_quantity, with "38.3 per s" for a rate.
std::string quantity_text(double value, std::string_view unit);

/// "26.1 ms ± 1.1 %", "26.1 ms" without an interval, "-" without a value.
std::string value_text(const MetricRow* row);

/// "26.1 ms (25.9 ms to 26.4 ms)", or as value_text.
std::string interval_text(const MetricRow* row);

}  // namespace transformeter
