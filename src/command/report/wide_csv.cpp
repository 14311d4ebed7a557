// Columns are found while rows are gathered.
#include "report/wide_csv.h"

#include <cmath>
#include <set>
#include <utility>

#include "analysis/baseline_table.h"
#include "metrics/case_summary.h"

namespace transformeter {

WideCsv::WideCsv(Sink sink, std::optional<Json> baseline) : sink_(std::move(sink)), baseline_(std::move(baseline)) {}

void WideCsv::begin_run(const RunRecord& run) {
  end_run();
  run_ = GatheredRun(run).record();
  case_rows_.clear();
  if (baseline_ || planned_baseline(run)) gathered_.emplace(run);
}

void WideCsv::add_case(const CaseRecord& the_case) {
  const CaseAnalysis analysis = analysis_of(the_case);
  case_rows_[the_case.id] = rows_.size();
  Row& row = rows_.emplace_back();
  row.identity = identity_of(run_, the_case, analysis.verdict);
  add_values(row, analysis.metrics);
  if (gathered_) gathered_->add(the_case);
}

// A metric's first row is its headline (docs/metrics.md). Of several batches the time is that of a cycle, and the
// latency's first row is over inputs: another quantity.
void WideCsv::add_values(Row& row, const std::vector<MetricRow>& metrics) {
  std::set<std::string> seen;
  const MetricRow* cycle = find_metric(metrics, "cycle_time", "");
  if (cycle != nullptr && cycle->value) seen.insert("latency");
  for (const MetricRow& metric : metrics) {
    const bool is_headline = seen.insert(metric.name).second;
    if (!metric.value || !std::isfinite(*metric.value)) continue;
    const std::string name = is_headline ? metric.name : metric.name + "_" + metric.statistic;
    const auto [place, is_new] = places_.emplace(name, columns_.size());
    if (is_new) columns_.push_back({name});
    Column& column = columns_[place->second];
    column.has_interval = column.has_interval || metric.low || metric.high;
    row.values[name] = {metric.value, metric.low, metric.high};
  }
}

void WideCsv::end_run() {
  if (!gathered_) return;
  const AnalyzedRun analyzed = analyze_run(gathered_->record(), baseline_);
  const std::optional<BaselineTable> table = baseline_table(analyzed);
  for (const BaselinePair& pair : table->pairs) {
    Row& row = rows_[case_rows_.at(pair.candidate->record->id)];
    if (pair.baseline != nullptr) row.baseline_case = pair.baseline->record->id;
    row.answer = name_of(pair.speed.answer);
    add_values(row, pair.rows);
  }
  gathered_.reset();
}

CsvFields WideCsv::fields_of(const Row& row) const {
  CsvFields fields{row.baseline_case, row.answer};
  for (const Column& column : columns_) {
    const auto found = row.values.find(column.name);
    const Value value = found == row.values.end() ? Value{} : found->second;
    fields.push_back(number_text(value.value));
    if (!column.has_interval) continue;
    fields.push_back(number_text(value.low));
    fields.push_back(number_text(value.high));
  }
  return fields;
}

void WideCsv::finish() {
  end_run();
  CsvFields headings{"baseline_case", "answer"};
  for (const Column& column : columns_) {
    headings.push_back(column.name);
    if (!column.has_interval) continue;
    headings.push_back(column.name + "_low");
    headings.push_back(column.name + "_high");
  }
  std::string csv;
  append_line(csv, identity_headings(), headings);
  sink_(csv);
  for (const Row& row : rows_) {
    csv.clear();
    append_line(csv, row.identity, fields_of(row));
    sink_(csv);
  }
}

}  // namespace transformeter
