// Title, legend, panels in a grid, notes.
#include "plots/picture_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plots/line_names.h"
#include "plots/page_text.h"

namespace transformeter {
namespace {

constexpr int kEdge = 16;
constexpr int kSample = 26;  // of a line or an area in the legend

int widest_tic(const PlotAxis& axis) {
  int width = 0;
  for (const PlotTic& tic : axis.tics) width = std::max(width, text_width(tic.text, kPanelFont));
  return width;
}

// Around the axes of a panel.
struct Surroundings {
  int left = 0;
  int right = 0;
  int top = 0;
  int bottom = 0;
};

bool has_title(const Picture& picture, const Panel& panel) {
  return picture.panels.size() > 1 && !panel.figure.title.empty();
}

Surroundings surroundings_of(const Picture& picture, const Panel& panel) {
  constexpr int kTic = 14;
  constexpr double kSlant = 0.5;    // sine of the angle of slanted tics
  constexpr double kAcross = 0.87;  // its cosine
  const Plot& plot = panel.figure.plot;
  Surroundings around{kTic + widest_tic(plot.y), kEdge, 4, kTic + line_height(kPanelFont)};
  const int widest = widest_tic(plot.x);
  if (plot.x.is_slanted) {
    around.bottom += static_cast<int>(kSlant * widest);
    const double first = plot.x.tics.empty() ? 0 : (plot.x.tics.front().at - plot.x.from) / (plot.x.to - plot.x.from);
    around.left = std::max(around.left, static_cast<int>(kAcross * widest - first * panel.width));
  } else {
    around.right = std::max(around.right, widest / 2);
  }
  if (!plot.x.label.empty()) around.bottom += line_height(kPanelFont);
  if (!plot.y.label.empty()) around.top += line_height(kPanelFont);
  if (has_title(picture, panel)) around.top += line_height(kPanelFont);
  if (picture.names_lines) around.right = std::max(around.right, line_names_width(panel));
  return around;
}

int height_of(const Picture& picture, const Panel& panel) {
  return picture.names_lines ? std::max(panel.height, line_names_height(panel)) : panel.height;
}

void add_panel_texts(PictureLayout& layout, const Picture& picture, const Panel& panel, const PanelPlace& place,
                     const Surroundings& around) {
  const Plot& plot = panel.figure.plot;
  const int line = line_height(kPanelFont);
  int y = place.top - 4 - line / 2;
  const int x = place.left;
  if (!plot.y.label.empty()) {
    layout.texts.push_back({x, y, plot.y.label, kPanelFont, TextPlace::kLeft, PlotRole::kText, false});
    y -= line;
  }
  if (has_title(picture, panel)) {
    const int room = place.width + around.right - kEdge;
    layout.texts.push_back(
        {x, y, text_within(panel.figure.title, room, kPanelFont), kPanelFont, TextPlace::kLeft, PlotRole::kText, true});
  }
  if (plot.x.label.empty()) return;
  layout.texts.push_back({place.left + place.width / 2, place.top + place.height + around.bottom - line / 2,
                          plot.x.label, kPanelFont, TextPlace::kCentre, PlotRole::kText, false});
}

void add_lines_of_text(PictureLayout& layout, int& y, const std::string& text, int font, bool is_bold) {
  const int line = line_height(font);
  for (const std::string& part : text_lines(text, layout.width - 2 * kEdge, font)) {
    layout.texts.push_back({kEdge, y + line / 2, part, font, TextPlace::kLeft, PlotRole::kText, is_bold});
    y += line;
  }
}

void add_legend(PictureLayout& layout, int& y, const Picture& picture) {
  if (picture.legend.empty()) return;
  constexpr int kApart = 18;
  const int line = line_height(kPanelFont);
  int x = kEdge;
  for (const LegendEntry& entry : picture.legend) {
    const std::string text = text_within(entry.label, layout.width - 2 * kEdge - kSample - 6, kPanelFont);
    const int width = kSample + 6 + text_width(text, kPanelFont);
    if (x > kEdge && x + width > layout.width - kEdge) {
      x = kEdge;
      y += line;
    }
    if (picture.has_areas) {
      layout.areas.push_back({x + kSample - 14, y + line / 2 - 6, 14, 12, entry.role});
    } else {
      layout.lines.push_back({x, y + line / 2, x + kSample, y + line / 2, entry.role, entry.is_dashed, 2});
    }
    layout.texts.push_back({x + kSample + 6, y + line / 2, text, kPanelFont, TextPlace::kLeft, PlotRole::kText, false});
    x += width + kApart;
  }
  y += line + 6;
}

// The axes of a column begin at one x.
void align_columns(const Picture& picture, std::vector<Surroundings>& around) {
  const std::size_t columns = std::max<std::size_t>(1, picture.columns);
  for (std::size_t column = 0; column < std::min(columns, around.size()); ++column) {
    int left = 0;
    for (std::size_t i = column; i < around.size(); i += columns) left = std::max(left, around[i].left);
    for (std::size_t i = column; i < around.size(); i += columns) around[i].left = left;
  }
}

// Sizes of columns and rows are those of their largest panels.
struct Grid {
  std::vector<int> widths;
  std::vector<int> heights;

  int width() const { return std::accumulate(widths.begin(), widths.end(), 0); }
};

Grid grid_of(const Picture& picture, const std::vector<Surroundings>& around) {
  const std::size_t columns = std::max<std::size_t>(1, std::min(picture.columns, picture.panels.size()));
  Grid grid{std::vector<int>(columns, 0), std::vector<int>((picture.panels.size() + columns - 1) / columns, 0)};
  for (std::size_t i = 0; i < picture.panels.size(); ++i) {
    const Panel& panel = picture.panels[i];
    int& width = grid.widths[i % columns];
    int& height = grid.heights[i / columns];
    width = std::max(width, around[i].left + panel.width + around[i].right);
    height = std::max(height, around[i].top + height_of(picture, panel) + around[i].bottom);
  }
  return grid;
}

}  // namespace

PictureLayout lay_out(const Picture& picture) {
  constexpr int kLeastWidth = 420;
  constexpr int kGap = 14;  // between panels
  std::vector<Surroundings> around;
  for (const Panel& panel : picture.panels) around.push_back(surroundings_of(picture, panel));
  align_columns(picture, around);
  const Grid grid = grid_of(picture, around);
  const auto columns = static_cast<int>(grid.widths.size());
  PictureLayout layout;
  layout.width = std::max(kLeastWidth, grid.width() + (columns - 1) * kGap + 2 * kEdge);
  int y = 10;
  add_lines_of_text(layout, y, picture.title, kTitleFont, true);
  y += 4;
  add_legend(layout, y, picture);
  int x = kEdge;
  for (std::size_t i = 0; i < picture.panels.size(); ++i) {
    const std::size_t column = i % grid.widths.size();
    const std::size_t row = i / grid.widths.size();
    if (column == 0) x = kEdge;
    const Panel& panel = picture.panels[i];
    const PanelPlace place{x + around[i].left, y + around[i].top, panel.width, height_of(picture, panel)};
    layout.panels.push_back(place);
    add_panel_texts(layout, picture, panel, place, around[i]);
    if (picture.names_lines) add_line_names(layout, panel, place);
    x += grid.widths[column] + kGap;
    if (column + 1 == grid.widths.size() || i + 1 == picture.panels.size()) y += grid.heights[row] + kGap;
  }
  for (const std::string& note : picture.notes) add_lines_of_text(layout, y, note, kNoteFont, false);
  layout.height = y + 10;
  return layout;
}

}  // namespace transformeter
