// How a table lies on a page of paper, which cannot scroll.
#pragma once

#include <vector>

#include "report/document.h"
#include "report/medium.h"

namespace transformeter {

/// Names in a cell of paper, or on a screen before the rest is folded.
inline constexpr std::size_t kMaxNamed = 4;

struct PaperColumns {
  std::vector<double> shares;  // of the table's width, in percent, one for each column
  bool is_dense = false;       // needs smaller type
};

/// Each column gets what its longest line needs; where that is too much for the page, columns of long texts give way
/// down to their longest word. Fixed widths also keep long tables fast: WeasyPrint measures every cell otherwise.
PaperColumns paper_columns(const Table& table, Medium paper);

/// Landscape where any table is too wide for an upright page.
Medium paper_for(const Document& document);

}  // namespace transformeter
