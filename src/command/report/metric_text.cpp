// Numbers with the digits that their size deserves, see base/units.h.
#include "report/metric_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/units.h"

namespace transformeter {

bool is_throughput(std::string_view unit) {
  return unit == "sample/s" || unit == "token/s" || unit == "audio s/s" || unit == "batch/s";
}

std::string figure_text(double value, std::string_view unit) {
  return is_throughput(unit) ? format_number(value) : format_quantity(value, unit);
}

std::string with_half_width(const std::string& value, const MetricRow& row) {
  const auto half_width = relative_half_width(row);
  return half_width ? fmt::format("{} {}", value, format_half_width(*half_width)) : value;
}

std::string peak_text(const CaseForecast& forecast) {
  return fmt::format("{}{}", forecast.is_upper_bound && forecast.peak ? "≤ " : "", bytes_text(forecast.peak));
}

std::string bytes_text(const std::optional<double>& bytes) {
  return bytes ? format_bytes(*bytes) : "-";
}

std::string value_text(const MetricRow* row) {
  if (row == nullptr || !row->value || !std::isfinite(*row->value)) return "-";
  return with_half_width(format_quantity(*row->value, row->unit), *row);
}

bool reads_as_one(const MetricRow& row) {
  return figure_text(*row.low, row.unit) == figure_text(*row.high, row.unit);
}

std::string ends_text(const MetricRow& row) {
  const std::string low = figure_text(*row.low, row.unit);
  return reads_as_one(row) ? low : fmt::format("{} to {}", low, figure_text(*row.high, row.unit));
}

std::string range_text(double low, double high, std::string_view unit) {
  const std::string from = format_quantity(low, unit);
  const std::string to = format_quantity(high, unit);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::string_view interval_kind_text(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::kWithinProcess:
      return "within one process";
    case IntervalKind::kBetweenReplicates:
      return "between replicates";
    case IntervalKind::kSingleWindow:
      return "single window";
    case IntervalKind::kBetweenSlices:
      return "between slices";
    case IntervalKind::kBetweenQuads:
      return "between pairs of slices";
    case IntervalKind::kNone:
      break;
  }
  return name_of(kind);
}

std::string axis_heading(std::string_view setting) {
  if (setting == "batch_size") return "batch";
  if (setting == "sequence_length") return "length";
  if (setting == "audio_seconds") return "seconds";
  if (setting == "prompt_length") return "prompt";
  if (setting == "new_tokens") return "new tokens";
  if (setting == "num_beams") return "beams";
  if (setting == "gradient_accumulation") return "accumulation";
  return std::string(setting);
}

}  // namespace transformeter
