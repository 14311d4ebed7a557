// One block of commands per plot; everything is said, so that nothing of gnuplot's defaults or of the plot before
// shows.
#include "report/plot_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/display_text.h"
#include "report/plot_colours.h"

namespace transformeter {
namespace {

constexpr std::array kMarks{PlotMark::kFilled, PlotMark::kHollow, PlotMark::kCross, PlotMark::kBeyond};

// gnuplot's numbers of the symbols; svg.cpp draws them.
int point_type(PlotMark mark) {
  switch (mark) {
    case PlotMark::kFilled:
      return 7;
    case PlotMark::kHollow:
      return 6;
    case PlotMark::kCross:
      return 2;
    case PlotMark::kBeyond:
      return 9;
  }
  return 7;
}

// A tic's text is a format, in which a percent sign stands for itself when it is doubled.
std::string quoted_tic(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '%' ? 2 : 1, c);
  return gnuplot_text(doubled);
}

bool has_value(const PlotPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

bool has_interval(const PlotPoint& point) {
  return has_value(point) && point.low && point.high;
}

std::string axis_commands(const PlotAxis& axis, char name, PlotFormat format) {
  std::string text;
  if (axis.is_log) text += fmt::format("set logscale {} 10\n", name);
  text += fmt::format("set {}range [{}:{}]\n", name, axis.from, axis.to);
  text += fmt::format("set {}label {} textcolor rgb {}\n", name, gnuplot_text(axis.label),
                      script_colour(PlotRole::kText, format));
  std::string tics;
  for (const PlotTic& tic : axis.tics) {
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", quoted_tic(tic.text), tic.at);
  }
  text += fmt::format("set {}tics nomirror out scale 0.4 {}({}) textcolor rgb {}\n", name,
                      axis.is_slanted ? "rotate by 30 right " : "", tics, script_colour(PlotRole::kText, format));
  if (axis.has_grid)
    text += fmt::format("set grid {}tics lt 1 lw 0.8 lc rgb {}\n", name, script_colour(PlotRole::kGrid, format));
  return text;
}

std::string backdrop_commands(const Plot& plot, PlotFormat format) {
  std::string text;
  int id = 0;
  for (const PlotBand& band : plot.bands) {
    text += fmt::format(
        "set object {} rectangle from first {}, graph 0 to first {}, graph 1 behind fc rgb {} fs solid noborder\n",
        ++id, band.from, band.to, script_colour(PlotRole::kBand, format));
  }
  for (const PlotBox& box : plot.boxes) {
    const std::string fill =
        box.shade ? fmt::format("'{}'", shade_colour(*box.shade)) : script_colour(box.role, format);
    text += fmt::format(
        "set object {} rectangle from first {}, first {} to first {}, first {} behind fc rgb {} fs solid noborder\n",
        ++id, box.x_from, box.y_from, box.x_to, box.y_to, fill);
  }
  for (const double x : plot.vertical) {
    text += fmt::format("set arrow {} from first {}, graph 0 to first {}, graph 1 nohead back lc rgb {} lw 0.8\n", ++id,
                        x, x, script_colour(PlotRole::kRule, format));
  }
  for (const double y : plot.horizontal) {
    text +=
        fmt::format("set arrow {} from graph 0, first {} to graph 1, first {} nohead back lc rgb {} lw 0.8 dt (5,4)\n",
                    ++id, y, y, script_colour(PlotRole::kAxis, format));
  }
  if (plot.centre) {
    text +=
        fmt::format("set arrow {} from graph 0, first {} to graph 1, first {} nohead front lc rgb {} lw 1.6 dt (7,4)\n",
                    ++id, *plot.centre, *plot.centre, script_colour(PlotRole::kSeries2, format));
  }
  return text;
}

std::string text_commands(const Plot& plot) {
  std::string text;
  for (const PlotText& one : plot.texts) {
    text += fmt::format("set label {} at first {}, first {} center front textcolor rgb {}\n", gnuplot_text(one.text),
                        one.x, one.y, one.is_on_dark ? "'#ffffff'" : "'#10151c'");
  }
  return text;
}

// A block's columns: x, y and, for intervals, where the bar begins and its length.
std::string data_row(const PlotCurve& curve, const PlotPoint& point, PlotElement::Kind kind) {
  if (kind != PlotElement::Kind::kIntervals) {
    return has_value(point) ? fmt::format("{} {}\n", point.x, point.y) : "NaN NaN\n";
  }
  const double length = *point.high - *point.low;
  if (curve.intervals_in_x) return fmt::format("{} {} {} 0\n", *point.low, point.y, length);
  return fmt::format("{} {} 0 {}\n", point.x, *point.low, length);
}

bool is_drawn(const PlotElement& element, const PlotPoint& point) {
  switch (element.kind) {
    case PlotElement::Kind::kLine:
      return true;
    case PlotElement::Kind::kIntervals:
      return has_interval(point);
    case PlotElement::Kind::kMarks:
      return has_value(point) && point.mark == element.mark;
  }
  return false;
}

std::string drawing(const PlotCurve& curve, const PlotElement& element, PlotFormat format) {
  const std::string role = script_colour(curve.role, format);
  switch (element.kind) {
    case PlotElement::Kind::kLine:
      return fmt::format("using 1:2 with lines lw 1.6 dt {} lc rgb {} notitle", curve.is_dashed ? "(7,4)" : "1", role);
    case PlotElement::Kind::kIntervals:
      return fmt::format("using 1:2:3:4 with vectors nohead lw 1.2 lc rgb {} notitle", role);
    case PlotElement::Kind::kMarks:
      return fmt::format("using 1:2 with points pt {} ps {} lc rgb {} notitle", point_type(element.mark),
                         curve.mark_size, role);
  }
  return "";
}

}  // namespace

std::string script_colour(PlotRole role, PlotFormat format) {
  if (format == PlotFormat::kSvg) return fmt::format("'{}'", role_code(role));
  return fmt::format("'{}'", kPlotColours[static_cast<std::size_t>(role)].light);
}

std::string gnuplot_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : one_line(text)) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted.append("'");
}

