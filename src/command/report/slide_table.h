// A table cut to what fits on a slide.
#pragma once

#include "report/slides.h"

namespace transformeter {

/// The first column, as many of the next as there is width for, and as many rows from the top as there is height for,
/// one of each at least. Figures have no intervals and cells no second line.
SlideTable slide_table(const Table& table);

}  // namespace transformeter
