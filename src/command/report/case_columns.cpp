// From metric rows to cells.
#include "report/case_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/case_label.h"
#include "analysis/training_finding.h"
#include "base/units.h"
#include "metrics/scenario_type.h"
#include "report/display_text.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

using CellText = std::function<std::string(const AnalyzedCase&)>;

CaseColumn column_of(const AnalyzedRun& run, std::string heading, const CellText& text) {
  CaseColumn column;
  column.heading = std::move(heading);
  for (const AnalyzedCase& one : run.cases) column.cells.push_back(one_line(text(one)));
  return column;
}

std::string with_half_width(const std::string& value, const MetricRow& row) {
  const auto half_width = relative_half_width(row);
  if (!half_width) return value;
  return fmt::format("{} {}", value, format_half_width(*half_width));
}

CaseColumn metric_column(const AnalyzedRun& run, std::string heading, const char* metric) {
  CaseColumn column = column_of(run, std::move(heading), [&](const AnalyzedCase& one) {
    const MetricRow* row = shown_metric(one, metric);
    if (row == nullptr || !row->value || !std::isfinite(*row->value)) return std::string("-");
    return row->unit == "bytes" ? format_bytes(*row->value) : format_number(*row->value);
  });
  column.is_number = true;
  return column;
}

// A rate with its interval; the heading has the unit.
CaseColumn rate_column(const AnalyzedRun& run, std::string heading, const char* metric) {
  CaseColumn column = column_of(run, std::move(heading), [&](const AnalyzedCase& one) {
    const MetricRow* row = shown_metric(one, metric);
    if (row == nullptr || !row->value || !std::isfinite(*row->value)) return std::string("-");
    return with_half_width(format_number(*row->value), *row);
  });
  column.is_number = true;
  return column;
}

bool has_value(const AnalyzedCase& one, const char* metric) {
  const MetricRow* row = shown_metric(one, metric);
  return row != nullptr && row->value;
}

bool is_cycle(const AnalyzedCase& one) {
  const MetricRow* time = headline_time(one);
  return time != nullptr && time->name == "cycle_time";
}

CaseColumn time_column(const AnalyzedRun& run) {
  const auto cycles = static_cast<std::size_t>(std::count_if(run.cases.begin(), run.cases.end(), is_cycle));
  const bool is_mixed = cycles > 0 && cycles < run.cases.size();
  const char* heading = cycles == 0 ? "median latency" : is_mixed ? "latency or cycle" : "cycle time";
  CaseColumn column = column_of(run, heading, [&](const AnalyzedCase& one) {
    return (is_mixed && is_cycle(one) ? "cycle " : "") + value_text(headline_time(one));
  });
  column.is_number = true;
  return column;
}

std::vector<CaseColumn> label_columns(const AnalyzedRun& run) {
  if (run.axes.empty()) return {column_of(run, "case", [](const AnalyzedCase& one) { return one.record->id; })};
  std::vector<CaseColumn> columns;
  for (const std::string& axis : run.axes) {
    columns.push_back(column_of(run, axis_heading(axis),
                                [&](const AnalyzedCase& one) { return setting_value_text(*one.record, axis); }));
    columns.back().is_number =
        axis == "batch_size" || axis == "sequence_length" || axis == "prompt_length" || axis == "new_tokens";
  }
  return columns;
}

// A time with its interval.
CaseColumn duration_column(const AnalyzedRun& run, std::string heading, const char* metric) {
  CaseColumn column = column_of(run, std::move(heading),
                                [&](const AnalyzedCase& one) { return value_text(shown_metric(one, metric)); });
  column.is_number = true;
  return column;
}

// What part of the samples it is made of belongs to the value.
CaseColumn undisturbed_column(const AnalyzedRun& run) {
  CaseColumn column = column_of(run, "undisturbed", [](const AnalyzedCase& one) {
    const MetricRow* share = shown_metric(one, "undisturbed_share");
    if (share == nullptr || !share->value) return std::string("-");
    return fmt::format("{} of {}", value_text(shown_metric(one, "undisturbed_latency")), percent_text(*share->value));
  });
  column.is_number = true;
  return column;
}

