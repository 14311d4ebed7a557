// Single cases: their samples in order, how they are distributed, and every metric.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/chips.h"
#include "report/metric_text.h"
#include "report/report_sections.h"
#include "report/sample_figures.h"

namespace transformeter {
namespace {

std::string remarks_of(const MetricRow& row) {
  return row.low && row.high ? std::string(interval_kind_text(row.interval)) : row.reason;
}

// Every metric of a case with its interval, or why it is missing.
Table metric_table(const AnalyzedCase& one) {
  Table table;
  table.caption = "All metrics of " + one.label;
  table.columns = {{"metric"},      {"statistic"},
                   {"value", true}, {"95 % interval", true},
                   {"n", true},     {.heading = "remarks", .is_wide = true}};
  for (const MetricRow& row : one.analysis.metrics) {
    add_row(table, {is_throughput(row.unit) ? fmt::format("{} ({})", row.name, row.unit) : row.name, row.statistic,
                    case_figure(one, &row, FigurePart::kValue), case_figure(one, &row, FigurePart::kInterval),
                    row.n > 0 ? std::to_string(row.n) : "-", remarks_of(row)});
  }
  return table;
}

// "latency median 26.1 ms, 95 % interval 25.9 ms to 26.4 ms, between replicates, n = 3".
Facts time_facts(const AnalyzedCase& one, const MetricRow& time) {
  Facts facts;
  const char* name = time.name == "cycle_time" ? "cycle time" : "latency";
  facts.facts.push_back({fmt::format("{} {}", name, time.statistic), case_figure(one, &time, FigurePart::kValue)});
  if (time.low && time.high) {
    facts.facts.push_back({"95 % interval", case_figure(one, &time, FigurePart::kInterval)});
  }
  const std::string remarks = remarks_of(time);
  facts.facts.push_back({"", fmt::format("{}, n = {}", remarks.empty() ? "no interval" : remarks, time.n)});
  return facts;
}

SubSection case_section(const AnalyzedCase& one, std::size_t number) {
  SubSection section;
  section.id = fmt::format("case-{}", number);
  section.title = one.label;
  section.chips = {result_chip(one)};
  if (const MetricRow* time = headline_time(one); time != nullptr && time->value) {
    section.blocks.emplace_back(time_facts(one, *time));
  }
  for (const Finding& reason : one.analysis.verdict.reasons) {
    section.blocks.emplace_back(Paragraph{reason.detail, reason.name, true});
  }
  section.blocks.emplace_back(figures_of(sample_figures(one)));
  section.blocks.emplace_back(Fold{"All metrics of this case", {metric_table(one)}});
  return section;
}

std::vector<Block> left_out_cases(const AnalyzedRun& run, const std::vector<const AnalyzedCase*>& shown) {
  std::vector<std::string> left_out;
  for (const AnalyzedCase& one : run.cases) {
    if (one.is_ok() && std::find(shown.begin(), shown.end(), &one) == shown.end()) left_out.push_back(one.label);
  }
  if (left_out.empty()) return {};
  const Paragraph order{
      "Doubtful and invalid cases are shown first, then cases in table order. show --format json prints all samples."};
  return {Fold{counted(left_out.size(), "more case") + " whose samples are not shown", {order, list_of(left_out)}}};
}

}  // namespace

std::vector<Block> samples_section(const SectionInput& input) {
  const std::size_t most = std::max<std::size_t>(1, kMaxCaseFigures / input.runs.size());
  const std::vector<const AnalyzedCase*> shown = cases_with_figures(input.run, most);
  if (shown.empty()) return {};
  std::vector<Block> blocks;
  for (const AnalyzedCase* one : shown) blocks.emplace_back(case_section(*one, blocks.size() + 1));
  for (Block& block : left_out_cases(input.run, shown)) blocks.push_back(std::move(block));
  return blocks;
}

}  // namespace transformeter
