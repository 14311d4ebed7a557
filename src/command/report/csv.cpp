// The identity of a case is written once and repeated per metric.
#include "report/csv.h"

#include "analysis/analyzed_run.h"
#include "analysis/baseline_table.h"
#include "metrics/case_summary.h"
#include "report/csv_fields.h"

namespace transformeter {
namespace {

const CsvFields kMetricHeadings{"metric",   "statistic", "unit",       "value",  "low",           "high",
                                "interval", "n",         "provenance", "reason", "baseline_case", "answer"};

// Of a case alone the last two are empty.
CsvFields metric_fields(const MetricRow& row, const std::string& baseline_case = "", std::string_view answer = "") {
  return {row.name,
          row.statistic,
          row.unit,
          number_text(row.value),
          number_text(row.low),
          number_text(row.high),
          std::string(name_of(row.interval)),
          std::to_string(row.n),
          row.provenance,
          row.reason,
          baseline_case,
          std::string(answer)};
}

std::string comparison_rows(const RunRecord& run, const BaselinePair& pair) {
  std::string csv;
  const CsvFields identity = identity_of(run, *pair.candidate->record, pair.candidate->analysis.verdict);
  const std::string baseline = pair.baseline == nullptr ? "" : pair.baseline->record->id;
  for (const MetricRow& row : pair.rows) {
    append_line(csv, identity, metric_fields(row, baseline, row.name == "speed_up" ? name_of(pair.speed.answer) : ""));
  }
  return csv;
}

}  // namespace

CsvResults::CsvResults(Sink sink, std::optional<Json> baseline)
    : sink_(std::move(sink)), baseline_(std::move(baseline)) {
  std::string heading;
  append_line(heading, identity_headings(), kMetricHeadings);
  sink_(heading);
}

void CsvResults::begin_run(const RunRecord& run) {
  end_run();
  run_ = GatheredRun(run).record();
  if (baseline_ || planned_baseline(run)) gathered_.emplace(run);
}

void CsvResults::add_case(const CaseRecord& the_case) {
  std::string csv;
  const CaseAnalysis analysis = analysis_of(the_case);
  const CsvFields identity = identity_of(run_, the_case, analysis.verdict);
  for (const MetricRow& row : analysis.metrics) append_line(csv, identity, metric_fields(row));
  if (analysis.metrics.empty()) append_line(csv, identity, CsvFields(kMetricHeadings.size()));
  sink_(csv);
  if (gathered_) gathered_->add(the_case);
}

void CsvResults::end_run() {
  if (!gathered_) return;
  const AnalyzedRun analyzed = analyze_run(gathered_->record(), baseline_);
  const std::optional<BaselineTable> table = baseline_table(analyzed);
  for (const BaselinePair& pair : table->pairs) sink_(comparison_rows(run_, pair));
  gathered_.reset();
}

void CsvResults::finish() {
  end_run();
}

std::string results_csv(const std::vector<RunRecord>& runs) {
  std::string csv;
  CsvResults results([&](std::string_view text) { csv.append(text); });
  for (const RunRecord& run : runs) {
    results.begin_run(run);
    for (const CaseRecord& one : run.cases) results.add_case(one);
  }
  results.finish();
  return csv;
}

}  // namespace transformeter
