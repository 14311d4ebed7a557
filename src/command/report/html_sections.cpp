// The sections with sentences and figures.
#include "report/html_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/answers.h"
#include "report/html_table.h"
#include "report/html_text.h"
#include "report/legend.h"
#include "report/plot_colours.h"

namespace transformeter {
namespace {

constexpr std::size_t kLeadSentences = 3;
constexpr std::size_t kShownLines = 10;  // of a list before the rest is folded

std::string heading(int level, std::string_view html) {
  return fmt::format("<h{0}>{1}</h{0}>\n", level, html);
}

template <typename Iterator>
std::string list(Iterator begin, Iterator end, std::string_view attributes = "") {
  if (begin == end) return "";
  std::string text = fmt::format("<ul{}>\n", attributes);
  for (; begin != end; ++begin) text += "<li>" + escape_html(*begin) + "</li>\n";
  return text + "</ul>\n";
}

std::string list(const std::vector<std::string>& lines) {
  return list(lines.begin(), lines.end());
}

std::string folded_list(const std::vector<std::string>& lines, std::string_view what) {
  if (lines.size() <= kShownLines + 2) return list(lines);
  const auto fold = lines.begin() + static_cast<std::ptrdiff_t>(kShownLines);
  return list(lines.begin(), fold) + fmt::format("<details><summary>{} {}</summary>\n{}</details>\n",
                                                 lines.size() - kShownLines, what, list(fold, lines.end()));
}

std::string swatch(const LegendEntry& entry) {
  const auto role = static_cast<std::size_t>(entry.role);
  return fmt::format(
      "<svg viewBox=\"0 0 30 12\" aria-hidden=\"true\"><path d=\"M1,6 H29\" fill=\"none\" stroke=\"{0}\" "
      "class=\"s{1}\" "
      "stroke-width=\"2.4\"{2}/><circle cx=\"15\" cy=\"6\" r=\"3.6\" fill=\"{0}\" class=\"f{1}\"/></svg>",
      kPlotColours[role].light, role, entry.is_dashed ? " stroke-dasharray=\"6,3\"" : "");
}

std::string legend(const Figure& figure) {
  if (figure.legend.empty()) return "";
  std::string text = "<ul class=\"legend\">";
  for (const LegendEntry& entry : figure.legend) text += "<li>" + swatch(entry) + isolated(entry.label) + "</li>";
  return text + "</ul>";
}

std::string figure_html(const DrawnFigure& drawn, const std::string& id, int level) {
  if (drawn.svg.empty()) return "";
  return fmt::format("<figure id=\"{}\">{}{}{}<figcaption>{}</figcaption></figure>\n", id,
                     heading(level, escape_html(drawn.figure.title)), drawn.svg, legend(drawn.figure),
                     escape_html(drawn.figure.note));
}

std::string interval_words(const MetricRow& row) {
  return row.low ? fmt::format("{}, n = {}", interval_kind_text(row.interval), row.n)
                 : fmt::format("{}, n = {}", row.reason.empty() ? "no interval" : row.reason, row.n);
}

// Every metric of a case with its interval, or why it is missing.
std::string metric_table(const AnalyzedCase& one) {
  HtmlTable table;
  table.caption = "All metrics of " + one.label;
  table.columns = {{"metric", false, false},       {"statistic", false, false}, {"value", true, false},
                   {"95 % interval", true, false}, {"n", true, false},          {"remarks", false, true}};
  for (const MetricRow& row : one.analysis.metrics) {
    const bool has_interval = row.low && row.high;
    std::string remarks(interval_kind_text(row.interval));
    if (!has_interval) remarks = row.reason;
    const std::string name = is_throughput(row.unit) ? fmt::format("{} ({})", row.name, row.unit) : row.name;
    table.rows.push_back({escape_html(name), escape_html(row.statistic), figure_data(one, &row, FigurePart::kValue),
                          has_interval ? interval_html(one, row) : "-", row.n > 0 ? std::to_string(row.n) : "-",
                          escape_html(remarks)});
  }
  const std::string text = html_table(table);
  return text.empty() ? "" : "<details><summary>All metrics of this case</summary>\n" + text + "</details>\n";
}

std::string case_html(const HtmlRun& run, const CaseFigures& shown, std::size_t number) {
  const AnalyzedCase& one = *shown.one;
  const std::string id = fmt::format("{}-case-{}", run.id, number);
  std::string text = fmt::format("<section class=\"case\" id=\"{}\">\n", id);
  text += heading(run.heading + 1, isolated(one.label) + " " + result_chip(one));
  if (const MetricRow* time = headline_time(one); time != nullptr && time->value) {
    text +=
        fmt::format("<p class=\"soft\">{} {}: {}{} ({})</p>\n", time->name == "cycle_time" ? "cycle time" : "latency",
                    escape_html(time->statistic), figure_data(one, time, FigurePart::kValue),
                    time->low && time->high ? ", 95 % interval " + interval_html(one, *time) : "",
                    escape_html(interval_words(*time)));
  }
  for (const Finding& reason : one.analysis.verdict.reasons) {
    text += fmt::format("<p class=\"notice\"><strong>{}</strong>: {}</p>\n", escape_html(reason.name),
                        escape_html(reason.detail));
  }
  return text + figures_html(shown.figures, id, run.heading + 2) + metric_table(one) + "</section>\n";
}

bool is_shown(const HtmlRun& run, const AnalyzedCase& one) {
  return std::any_of(run.cases.begin(), run.cases.end(), [&](const CaseFigures& shown) { return shown.one == &one; });
}

std::string left_out_html(const HtmlRun& run) {
  std::vector<std::string> left_out;
  for (const AnalyzedCase& one : run.run->cases) {
    if (one.is_ok() && !is_shown(run, one)) left_out.push_back(one.label);
  }
  if (left_out.empty()) return "";
  return fmt::format(
      "<details><summary>{} whose samples are not shown</summary>\n"
      "<p>Doubtful and invalid cases are shown first, then cases in table order. <code>show --format json</code> "
      "prints all samples.</p>\n{}</details>\n",
      counted(left_out.size(), "more case"), list(left_out));
}

}  // namespace

std::string figures_html(const std::vector<DrawnFigure>& figures, const std::string& id, int level) {
  std::string text;
  for (const DrawnFigure& drawn : figures) text += figure_html(drawn, id + "-" + drawn.figure.id, level);
  return text.empty() ? "" : "<div class=\"figures\">\n" + text + "</div>\n";
}

std::string html_section(const HtmlRun& run, const char* name, const char* title, const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("<section id=\"{}-{}\">\n{}{}</section>\n", run.id, name, heading(run.heading, title), body);
}

std::string result_chips(const AnalyzedRun& run) {
  std::vector<const AnalyzedCase*> kinds;  // the first case of each result, in reading order
  std::map<std::string, std::size_t> counts;
  for (const AnalyzedCase& one : run.cases) {
    const std::string chip = result_chip(one);
    if (counts[chip]++ == 0) kinds.push_back(&one);
  }
  if (kinds.empty()) return "";
  std::string text = "<ul class=\"chips\" aria-label=\"Results of the cases\">";
  for (const AnalyzedCase* one : kinds) {
    std::string chip = result_chip(*one);
    chip.insert(chip.find('>') + 1, fmt::format("{} ", counts[result_chip(*one)]));
    text += "<li>" + chip + "</li>";
  }
  return text + "</ul>\n";
}

std::string answer_section(const HtmlRun& run) {
  const std::vector<std::string> sentences = answers(*run.run);
  const std::vector<std::string> unfinished = unfinished_lines(*run.run);
  const auto lead = static_cast<std::ptrdiff_t>(std::min(kLeadSentences, sentences.size()));
  const std::vector<std::string> rest(sentences.begin() + lead, sentences.end());
  return html_section(run, "answer", "Results",
                      result_chips(*run.run) + "<div class=\"card answers\">\n" +
                          list(sentences.begin(), sentences.begin() + lead, " class=\"lead\"") +
                          folded_list(rest, "more sentences") + list(weights_lines(*run.run)) +
                          list(workload_lines(*run.run)) + folded_list(unfinished, "more cases without results") +
                          "</div>\n");
}

std::string figure_section(const HtmlRun& run) {
  return html_section(run, "figures", "Figures", figures_html(run.figures, run.id, run.heading + 1));
}

std::string sample_section(const HtmlRun& run) {
  std::string text;
  for (std::size_t i = 0; i < run.cases.size(); ++i) text += case_html(run, run.cases[i], i + 1);
  return html_section(run, "samples", "Samples of each case", text.empty() ? "" : text + left_out_html(run));
}

}  // namespace transformeter
