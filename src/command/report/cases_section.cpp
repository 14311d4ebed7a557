// A row for each case, with the metrics of its scenario; a table for each scenario.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/scenario_parts.h"
#include "base/text.h"
#include "metrics/scenario_type.h"
#include "report/chips.h"
#include "report/legend.h"
#include "report/metric_columns.h"
#include "report/report_sections.h"

namespace transformeter {
namespace {

// ", median" for a time.
std::string statistic_words(const AnalyzedRun& run, const char* metric) {
  for (const AnalyzedCase& one : run.cases) {
    const MetricRow* row = shown_metric(one, metric);
    if (row != nullptr && row->value) return row->unit == "s" ? ", " + row->statistic : "";
  }
  return "";
}

// Of the scenario first, then what any case may have.
std::vector<MetricHeading> page_metrics(const AnalyzedRun& run, Scenario scenario) {
  std::vector<MetricHeading> metrics;
  for (const ScenarioColumn& column : scenario_type(scenario).columns) {
    if (column.form == ColumnForm::kHeadline) {
      metrics.push_back({"latency", "latency"});
      metrics.push_back({"cycle_time", "cycle time"});
    } else {
      metrics.push_back({column.metric, std::string(column.heading)});
    }
    if (column.form == ColumnForm::kUndisturbed) metrics.push_back({"undisturbed_share", "undisturbed share"});
  }
  for (const MetricHeading& other : std::initializer_list<MetricHeading>{{"throughput_decode_tokens", "token/s"},
                                                                         {"throughput_useful_tokens", "useful token/s"},
                                                                         {"throughput_samples", "sample/s"},
                                                                         {"mfu", "MFU"},
                                                                         {"bandwidth_share", "bandwidth share"},
                                                                         {"accuracy", "accuracy"},
                                                                         {"macro_f1", "macro F1"},
                                                                         {"word_error_rate", "WER"},
                                                                         {"character_error_rate", "CER"},
                                                                         {"divergence", "divergence"},
                                                                         {"top1_agreement", "top-1 agreement"},
                                                                         {"cache_bytes", "cache"}}) {
    const bool is_there = std::any_of(metrics.begin(), metrics.end(), [&](const MetricHeading& metric) {
      return std::string_view(metric.metric) == other.metric;
    });
    if (!is_there) metrics.push_back(other);
  }
  std::erase_if(metrics, [&](const MetricHeading& metric) { return !any_value(run, metric.metric); });
  for (MetricHeading& metric : metrics) metric.heading += statistic_words(run, metric.metric);
  return metrics;
}

// The case with its result in one column: a phone shows the first figures beside it without scrolling.
Cell case_cell(const AnalyzedCase& one) {
  Cell cell(one.label);
  cell.chips = {result_chip(one)};
  for (const Finding& reason : one.analysis.verdict.reasons) cell.why += (cell.why.empty() ? "" : ", ") + reason.name;
  if (!one.is_ok()) cell.why = one.record->status_reason;
  return cell;
}

// Why a metric of the table has no value: once for each metric and reason.
std::vector<std::string> missing_lines(const AnalyzedRun& run, const std::vector<MetricHeading>& columns) {
  std::vector<std::string> lines;
  for (const MetricHeading& column : columns) {
    std::map<std::string, std::size_t> reasons;
    for (const AnalyzedCase& one : run.cases) {
      const MetricRow* row = shown_metric(one, column.metric);
      if (one.is_ok() && row != nullptr && !row->value) ++reasons[row->reason];
    }
    for (const auto& [reason, count] : reasons) {
      lines.push_back(fmt::format("{} is missing for {}: {}", column.heading, counted(count, "case"), reason));
    }
  }
  return lines;
}

// In a scenario whose time is latency or cycle time, the median of a cycle's different batches is over different
// inputs.
const MetricRow* shown_row(const AnalyzedCase& one, const char* metric) {
  const MetricRow* time = headline_time(one);
  const bool is_replaced = std::string_view(metric) == "latency" && time != nullptr && time->name != "latency";
  return is_replaced ? nullptr : shown_metric(one, metric);
}

Table case_table(const ScenarioPart& part, bool is_only_one) {
  const std::vector<MetricHeading> metrics = page_metrics(part.run, part.scenario);
  Table table;
  table.caption = is_only_one ? "" : fmt::format("Scenario {}. ", name_of(part.scenario));
  table.caption += metrics.empty() ? "Result of each case; none has a value."
                                   : "Result of each case. A value stands with its 95 % interval, unless both ends "
                                     "round to it; a dash marks a missing value.";
  table.columns.push_back({"case"});
  for (const MetricHeading& metric : metrics) table.columns.push_back({metric.heading, true});
  for (const AnalyzedCase& one : part.run.cases) {
    std::vector<Cell> cells{case_cell(one)};
    for (const MetricHeading& metric : metrics) cells.emplace_back(case_figure(one, shown_row(one, metric.metric)));
    add_row(table, std::move(cells));
  }
  drop_empty_columns(table);
  table.notes = missing_lines(part.run, metrics);
  return table;
}

}  // namespace

std::vector<Block> cases_section(const SectionInput& input) {
  const AnalyzedRun& run = input.run;
  if (run.cases.empty()) return {Paragraph{"The run has no cases."}};
  std::vector<Table> tables;
  const std::vector<ScenarioPart> parts = by_scenario(run);
  for (const ScenarioPart& part : parts) tables.push_back(case_table(part, parts.size() == 1));
  for (std::string& line : interval_lines(run, kBothEnds)) tables.back().notes.push_back(std::move(line));
  return {tables.begin(), tables.end()};
}

}  // namespace transformeter
