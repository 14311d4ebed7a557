// Everything stands at places of the whole page, which is drawn as one plot over another: first texts and legend, then
// the panels.
#include "plots/picture_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "plots/page_text.h"
#include "plots/picture_layout.h"
#include "report/plot_script.h"
#include "report/svg.h"

namespace transformeter {
namespace {

// gnuplot counts from the lower left corner.
std::string screen(const PictureLayout& layout, int x, int y) {
  return fmt::format("screen {:.6f}, screen {:.6f}", static_cast<double>(x) / layout.width,
                     1 - static_cast<double>(y) / layout.height);
}

const char* gnuplot_word(TextPlace place) {
  switch (place) {
    case TextPlace::kLeft:
      return "left";
    case TextPlace::kCentre:
      return "center";
    case TextPlace::kRight:
      return "right";
  }
  return "left";
}

std::string page_commands(const PictureLayout& layout, PlotFormat format) {
  std::string text = "unset key\nunset border\nunset tics\nset xrange [0:1]\nset yrange [0:1]\n";
  for (const PageText& one : layout.texts) {
    text += fmt::format("set label {} at {} {} font 'sans-serif{},{}' textcolor rgb {}\n", gnuplot_text(one.text),
                        screen(layout, one.x, one.y), gnuplot_word(one.place), one.is_bold ? ":Bold" : "", one.font,
                        script_colour(one.role, format));
  }
  for (const PageLine& line : layout.lines) {
    text += fmt::format("set arrow from {} to {} nohead lw {} dt {} lc rgb {}\n",
                        screen(layout, line.x_from, line.y_from), screen(layout, line.x_to, line.y_to), line.width,
                        line.is_dashed ? "(7,4)" : "1", script_colour(line.role, format));
  }
  int id = 0;
  for (const PageArea& area : layout.areas) {
    text += fmt::format("set object {} rectangle from {} to {} fc rgb {} fs solid noborder\n", ++id,
                        screen(layout, area.x, area.y + area.height), screen(layout, area.x + area.width, area.y),
                        script_colour(area.role, format));
  }
  return text.append("plot NaN notitle\n");
}

std::string margin_commands(const PictureLayout& layout, const PanelPlace& place) {
  const double width = layout.width;
  const double height = layout.height;
  return fmt::format(
      "reset\nset lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\nset tmargin at screen {:.6f}\nset bmargin at "
      "screen {:.6f}\n",
      place.left / width, (place.left + place.width) / width, 1 - place.top / height,
      1 - (place.top + place.height) / height);
}

// Its axes' names are among the page's texts.
Plot without_names(Plot plot) {
  plot.x.label.clear();
  plot.y.label.clear();
  return plot;
}

std::string described(const Picture& picture) {
  std::string text;
  for (const Panel& panel : picture.panels) text += panel.figure.description;
  for (const std::string& note : picture.notes) text += note + " ";
  return text;
}

}  // namespace

std::string picture_script(const Picture& picture, PlotFormat format, const std::string& file) {
  const PictureLayout layout = lay_out(picture);
  std::string script = fmt::format("set encoding utf8\nreset\n{}set output '{}'\nset multiplot\n",
                                   terminal_command(format, layout.width, layout.height, kPanelFont), file);
  script += page_commands(layout, format);
  for (std::size_t i = 0; i < picture.panels.size(); ++i) {
    script += margin_commands(layout, layout.panels[i]);
    script += panel_commands(without_names(picture.panels[i].figure.plot), format);
  }
  return script.append("unset multiplot\nunset output\n");
}

std::string picture_file(const Picture& picture, PlotFormat format, const ToolOptions& options) {
  const std::string file = fmt::format("picture.{}", name_of(format));
  DrawnPlots drawn = draw_script(picture_script(picture, format, file), {file}, format, options);
  if (!drawn.problem.empty()) throw Error(ErrorKind::kEnvironment, drawn.problem);
  if (format != PlotFormat::kSvg) return std::move(drawn.files.front());
  const PictureLayout layout = lay_out(picture);
  return standalone_svg(drawn.files.front(), layout.width, layout.height,
                        {"picture", picture.title, described(picture), {}});
}

}  // namespace transformeter
