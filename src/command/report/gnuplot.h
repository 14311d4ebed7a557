// Plots drawn by gnuplot, all by one process.
#pragma once

#include <string>
#include <vector>

#include "report/plot.h"
#include "report/plot_format.h"
#include "report/report_tool.h"

namespace transformeter {

struct DrawnPlots {
  std::vector<std::string> files;  // as gnuplot wrote them, one for each plot; empty with a problem
  std::string problem;             // why there are none, with what to do; empty: all were drawn
};

/// The files named in `files`, in `format`, which `script` makes in its working folder; otherwise as draw_plots.
DrawnPlots draw_script(const std::string& script, const std::vector<std::string>& files, PlotFormat format,
                       const ToolOptions& options);

/// Never throws for what gnuplot does or lacks: that is a problem to be told. Throws Error(kInterrupted) when
/// `while_waiting` does; no process and no temporary file stays. No process is started without plots.
DrawnPlots draw_plots(const std::vector<Plot>& plots, const ToolOptions& options = {},
                      PlotFormat format = PlotFormat::kSvg);

}  // namespace transformeter
