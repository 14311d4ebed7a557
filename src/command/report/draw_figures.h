// Draws the figures of a document.
#pragma once

#include <string>

#include "report/document.h"
#include "report/gnuplot.h"

namespace transformeter {

/// Gives each figure its id and its SVG, all by one gnuplot. Returns why nothing was drawn; empty: everything was.
/// Throws as draw_plots.
std::string draw_figures(Document& document, const ToolOptions& options);

}  // namespace transformeter
