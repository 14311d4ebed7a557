// How the value of a metric reads, with its unit and its interval.
#pragma once

#include <string>
#include <string_view>

#include "analysis/analyzed_run.h"
#include "metrics/case_forecast.h"

namespace transformeter {

/// Whether the unit is one that a column's heading names: "sample/s", "token/s", "audio s/s", "batch/s".
bool is_throughput(std::string_view unit);

/// As format_quantity; of a throughput the number alone, since the column's heading names its unit.
std::string figure_text(double value, std::string_view unit);

/// Below a table with such a peak.
inline constexpr const char* kUpperBoundNote = "≤: kernels are still to be tried; with those that take the most memory";

/// "≤ 1.50 GiB" where kernels are still to be tried, "-" without a forecast.
std::string peak_text(const CaseForecast& forecast);

/// "1.50 GiB", "-" without a value.
std::string bytes_text(const std::optional<double>& bytes);

/// "26.1 ms ± 1.1 %", "26.1 ms" without an interval, "-" without a value.
std::string value_text(const MetricRow* row);

/// The value with half its interval's width, where the row has one: "26.1 ms ± 1.1 %".
std::string with_half_width(const std::string& value, const MetricRow& row);

/// The ends of the row's interval, which it must have, as figure_text: "25.9 ms to 26.4 ms"; one of them where both
/// read the same.
std::string ends_text(const MetricRow& row);

/// Whether both ends of the row's interval, which it must have, read the same.
bool reads_as_one(const MetricRow& row);

/// "25.9 ms to 26.4 ms"; "26.1 ms" where both ends read so.
std::string range_text(double low, double high, std::string_view unit);

/// "single window", "between slices", "between replicates", "within one process"; "none".
std::string_view interval_kind_text(IntervalKind kind);

/// The heading of a setting's column: "batch", "length", "prompt", "new tokens", else the setting's name.
std::string axis_heading(std::string_view setting);

}  // namespace transformeter
