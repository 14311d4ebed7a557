// gnuplot's SVG made fit to stand in a page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/plot.h"

namespace transformeter {

struct SvgText {
  std::string id;                   // unique in the page: what the SVG defines begins with it
  std::string title;                // for screen readers; plain text, escaped here, as the next two
  std::string description;          // what the plot shows
  std::vector<std::string> curves;  // names of the plot's curves, which browsers show on hovering; may be shorter
};

/// Builds a new SVG element from the shapes and texts of gnuplot's: known elements and attributes alone, a view box
/// instead of a size, a title and a description, colours as the light colour of their role and its class (s0, f0:
/// stroke, fill). Empty when `svg` holds no complete SVG document.
std::string clean_svg(std::string_view svg, const Plot& plot, const SvgText& text);

/// A clean SVG as the source of an image: a renderer need not hold the page's style rules against each of its shapes.
/// Its texts have a font of their own.
std::string image_source(std::string_view clean);

/// The same for a file of its own: with a size, a white page, a font and no classes, since no style rules are there.
std::string standalone_svg(std::string_view svg, int width, int height, const SvgText& text);

}  // namespace transformeter
