// Two plots over each other: the legend, as curves without points, then the plot in the room that it leaves.
#include "report/slide_pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/display_text.h"
#include "report/plot_script.h"

namespace transformeter {
namespace {

constexpr double kWidening = 1.6;  // a page's figures are narrower than a slide
constexpr std::size_t kLegendCharacters = 36;
constexpr double kCharacterWidth = 8.4;  // of the legend's type, in units of a plot
constexpr double kSampleWidth = 60;      // beside a name, with its margins

struct Legend {
  std::vector<std::string> names;
  double start = 1;  // where the plot ends, as a share of the picture's width
};

Legend legend_of(const std::vector<LegendEntry>& entries, int picture_width) {
  Legend legend;
  std::size_t widest = 0;
  for (const LegendEntry& entry : entries) {
    legend.names.push_back(cut_to_columns(one_line(entry.label), kLegendCharacters));
    widest = std::max(widest, display_width(legend.names.back()));
  }
  legend.start = 1 - (kSampleWidth + kCharacterWidth * static_cast<double>(widest)) / picture_width;
  return legend;
}

std::string legend_commands(const std::vector<LegendEntry>& entries, int picture_width) {
  const Legend legend = legend_of(entries, picture_width);
  std::string text = fmt::format(
      "unset border\nunset tics\nset key at screen {:.3f}, screen 0.95 left top Left reverse samplen 2 textcolor rgb "
      "{}\n",
      legend.start, script_colour(PlotRole::kText, PlotFormat::kPng));
  std::string drawings;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    drawings += fmt::format("{}NaN with linespoints lw 1.6 dt {} pt 7 ps 0.7 lc rgb {} title {}", i == 0 ? "" : ", ",
                            entries[i].is_dashed ? "(7,4)" : "1", script_colour(entries[i].role, PlotFormat::kPng),
                            gnuplot_text(legend.names[i]));
  }
  return fmt::format("{}plot [0:1] [0:1] {}\nreset\nset rmargin at screen {:.3f}\n", text, drawings, legend.start);
}

std::string figure_commands(const Figure& figure, std::size_t index) {
  const Plot& plot = figure.plot;
  const int width = static_cast<int>(plot.width * kWidening);
  std::string text = fmt::format("reset\n{}set output '{}'\nset multiplot\n",
                                 terminal_command(PlotFormat::kPng, width, plot.height), slide_picture_name(index));
  if (!figure.legend.empty()) text += legend_commands(figure.legend, width);
  if (plot.left_characters > 0) text += fmt::format("set lmargin {}\n", plot.left_characters);
  return text + panel_commands(plot, PlotFormat::kPng) + "unset multiplot\n";
}

}  // namespace

std::string slide_picture_name(std::size_t index) {
  return plot_file(index, PlotFormat::kPng);
}

std::string slide_pictures_script(const std::vector<Figure>& figures) {
  std::string script = "set encoding utf8\n";
  for (std::size_t i = 0; i < figures.size(); ++i) script += figure_commands(figures[i], i);
  return script.append("unset output\n");
}

DrawnPlots draw_slide_pictures(const std::vector<Figure>& figures, const ToolOptions& options) {
  if (figures.empty()) return {};
  std::vector<std::string> files;
  for (std::size_t i = 0; i < figures.size(); ++i) files.push_back(slide_picture_name(i));
  return draw_script(slide_pictures_script(figures), files, PlotFormat::kPng, options);
}

}  // namespace transformeter
