// Where everything of a picture stands on its page, in pixels from the upper left corner.
#pragma once

#include <string>
#include <vector>

#include "plots/picture.h"

namespace transformeter {

enum class TextPlace { kLeft, kCentre, kRight };  // of the point in the text

struct PageText {
  int x = 0;
  int y = 0;  // of the line's middle
  std::string text;
  int font = 0;
  TextPlace place = TextPlace::kLeft;
  PlotRole role = PlotRole::kText;
  bool is_bold = false;
};

struct PageLine {
  int x_from = 0;
  int y_from = 0;
  int x_to = 0;
  int y_to = 0;
  PlotRole role = PlotRole::kContext;
  bool is_dashed = false;
  double width = 1.6;
};

struct PageArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  PlotRole role = PlotRole::kContext;
};

/// The axes' box, without what stands around it.
struct PanelPlace {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};

struct PictureLayout {
  int width = 0;
  int height = 0;
  std::vector<PanelPlace> panels;  // as those of the picture
  std::vector<PageText> texts;
  std::vector<PageLine> lines;
  std::vector<PageArea> areas;
};

/// Every text has its room: the page grows. Names of lines are moved apart where they would meet.
PictureLayout lay_out(const Picture& picture);

}  // namespace transformeter
