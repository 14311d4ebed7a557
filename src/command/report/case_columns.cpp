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
#include "report/chips.h"
#include "report/metric_columns.h"
#include "report/metric_text.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

using CaseCell = std::function<Cell(const AnalyzedCase&)>;

Column column_of(const AnalyzedRun& run, std::string heading, const CaseCell& cell) {
  Column column;
  column.heading = std::move(heading);
  for (const AnalyzedCase& one : run.cases) column.cells.push_back(cell(one));
  return column;
}

Column number_cells(const AnalyzedRun& run, std::string heading, const char* metric) {
  Column column = column_of(run, std::move(heading), [&](const AnalyzedCase& one) {
    const MetricRow* row = shown_metric(one, metric);
    if (row == nullptr || !row->value || !std::isfinite(*row->value)) return std::string("-");
    return row->unit == "bytes" ? format_bytes(*row->value) : format_number(*row->value);
  });
  column.is_number = true;
  return column;
}

// A rate with its interval; the heading has the unit.
Column rate_column(const AnalyzedRun& run, std::string heading, const char* metric) {
  Column column = column_of(run, std::move(heading), [&](const AnalyzedCase& one) {
    const MetricRow* row = shown_metric(one, metric);
    if (row == nullptr || !row->value || !std::isfinite(*row->value)) return std::string("-");
    return with_half_width(format_number(*row->value), *row);
  });
  column.is_number = true;
  return column;
}

bool is_cycle(const AnalyzedCase& one) {
  const MetricRow* time = headline_time(one);
  return time != nullptr && time->name == "cycle_time";
}

Column time_column(const AnalyzedRun& run) {
  const auto cycles = static_cast<std::size_t>(std::count_if(run.cases.begin(), run.cases.end(), is_cycle));
  const bool is_mixed = cycles > 0 && cycles < run.cases.size();
  const char* heading = cycles == 0 ? "median latency" : is_mixed ? "latency or cycle" : "cycle time";
  Column column = column_of(run, heading, [&](const AnalyzedCase& one) {
    return (is_mixed && is_cycle(one) ? "cycle " : "") + value_text(headline_time(one));
  });
  column.is_number = true;
  return column;
}

std::vector<Column> label_columns(const AnalyzedRun& run) {
  if (run.axes.empty()) return {column_of(run, "case", [](const AnalyzedCase& one) { return one.record->id; })};
  std::vector<Column> columns;
  for (const std::string& axis : run.axes) {
    columns.push_back(column_of(run, axis_heading(axis),
                                [&](const AnalyzedCase& one) { return setting_value_text(*one.record, axis); }));
    columns.back().is_number = axis == "batch_size" || axis == "sequence_length" || axis == "audio_seconds" ||
                               axis == "prompt_length" || axis == "new_tokens" || axis == "num_beams";
  }
  return columns;
}

// A time with its interval.
Column duration_column(const AnalyzedRun& run, std::string heading, const char* metric) {
  Column column = column_of(run, std::move(heading),
                            [&](const AnalyzedCase& one) { return value_text(shown_metric(one, metric)); });
  column.is_number = true;
  return column;
}

// What part of the samples it is made of belongs to the value.
Column undisturbed_column(const AnalyzedRun& run) {
  Column column = column_of(run, "undisturbed", [](const AnalyzedCase& one) {
    const MetricRow* share = shown_metric(one, "undisturbed_share");
    if (share == nullptr || !share->value) return std::string("-");
    if (*share->value >= 1) return std::string("same");  // as the latency, of the same samples
    return fmt::format("{} of {}", value_text(shown_metric(one, "undisturbed_latency")), percent_text(*share->value));
  });
  column.is_number = true;
  return column;
}

Column column_of(const AnalyzedRun& run, const ScenarioColumn& column) {
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
  return number_cells(run, std::move(heading), column.metric);
}

// Frames of sounds say less than their seconds.
bool is_replaced(const AnalyzedRun& run, const ScenarioColumn& column) {
  if (std::string_view(column.metric) != "throughput_useful_tokens") return false;
  constexpr const char* kInstead = "throughput_audio_seconds";
  return any_value(run, kInstead) && std::all_of(run.cases.begin(), run.cases.end(), [&](const AnalyzedCase& one) {
           return shown_metric(one, column.metric) == nullptr || shown_metric(one, kInstead) != nullptr;
         });
}

// A table shows cases of one scenario (by_scenario).
std::vector<Column> scenario_columns(const AnalyzedRun& run) {
  const Scenario scenario = run.cases.empty() ? Scenario::kBatch : scenario_of(run.cases.front().record->requested);
  std::vector<Column> columns;
  for (const ScenarioColumn& column : scenario_type(scenario).columns) {
    if (column.needs_values && !any_value(run, column.metric)) continue;
    if (is_replaced(run, column)) continue;
    columns.push_back(column_of(run, column));
    columns.back().may_be_left_out = column.may_be_left_out;
  }
  return columns;
}

Cell result_cell(const AnalyzedCase& one) {
  Cell cell;
  cell.chips = {result_chip(one)};
  return cell;
}

}  // namespace

std::vector<Column> case_columns(const AnalyzedRun& run) {
  std::vector<Column> columns = label_columns(run);
  for (Column& column : scenario_columns(run)) columns.push_back(std::move(column));
  columns.push_back(column_of(run, "result", result_cell));
  return columns;
}

}  // namespace transformeter
