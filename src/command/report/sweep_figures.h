// Figures of a whole run: each metric against what was swept.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "report/figure.h"

namespace transformeter {

/// Rows of the figure that shows cases side by side; further cases are left out and counted in the note.
inline constexpr std::size_t kMaxRows = 24;

/// The setting along the x axis: batch size, sequence length, prompt length, new tokens, threads or padding, the first
/// with two numbers or more among the cases; empty when there is none.
std::string sweep_axis(const AnalyzedRun& run);

/// For each scenario one figure for each metric that two of its cases or more have: latency, cycle time, throughput,
/// memory, accuracy, times of tokens. Along a
/// sweep axis one line for each combination of the other settings (at most kSeriesRoles in colour, the rest in grey);
/// without one, a row for each case. Empty when there is nothing to compare.
std::vector<Figure> sweep_figures(const AnalyzedRun& run);

/// The row a figure of `metric` shows for a case, the headline of latency only where it is no cycle time; null without
/// a finite value.
const MetricRow* plotted_row(const AnalyzedCase& one, const std::string& metric);

}  // namespace transformeter
