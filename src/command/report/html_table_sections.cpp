// The sections made of tables.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/scenario_parts.h"
#include "base/text.h"
#include "report/command_line.h"
#include "report/html_sections.h"
#include "report/html_table.h"
#include "report/html_text.h"
#include "report/legend.h"
#include "report/run_columns.h"

namespace transformeter {
namespace {

constexpr std::size_t kMaxDetails = 12;  // rows of one word of a verdict
constexpr std::size_t kMaxNamed = 4;     // cases named in a cell before they are folded

std::string paragraphs(const std::vector<std::string>& lines, const char* class_name) {
  std::string text;
  for (const std::string& line : lines) text += fmt::format("<p class=\"{}\">{}</p>\n", class_name, escape_html(line));
  return text;
}

std::vector<MetricHeading> case_metrics(const AnalyzedRun& run) {
  std::vector<MetricHeading> columns{{"latency", "latency, median"},
                                     {"cycle_time", "cycle time, mean"},
                                     {"time_to_first_token", "first token, median"},
                                     {"time_per_output_token", "per token, median"},
                                     {"throughput_decode_tokens", "new token/s"},
                                     {"throughput_prefill_tokens", "prompt token/s"},
                                     {"throughput_samples", "sample/s"},
                                     {"throughput_useful_tokens", "token/s"},
                                     {"mfu", "MFU"},
                                     {"bandwidth_share", "bandwidth share"},
                                     {"accuracy", "accuracy"},
                                     {"macro_f1", "macro F1"},
                                     {"divergence", "divergence"},
                                     {"top1_agreement", "top-1 agreement"},
                                     {"peak_rss", "peak RSS"},
                                     {"peak_allocated", "tensors"},
                                     {"cache_bytes", "cache"}};
  std::erase_if(columns, [&](const MetricHeading& column) { return !any_value(run, column.metric); });
  return columns;
}

// The case with its result below it, in one column: a phone shows the first figures beside it without scrolling.
std::string case_cell(const AnalyzedCase& one) {
  std::string why;
  for (const Finding& reason : one.analysis.verdict.reasons) why += (why.empty() ? "" : ", ") + reason.name;
  if (!one.is_ok()) why = one.record->status_reason;
  return isolated(one.label) + "<br>" + result_chip(one) +
         (why.empty() ? "" : "<span class=\"why\">" + isolated(why) + "</span>");
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

// Latency's headline is its median, but where the batches of a cycle differ the median is over different inputs.
const MetricRow* cell_row(const AnalyzedCase& one, const std::string& metric) {
  const MetricRow* row = shown_metric(one, metric);
  const MetricRow* time = headline_time(one);
  return metric == "latency" && time != nullptr && time->name != "latency" ? nullptr : row;
}

// Where no case has a figure, a table would have one column.
std::string case_list(const AnalyzedRun& run, const std::string& scenario) {
  std::string text = fmt::format("<p class=\"soft\">{}Result of each case; none has a value.</p>\n<ul>\n", scenario);
  for (const AnalyzedCase& one : run.cases) text += "<li>" + case_cell(one) + "</li>\n";
  return text + "</ul>\n";
}

// `scenario` begins the caption.
std::string case_table(const AnalyzedRun& run, const std::string& scenario) {
  const std::vector<MetricHeading> columns = case_metrics(run);
  if (columns.empty()) return case_list(run, scenario);
  HtmlTable table;
  table.caption = scenario +
                  "Result of each case. Below a value is its 95 % interval, unless both ends round to it; a dash marks "
                  "a missing value.";
  table.columns.push_back({"case", false, false});
  for (const MetricHeading& column : columns) table.columns.push_back({column.heading, true, false});
  for (const AnalyzedCase& one : run.cases) {
    std::vector<std::string> row{case_cell(one)};
    for (const MetricHeading& column : columns) row.push_back(figure_cell(one, cell_row(one, column.metric)));
    table.rows.push_back(std::move(row));
  }
  return html_table(table);
}

std::string cases_cell(const std::vector<std::string>& labels, std::size_t all) {
  if (labels.size() == all && all > 1) return fmt::format("all {} cases", all);
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : "; ") + isolated(label);
  if (labels.size() <= kMaxNamed) return text;
  return fmt::format("<details><summary>{} cases</summary>{}</details>", labels.size(), text);
}

// Cases with the same figures share a row.
std::string finding_table(const AnalyzedRun& run, const std::vector<FindingGroup>& groups, const char* caption) {
  HtmlTable table;
  table.caption = caption;
  table.columns = {{"name", false, false}, {"details", false, true}, {"cases", false, true}, {"meaning", false, true}};
  const bool has_remedies = have_remedies(groups);
  if (has_remedies) table.columns.push_back({"what to do", false, true});
  for (const FindingGroup& group : groups) {
    for (const auto& [detail, labels] : finding_rows(group, kMaxDetails)) {
      table.rows.push_back({escape_html(group.name), isolated(detail), cases_cell(labels, run.cases.size()),
                            escape_html(group.meaning)});
      if (has_remedies) table.rows.back().push_back(escape_html(group.remedy));
    }
  }
  return html_table(table);
}

}  // namespace

std::string case_section(const HtmlRun& run) {
  if (run.run->cases.empty()) return html_section(run, "cases", "Cases", "<p>The run has no cases.</p>\n");
  std::string tables;
  std::vector<std::string> missing;
  const std::vector<ScenarioPart> parts = by_scenario(*run.run);
  for (const ScenarioPart& part : parts) {
    tables += case_table(part.run, parts.size() > 1 ? fmt::format("Scenario {}. ", name_of(part.scenario)) : "");
    for (std::string& line : missing_lines(part.run, case_metrics(part.run))) missing.push_back(std::move(line));
  }
  return html_section(run, "cases", "Cases",
                      tables + paragraphs(interval_lines(*run.run, kBothEnds), "soft") + paragraphs(missing, "soft"));
}

std::string memory_section(const HtmlRun& run) {
  const std::vector<MetricHeading> metrics = memory_metrics(*run.run);
  HtmlTable table;
  table.caption = "Host memory of the worker process";
  table.columns.push_back({"case", false, false});
  for (const MetricHeading& metric : metrics) table.columns.push_back({metric.heading, true, false});
  for (const AnalyzedCase& one : run.run->cases) {
    if (!one.is_ok() || metrics.empty()) continue;
    std::vector<std::string> row{isolated(one.label)};
    for (const MetricHeading& metric : metrics) row.push_back(figure_cell(one, shown_metric(one, metric.metric)));
    table.rows.push_back(std::move(row));
  }
  const std::string text = html_table(table);
  return html_section(run, "memory", "Memory", text.empty() ? "<p>No case has a memory measurement.</p>\n" : text);
}

std::string verdict_section(const HtmlRun& run) {
  const std::string reasons = finding_table(*run.run, reason_groups(*run.run), "Reasons");
  const std::string notes = finding_table(*run.run, note_groups(*run.run), "Notes (not problems)");
  return html_section(run, "verdicts", "Verdicts and notes",
                      (reasons.empty() ? fmt::format("<p>{}</p>\n", no_reason_line(*run.run)) : reasons) + notes);
}

std::string environment_section(const HtmlRun& run) {
  std::string text = "<p>" + escape_html(host_line(*run.run)) + ".</p>\n";
  if (const std::string table = html_table("Captured environment", environment_columns(*run.run->run));
      !table.empty()) {
    text += "<details><summary>Full environment</summary>\n" + table + "</details>\n";
  }
  return html_section(run, "environment", "Environment", text);
}

std::string reproduce_section(const HtmlRun& run) {
  std::string text =
      "<pre tabindex=\"0\"><code>" + escape_html_lines(reproduce_command(*run.run->run)) + "</code></pre>\n";
  if (const std::string table = html_table("Settings of the plan and their sources", settings_columns(*run.run->run));
      !table.empty()) {
    text += "<details><summary>All settings</summary>\n" + table + "</details>\n";
  }
  return html_section(run, "reproduce", "Reproduce", text);
}

std::vector<SectionLink> section_links(const HtmlRun& run) {
  std::vector<SectionLink> links{{"answer", "Results"}};
  if (run.run->baseline) links.push_back({"comparison", "Baseline"});
  const auto has_drawing = [](const DrawnFigure& drawn) { return !drawn.svg.empty(); };
  if (std::any_of(run.figures.begin(), run.figures.end(), has_drawing)) links.push_back({"figures", "Figures"});
  links.push_back({"cases", "Cases"});
  if (!run.cases.empty()) links.push_back({"samples", "Samples"});
  links.insert(links.end(), {{"memory", "Memory"},
                             {"verdicts", "Verdicts and notes"},
                             {"environment", "Environment"},
                             {"reproduce", "Reproduce"}});
  return links;
}

}  // namespace transformeter
