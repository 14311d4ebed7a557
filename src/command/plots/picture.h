// What one file of `plot` shows: a title, panels and a caption.
#pragma once

#include <string>
#include <vector>

#include "report/figure.h"

namespace transformeter {

struct Panel {
  Figure figure;
  int width = 340;  // between the axes, in pixels
  int height = 220;
};

struct Picture {
  std::string title;
  std::vector<std::string> notes;  // sentences below the panels
  std::vector<Panel> panels;       // row by row, one at least
  std::size_t columns = 1;
  std::vector<LegendEntry> legend;  // below the title
  bool names_lines = false;         // in place of the legend, each line has its name at its end
  bool has_areas = false;           // the legend's samples are filled areas, not lines
};

}  // namespace transformeter
