// Plots drawn by gnuplot, all by one process.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "report/plot.h"

namespace transformeter {

struct GnuplotOptions {
  std::filesystem::path program;              // empty: the gnuplot that PATH finds
  std::chrono::duration<double> limit{60.0};  // for all plots together
};

struct DrawnPlots {
  std::vector<std::string> svgs;  // as gnuplot wrote them, one for each plot; empty with a problem
  std::string problem;            // why there are none, with what to do; empty: all were drawn
};

/// Never throws for what gnuplot does or lacks: that is a problem to be told. No process is started without plots.
DrawnPlots draw_plots(const std::vector<Plot>& plots, const GnuplotOptions& options = {});

}  // namespace transformeter
