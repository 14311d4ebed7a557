// Names at the ends of a panel's lines, in place of a legend.
#pragma once

#include "plots/picture_layout.h"

namespace transformeter {

/// The room that they take, right of the axes.
int line_names_width(const Panel& panel);

/// The height at which they fit below each other.
int line_names_height(const Panel& panel);

/// Adds the names, with a thin line to each from where its curve ends. Grey curves have none.
void add_line_names(PictureLayout& layout, const Panel& panel, const PanelPlace& place);

}  // namespace transformeter
