// Reports of runs, in the form that is asked for.
#pragma once

#include <span>
#include <string>

#include "report/gnuplot.h"
#include "report/run_document.h"
#include "report/terminal_document.h"
#include "report/text_document.h"

namespace transformeter {

struct HtmlOptions {
  std::string store;  // path of the store; empty: left out
  ToolOptions gnuplot;
  bool is_for_paper = false;  // as pdf_of_html wants it
  std::string page;           // a template (html_template.h); empty: the built-in one
  std::span<const ReportSection> sections = kReportSections;
  std::span<const RunComparison> comparisons = {};  // as those of run_document.h
  std::span<const RunProfiles> profiles = {};       // likewise
};

struct HtmlReport {
  std::string html;
  std::string plots_problem;  // why it has no plots, as it also says itself; empty: it has them
};

/// One file that needs nothing else (html_document.h). Without gnuplot it has its tables and says why plots are
/// missing. One run at least.
HtmlReport html_report(std::span<const AnalyzedRun> runs, const HtmlOptions& options);

/// The same sections, but for those of figures, as Markdown. `options.is_page` is not read.
std::string markdown_report(std::span<const AnalyzedRun> runs, RunDocumentOptions options);

/// What a terminal shows of a run: its table, then what it needs to be read rightly: reasons of cases without a result,
/// verdict reasons with what to do about them, weights, task, data, intervals, notes, host, run and store. Pending,
/// unsupported and failed cases have their rows. `store` as above.
std::string terminal_report(const AnalyzedRun& run, const std::string& store, const TextOptions& options,
                            PendingLine pending = PendingLine::kShown);

}  // namespace transformeter