std::string panel_commands(const Plot& plot, PlotFormat format) {
  std::string text = fmt::format("unset key\nset border 3 lc rgb {} lw 0.8\n", script_colour(PlotRole::kAxis, format));
  text.append(axis_commands(plot.x, 'x', format))
      .append(axis_commands(plot.y, 'y', format))
      .append(backdrop_commands(plot, format))
      .append(text_commands(plot));
  std::string blocks;
  std::string drawings;
  std::size_t count = 0;
  for (const PlotElement& element : plot_elements(plot)) {
    const PlotCurve& curve = plot.curves[element.curve];
    blocks += fmt::format("$d{} << end_of_block\n", count);
    for (const PlotPoint& point : curve.points) {
      if (is_drawn(element, point)) blocks += data_row(curve, point, element.kind);
    }
    blocks += "end_of_block\n";
    drawings += fmt::format("{}$d{} {}", count == 0 ? "" : ", ", count, drawing(curve, element, format));
    ++count;
  }
  // A plot without points still has its axes.
  return fmt::format("{}{}plot {}\n", text, blocks, drawings.empty() ? "NaN notitle" : drawings);
}

std::string plot_file(std::size_t index, PlotFormat format) {
  return fmt::format("figure-{}.{}", index, name_of(format));
}

std::vector<PlotElement> plot_elements(const Plot& plot) {
  using Kind = PlotElement::Kind;
  std::vector<PlotElement> elements;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const PlotCurve& curve = plot.curves[i];
    const auto any = [&](auto&& holds) { return std::any_of(curve.points.begin(), curve.points.end(), holds); };
    if (!any(has_value)) continue;
    if (curve.has_line && curve.points.size() > 1) elements.push_back({Kind::kLine, i, PlotMark::kFilled});
    if (any(has_interval)) elements.push_back({Kind::kIntervals, i, PlotMark::kFilled});
    for (const PlotMark mark : kMarks) {
      if (curve.has_marks && any([&](const PlotPoint& point) { return has_value(point) && point.mark == mark; })) {
        elements.push_back({Kind::kMarks, i, mark});
      }
    }
  }
  return elements;
}

std::string plot_script(const std::vector<Plot>& plots, PlotFormat format) {
  std::string script = "set encoding utf8\n";
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const Plot& plot = plots[i];
    script += fmt::format("reset\n{}set output '{}'\n", terminal_command(format, plot.width, plot.height),
                          plot_file(i, format));
    if (plot.left_characters > 0) script += fmt::format("set lmargin {}\n", plot.left_characters);
    script += panel_commands(plot, format);
  }
  return script.append("unset output\n");
}

}  // namespace transformeter
