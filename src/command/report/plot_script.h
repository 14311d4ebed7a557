// Plots as one gnuplot script.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/plot.h"

namespace transformeter {

/// The file that the script makes for the plot at `index`: "figure-0.svg".
std::string plot_file(std::size_t index);

/// Draws every plot into its file of the working folder. Holds numbers at full precision in inline data blocks, and of
/// text only the characters of kPlainText between single quotes: no text of users, nothing that gnuplot would run.
std::string plot_script(const std::vector<Plot>& plots);

/// What gnuplot draws, in order, one group of the SVG each: the curve it belongs to.
struct PlotElement {
  enum class Kind { kLine, kIntervals, kMarks };
  Kind kind = Kind::kLine;
  std::size_t curve = 0;
  PlotMark mark = PlotMark::kFilled;  // of kMarks
};
std::vector<PlotElement> plot_elements(const Plot& plot);

/// The text of a tic that stands for the n-th label given to clean_svg.
std::string label_placeholder(std::size_t n);

}  // namespace transformeter
