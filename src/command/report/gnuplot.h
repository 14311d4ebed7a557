// Plots drawn by gnuplot, all by one process.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/plot.h"
#include "report/plot_format.h"

namespace transformeter {

struct GnuplotOptions {
  std::filesystem::path program;              // empty: the gnuplot that PATH finds
  std::chrono::duration<double> limit{60.0};  // for all plots together
  std::function<void()> while_waiting;        // called many times a second; may throw to stop, which ends gnuplot
  PlotFormat format = PlotFormat::kSvg;
};

struct DrawnPlots {
  std::vector<std::string> files;  // as gnuplot wrote them, one for each plot; empty with a problem
  std::string problem;             // why there are none, with what to do; empty: all were drawn
};

/// The files named in `files`, which `script` makes in its working folder; otherwise as draw_plots.
DrawnPlots draw_script(const std::string& script, const std::vector<std::string>& files,
                       const GnuplotOptions& options = {});

/// Never throws for what gnuplot does or lacks: that is a problem to be told. Throws Error(kInterrupted) when
/// `while_waiting` does; no process and no temporary file stays. No process is started without plots.
DrawnPlots draw_plots(const std::vector<Plot>& plots, const GnuplotOptions& options = {});

}  // namespace transformeter
