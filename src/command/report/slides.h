// A document as slides: what of it fits on one, and where the rest is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/document.h"

namespace transformeter {

/// All texts are plain, as in a document.
struct SlideTable {
  std::vector<std::string> headings;
  std::vector<bool> are_numbers;               // of each column: aligned right
  std::vector<double> shares;                  // of the width, one for each column; together 1
  std::vector<std::vector<std::string>> rows;  // of cells
  std::string note;                            // how much was left out; empty: nothing
};

/// One of lines, table, figure and code; or a title alone.
struct Slide {
  std::string title;
  bool is_heading = false;  // begins the slides of a run
  std::vector<std::string> lines;
  std::optional<SlideTable> table;
  std::optional<Figure> figure;
  std::string code;
  std::string notes;  // for the speaker: what the slide has no room for
};

struct Deck {
  std::string title;
  std::vector<std::string> subtitle;
  std::vector<Slide> slides;
};

/// A slide for each sentence that matters most, each table and each figure; other sentences a few together. Tables lose
/// the rows and columns that do not fit, and say so. Folded details and the parts of sub-sections are left out.
Deck slides_of(const Document& document);

}  // namespace transformeter
