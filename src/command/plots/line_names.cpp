// Names keep the order of their lines' ends, so that no two leaders cross at one x.
#include "plots/line_names.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "plots/page_text.h"

namespace transformeter {
namespace {

constexpr int kLeader = 18;   // from the axes' box to the names
constexpr int kWidest = 420;  // of a name
constexpr int kSpacing = 17;

struct LineName {
  std::string text;
  PlotRole role;
  int x = 0;  // where the curve ends
  int y = 0;
  int at = 0;  // the name's own height
};

std::string name_of_curve(const Panel& panel, std::size_t curve) {
  if (panel.figure.plot.curves[curve].role == PlotRole::kContext || curve >= panel.figure.curves.size()) return "";
  return text_within(panel.figure.curves[curve], kWidest, kPanelFont);
}

double share_of(const PlotAxis& axis, double value) {
  if (axis.is_log) return std::log(value / axis.from) / std::log(axis.to / axis.from);
  return (value - axis.from) / (axis.to - axis.from);
}

std::vector<LineName> names_of_lines(const Panel& panel, const PanelPlace& place) {
  std::vector<LineName> names;
  const Plot& plot = panel.figure.plot;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const auto& points = plot.curves[i].points;
    const auto last = std::find_if(points.rbegin(), points.rend(), [](const auto& p) { return std::isfinite(p.y); });
    const std::string text = name_of_curve(panel, i);
    if (last == points.rend() || text.empty()) continue;
    const int x = place.left + static_cast<int>(std::lround(share_of(plot.x, last->x) * place.width));
    const int y = place.top + static_cast<int>(std::lround((1 - share_of(plot.y, last->y)) * place.height));
    names.push_back({text, plot.curves[i].role, x, y, y});
  }
  std::stable_sort(names.begin(), names.end(), [](const LineName& a, const LineName& b) { return a.y < b.y; });
  return names;
}

// Downwards first, then up again from the bottom.
void move_apart(std::vector<LineName>& names, const PanelPlace& place) {
  int least = place.top;
  for (LineName& name : names) {
    name.at = std::max(name.at, least);
    least = name.at + kSpacing;
  }
  int most = place.top + place.height;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    name->at = std::min(name->at, most);
    most = name->at - kSpacing;
  }
}

}  // namespace

int line_names_width(const Panel& panel) {
  int width = 0;
  for (std::size_t i = 0; i < panel.figure.plot.curves.size(); ++i) {
    width = std::max(width, text_width(name_of_curve(panel, i), kPanelFont));
  }
  return width == 0 ? 0 : width + kLeader + 4;
}

int line_names_height(const Panel& panel) {
  int count = 0;
  for (std::size_t i = 0; i < panel.figure.plot.curves.size(); ++i) {
    if (!name_of_curve(panel, i).empty()) ++count;
  }
  return count * kSpacing;
}

void add_line_names(PictureLayout& layout, const Panel& panel, const PanelPlace& place) {
  std::vector<LineName> names = names_of_lines(panel, place);
  move_apart(names, place);
  const int x = place.left + place.width + kLeader;
  for (const LineName& name : names) {
    layout.texts.push_back({x, name.at, name.text, kPanelFont, TextPlace::kLeft, name.role, false});
    layout.lines.push_back({name.x + 6, name.y, x - 3, name.at, name.role, false, 0.6});
  }
}

}  // namespace transformeter
