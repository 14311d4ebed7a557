// Figures of all runs are drawn by one gnuplot; then the page is put together.
#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/baseline_table.h"
#include "analysis/case_label.h"
#include "base/version.h"
#include "report/answers.h"
#include "report/case_columns.h"
#include "report/html_sections.h"
#include "report/html_style.h"
#include "report/html_table.h"
#include "report/html_text.h"
#include "report/legend.h"
#include "report/run_columns.h"
#include "report/sample_figures.h"
#include "report/speed_up_figure.h"
#include "report/svg.h"
#include "report/sweep_figures.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

std::vector<DrawnFigure> undrawn(std::vector<Figure> figures) {
  std::vector<DrawnFigure> drawn;
  for (Figure& figure : figures) drawn.push_back({std::move(figure), ""});
  return drawn;
}

std::vector<Figure> comparison_figures(const AnalyzedRun& run) {
  std::vector<Figure> figures;
  const std::optional<BaselineTable> table = baseline_table(run);
  if (!table) return figures;
  if (auto figure = speed_up_figure(run, *table)) figures.push_back(std::move(*figure));
  return figures;
}

std::vector<HtmlRun> html_runs(const std::vector<AnalyzedRun>& runs) {
  std::vector<HtmlRun> pages;
  const std::size_t most = std::max<std::size_t>(1, kMaxCaseFigures / std::max<std::size_t>(1, runs.size()));
  for (const AnalyzedRun& run : runs) {
    HtmlRun page;
    page.run = &run;
    page.id = fmt::format("run-{}", pages.size() + 1);
    page.heading = runs.size() > 1 ? 3 : 2;
    page.figures = undrawn(sweep_figures(run));
    page.comparison_figures = undrawn(comparison_figures(run));
    for (const AnalyzedCase* one : cases_with_figures(run, most)) {
      page.cases.push_back({one, undrawn(sample_figures(*one))});
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

struct Drawing {
  DrawnFigure* drawn;
  std::string id;
  std::string of;  // what the title adds: the case
};

std::vector<Drawing> drawings(std::vector<HtmlRun>& pages) {
  std::vector<Drawing> all;
  for (HtmlRun& page : pages) {
    for (auto* figures : {&page.figures, &page.comparison_figures}) {
      for (DrawnFigure& drawn : *figures) all.push_back({&drawn, page.id + "-" + drawn.figure.id + "-plot", ""});
    }
    for (std::size_t i = 0; i < page.cases.size(); ++i) {
      for (DrawnFigure& drawn : page.cases[i].figures) {
        all.push_back({&drawn, fmt::format("{}-case-{}-{}-plot", page.id, i + 1, drawn.figure.id),
                       ": " + page.cases[i].one->label});
      }
    }
  }
  return all;
}

// Returns why nothing was drawn.
std::string draw(std::vector<HtmlRun>& pages, const GnuplotOptions& options) {
  const std::vector<Drawing> all = drawings(pages);
  std::vector<Plot> plots;
  for (const Drawing& drawing : all) plots.push_back(drawing.drawn->figure.plot);
  const DrawnPlots drawn = draw_plots(plots, options);
  if (!drawn.problem.empty()) return drawn.problem;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Figure& figure = all[i].drawn->figure;
    all[i].drawn->svg =
        clean_svg(drawn.svgs[i], figure.plot,
                  {all[i].id, figure.title + all[i].of, figure.description, figure.labels, figure.curves});
  }
  return "";
}

std::string name_of(const AnalyzedRun& run) {
  return run.run->name.empty() ? run.run->id : run.run->name;
}

// What all cases have in common: "model distilbert-base, task sequence_classification, ...".
std::string common_settings(const AnalyzedRun& run) {
  if (run.cases.empty()) return "";
  const CaseRecord& first = *run.cases.front().record;
  std::string text;
  for (const SettingTerm& term : setting_terms()) {
    const bool varies = std::find(run.axes.begin(), run.axes.end(), term.name) != run.axes.end();
    const std::string value = term.group == SettingGroup::kRun || varies ? "" : setting_value_text(first, term.name);
    if (value.empty()) continue;
    std::string words = axis_heading(term.name);
    std::replace(words.begin(), words.end(), '_', ' ');
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", words, isolated(value));
  }
  if (text.empty()) return "";
  return fmt::format("<p class=\"about\">{}: {}.</p>\n", run.cases.size() == 1 ? "Settings" : "Same in all cases",
                     text);
}

std::string about(const AnalyzedRun& run, const std::string& store) {
  std::string text = fmt::format("Run {}, started {}", isolated(run.run->id), isolated(run.run->started_at));
  if (!store.empty()) text += ", stored in " + isolated(store);
  return fmt::format("<p class=\"about\">{}.<br>{}</p>\n{}", text, escape_html(host_line(run)), common_settings(run));
}

std::string navigation(const HtmlRun& page) {
  std::string text = "<nav aria-label=\"Sections\">";
  for (const SectionLink& link : section_links(page)) {
    text += fmt::format("<a href=\"#{}-{}\">{}</a>", page.id, link.id, link.title);
  }
  return text + "</nav>\n";
}

std::string best_cell(const AnalyzedRun& run, const char* metric, bool highest) {
  const BestCase best = best_case(run, metric, highest);
  if (best.one == nullptr) return "-";
  return fmt::format("<div data-run=\"{}\">{}<span class=\"why\">{}</span></div>", escape_html(run.run->id),
                     figure_cell(*best.one, best.row), isolated(best.one->label));
}

// Runs side by side; it compares nothing, since their workloads may differ.
std::string overview(const std::vector<HtmlRun>& pages) {
  HtmlTable table;
  table.caption = "All runs in this report. Workloads may differ, so do not compare these values across runs.";
  table.columns = {{"run", false, false},
                   {"started", false, false},
                   {"host", false, true},
                   {"cases", false, true},
                   {"lowest median latency", true, false},
                   {"highest sample/s", true, false}};
  for (const HtmlRun& page : pages) {
    const AnalyzedRun& run = *page.run;
    table.rows.push_back({fmt::format("<a href=\"#{}\">{}</a>", page.id, isolated(name_of(run))),
                          isolated(run.run->started_at), isolated(host_line(run)),
                          run.cases.empty() ? "none" : result_chips(run), best_cell(run, "latency", false),
                          best_cell(run, "throughput_samples", true)});
  }
  return "<section id=\"overview\">\n<h2>Overview</h2>\n" + html_table(table) + "</section>\n";
}

std::string article(const HtmlRun& page, const std::string& store, bool has_title) {
  std::string text =
      fmt::format("<article class=\"run\" id=\"{}\" data-run=\"{}\">\n", page.id, escape_html(page.run->run->id));
  if (has_title) text += fmt::format("<h2>{}</h2>\n{}", isolated(name_of(*page.run)), about(*page.run, store));
  text += navigation(page) + answer_section(page) + comparison_section(page) + figure_section(page) +
          case_section(page) + sample_section(page);
  text += memory_section(page) + verdict_section(page) + environment_section(page) + reproduce_section(page);
  return text + "</article>\n";
}

std::string meaning() {
  std::string text = "<section id=\"meaning\">\n<h2>What the numbers mean</h2>\n<div class=\"card\"><ul>\n";
  for (const std::string_view line : meaning_lines()) text += "<li>" + escape_html(line) + "</li>\n";
  return text + "</ul></div>\n</section>\n";
}

std::string page_title(const std::vector<AnalyzedRun>& runs) {
  return runs.size() == 1 ? name_of(runs.front()) : fmt::format("{} runs", runs.size());
}

std::string head(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"transformeter {}\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<title>{} - transformeter</title>\n<style>\n{}</style>\n</head>\n",
      program_version(), escape_html(title), html_style());
}

}  // namespace

