// The section that compares with the baseline: a table, why pairs are undecided, and the speed-up as a figure.
#include <fmt/format.h>

#include "analysis/baseline_table.h"
#include "report/comparison_columns.h"
#include "report/html_sections.h"
#include "report/html_table.h"
#include "report/html_text.h"
#include "schema/baseline.h"

namespace transformeter {
namespace {

struct Heading {
  const char* name;
  const char* heading;
};
constexpr Heading kRows[] = {{"speed_up", "speed-up"},
                             {"time_saved", "time saved"},
                             {"memory_saved", "memory saved"},
                             {"tensor_memory_saved", "tensor memory saved"},
                             {"anonymous_memory_saved", "anonymous memory saved"}};

std::string_view chip_class(SpeedAnswer answer) {
  switch (answer) {
    case SpeedAnswer::kFaster:
      return " good";
    case SpeedAnswer::kSlower:
      return " bad";
    case SpeedAnswer::kSame:
      return "";
    case SpeedAnswer::kUndecided:
      return " warn";
  }
  return "";
}

std::string candidate_cell(const BaselinePair& pair) {
  std::string text = isolated(pair.candidate->label) +
                     fmt::format("<br><span class=\"chip{}\">{}</span>", chip_class(pair.answer), name_of(pair.answer));
  if (!pair.reason.empty()) text += "<span class=\"why\">" + isolated(pair.reason) + "</span>";
  return text;
}

std::string time_cell(const AnalyzedCase* one) {
  return one == nullptr ? "-" : figure_cell(*one, headline_time(*one));
}

std::string both_cells(const BaselinePair& pair, const char* metric) {
  if (pair.baseline == nullptr) return "-";
  return figure_cell(*pair.baseline, shown_metric(*pair.baseline, metric)) + " → " +
         figure_cell(*pair.candidate, shown_metric(*pair.candidate, metric));
}

std::vector<MetricHeading> quality_metrics(const AnalyzedRun& run) {
  std::vector<MetricHeading> metrics{{"accuracy", "accuracy"}, {"divergence", "divergence"}};
  std::erase_if(metrics, [&](const MetricHeading& metric) { return !any_value(run, metric.metric); });
  return metrics;
}

HtmlTable pair_table(const AnalyzedRun& run, const BaselineTable& compared) {
  HtmlTable table;
  table.caption = fmt::format(
      "Each case compared with the case that has {} and the same other settings. Speed-up is baseline time ÷ candidate "
      "time; saved is 1 − candidate ÷ baseline, as a share. Memory is peak RSS above that at process start. Below each "
      "value is its interval.",
      baseline_text(compared.baseline));
  table.columns.push_back({"candidate", false, true});
  for (const Heading& row : kRows) table.columns.push_back({row.heading, true, false});
  table.columns.push_back({"baseline time", true, false});
  table.columns.push_back({"candidate time", true, false});
  const std::vector<MetricHeading> qualities = quality_metrics(run);
  for (const MetricHeading& quality : qualities) table.columns.push_back({quality.heading, true, false});
  table.columns.push_back({"kernels", false, false});
  for (const BaselinePair& pair : compared.pairs) {
    std::vector<std::string> cells{candidate_cell(pair)};
    for (const Heading& row : kRows) cells.push_back(figure_cell(*pair.candidate, find_row(pair, row.name)));
    cells.push_back(time_cell(pair.baseline));
    cells.push_back(time_cell(pair.candidate));
    for (const MetricHeading& quality : qualities) cells.push_back(both_cells(pair, quality.metric));
    cells.push_back(isolated(kernels_text(pair)));
    table.rows.push_back(std::move(cells));
  }
  drop_empty_columns(table);
  return table;
}

}  // namespace

std::string comparison_section(const HtmlRun& run) {
  const std::optional<BaselineTable> compared = baseline_table(*run.run);
  if (!compared) return "";
  std::string text =
      figures_html(run.comparison_figures, run.id, run.heading + 1) + html_table(pair_table(*run.run, *compared));
  std::vector<std::string> lines = comparison_lines(*compared);
  if (!compared->pairs.empty()) lines.erase(lines.begin());  // the caption says it
  for (const std::string& line : lines) text += "<p class=\"soft\">" + escape_html(line) + "</p>\n";
  return html_section(run, "comparison", "Compared with the baseline", text);
}

}  // namespace transformeter
