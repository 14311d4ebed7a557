// Runs as one HTML file that needs nothing else: no network, no script, no other file.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "report/gnuplot.h"

namespace transformeter {

/// Cases whose samples are drawn, over all runs of a report; each run has one at least.
inline constexpr std::size_t kMaxCaseFigures = 12;

struct HtmlOptions {
  std::string store;  // path of the store; empty: left out
  GnuplotOptions gnuplot;
};

struct HtmlReport {
  std::string html;
  std::string plots_problem;  // why it has no plots, as it also says itself; empty: it has them
};

/// The answer first, then figures, cases, samples, memory, verdicts, environment and how to repeat it, for each run;
/// with several runs an overview before them. User text is escaped; figures stand in <data> elements with their value
/// in full precision (report/html_table.h). Without gnuplot the report has its tables and says why plots are missing.
HtmlReport html_report(const std::vector<AnalyzedRun>& runs, const HtmlOptions& options);

}  // namespace transformeter