HtmlReport html_report(const std::vector<AnalyzedRun>& runs, const HtmlOptions& options) {
  std::vector<HtmlRun> pages = html_runs(runs);
  HtmlReport report;
  report.plots_problem = draw(pages, options.gnuplot);
  const bool is_one = runs.size() == 1;
  const std::string title = page_title(runs);
  std::string& html = report.html;
  html = head(title) +
         "<body>\n<a class=\"skip\" href=\"#content\">Skip to content</a>\n<div class=\"page\">\n<header>\n" +
         "<p class=\"brand\">transformeter report</p>\n<h1>" + isolated(title) + "</h1>\n";
  if (is_one) html += about(runs.front(), options.store);
  html += "</header>\n<main id=\"content\">\n";
  if (!report.plots_problem.empty()) {
    html += "<p class=\"notice\" id=\"plots-missing\"><strong>This report has no plots</strong>: " +
            escape_html(report.plots_problem) + ".</p>\n";
  }
  if (!is_one) html += overview(pages);
  for (const HtmlRun& page : pages) html += article(page, options.store, !is_one);
  const std::string_view commit = git_commit();
  html += meaning() +
          fmt::format("</main>\n<footer><p>Written by transformeter {}{}.</p></footer>\n</div>\n</body>\n</html>\n",
                      program_version(), commit.empty() ? "" : fmt::format(" ({})", escape_html(commit)));
  return report;
}

}  // namespace transformeter