CaseColumn column_of(const AnalyzedRun& run, const ScenarioColumn& column) {
  std::string heading(column.heading);
  switch (column.form) {
    case ColumnForm::kHeadline:
      return time_column(run);
    case ColumnForm::kQuantity:
      return duration_column(run, std::move(heading), column.metric);
    case ColumnForm::kRate:
      return rate_column(run, std::move(heading), column.metric);
    case ColumnForm::kUndisturbed:
      return undisturbed_column(run);
    case ColumnForm::kNumber:
      break;
  }
  return metric_column(run, std::move(heading), column.metric);
}

// A table shows cases of one scenario (by_scenario).
std::vector<CaseColumn> scenario_columns(const AnalyzedRun& run) {
  const Scenario scenario = run.cases.empty() ? Scenario::kBatch : scenario_of(run.cases.front().record->requested);
  std::vector<CaseColumn> columns;
  for (const ScenarioColumn& column : scenario_type(scenario).columns) {
    if (column.needs_values && !any_value(run, column.metric)) continue;
    columns.push_back(column_of(run, column));
    columns.back().may_be_left_out = column.may_be_left_out;
  }
  return columns;
}

std::string result_text(const AnalyzedCase& one) {
  if (!one.is_ok()) return std::string(status_word(*one.record));
  return fmt::format("ok, {}", name_of(one.analysis.verdict.level));
}

}  // namespace

std::string axis_heading(std::string_view setting) {
  if (setting == "batch_size") return "batch";
  if (setting == "sequence_length") return "length";
  if (setting == "prompt_length") return "prompt";
  if (setting == "new_tokens") return "new tokens";
  if (setting == "gradient_accumulation") return "accumulation";
  return std::string(setting);
}

bool is_throughput(std::string_view unit) {
  return unit == "sample/s" || unit == "token/s";
}

std::string value_text(const MetricRow* row) {
  if (row == nullptr || !row->value || !std::isfinite(*row->value)) return "-";
  return with_half_width(format_quantity(*row->value, row->unit), *row);
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

std::string range_text(double low, double high, std::string_view unit) {
  const std::string from = format_quantity(low, unit);
  const std::string to = format_quantity(high, unit);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::string interval_text(const MetricRow* row) {
  if (row == nullptr || !row->value || !row->low || !row->high) return value_text(row);
  return fmt::format("{} ({})", format_quantity(*row->value, row->unit), range_text(*row->low, *row->high, row->unit));
}

std::vector<CaseColumn> case_columns(const AnalyzedRun& run) {
  std::vector<CaseColumn> columns = label_columns(run);
  for (CaseColumn& column : scenario_columns(run)) columns.push_back(std::move(column));
  columns.push_back(column_of(run, "result", result_text));
  return columns;
}

bool any_value(const AnalyzedRun& run, const char* metric) {
  return std::any_of(run.cases.begin(), run.cases.end(),
                     [&](const AnalyzedCase& one) { return has_value(one, metric); });
}

std::vector<MetricHeading> memory_metrics(const AnalyzedRun& run) {
  std::vector<MetricHeading> metrics{{"peak_rss", "peak RSS"},
                                     {"peak_rss_above_baseline", "peak above start"},
                                     {"peak_rss_load", "peak while loading"},
                                     {"peak_anonymous", "peak anonymous"},
                                     {"pss_at_end", "PSS at end"},
                                     {"peak_allocated", "tensors"},
                                     {"peak_allocated_forecast", "tensors (forecast)"},
                                     {"weight_bytes", "weights"},
                                     {"gradient_bytes", "gradients"},
                                     {"optimizer_bytes", "optimizer"},
                                     {"activation_bytes", "activations"},
                                     {"activation_bytes_forecast", "activations (forecast)"},
                                     {"cache_bytes", "cache"},
                                     {"baseline_rss", "baseline RSS"},
                                     {"page_faults", "page faults/batch"}};
  std::erase_if(metrics, [&](const MetricHeading& metric) {
    return std::none_of(run.cases.begin(), run.cases.end(),
                        [&](const AnalyzedCase& one) { return one.is_ok() && has_value(one, metric.metric); });
  });
  return metrics;
}

std::vector<CaseColumn> memory_columns(const AnalyzedRun& run) {
  std::vector<CaseColumn> columns = label_columns(run);
  for (const MetricHeading& one : memory_metrics(run)) columns.push_back(metric_column(run, one.heading, one.metric));
  for (CaseColumn& column : columns) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < run.cases.size(); ++i) {
      if (run.cases[i].is_ok()) column.cells[kept++] = column.cells[i];
    }
    column.cells.resize(kept);
  }
  return columns;
}

}  // namespace transformeter
