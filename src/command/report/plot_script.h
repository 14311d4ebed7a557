// Plots as one gnuplot script.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/plot.h"
#include "report/plot_format.h"

namespace transformeter {

/// The file that the script makes for the plot at `index`: "figure-0.svg".
std::string plot_file(std::size_t index, PlotFormat format);

/// Draws every plot into its file of the working folder. Holds numbers at full precision in inline data blocks, and
/// texts as gnuplot_text: nothing of them is run. An SVG has the colours of role_code, for clean_svg, the others have
/// those of light pages.
std::string plot_script(const std::vector<Plot>& plots, PlotFormat format = PlotFormat::kSvg);

/// What draws the plot into the part of the page that the margins leave, without terminal, file and margins.
std::string panel_commands(const Plot& plot, PlotFormat format);

/// The role's colour as the script of that format names it, in quotes.
std::string script_colour(PlotRole role, PlotFormat format);

/// The text as one_line between single quotes, in which gnuplot takes all characters as they are.
std::string gnuplot_text(std::string_view text);

/// What gnuplot draws, in order, one group of the SVG each: the curve it belongs to.
struct PlotElement {
  enum class Kind { kLine, kIntervals, kMarks };
  Kind kind = Kind::kLine;
  std::size_t curve = 0;
  PlotMark mark = PlotMark::kFilled;  // of kMarks
};
std::vector<PlotElement> plot_elements(const Plot& plot);

}  // namespace transformeter
