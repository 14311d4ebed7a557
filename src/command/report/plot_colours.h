// The colours of plots, once for light and once for dark pages, and how they travel through gnuplot: the script names a
// role by a colour that nothing else uses, and the SVG gets the light colour and a class for it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "report/plot.h"

namespace transformeter {

struct PlotColour {
  std::string_view light;  // contrast of marks and lines on white at least 3 : 1, of text 4.5 : 1
  std::string_view dark;   // the same on the dark page
};

/// In the order of PlotRole.
inline constexpr std::array<PlotColour, 14> kPlotColours{{
    {"#0b62c4", "#6cb2ff"},  // blue
    {"#c2570c", "#ffa45c"},  // orange
    {"#0f7b4f", "#4fcf95"},  // green
    {"#8e3fb5", "#d19bff"},  // purple
    {"#c4243b", "#ff8592"},  // red
    {"#0e7490", "#45c5dd"},  // teal
    {"#7a5a12", "#d8b455"},  // brown
    {"#b5377f", "#ff8fcb"},  // pink
    {"#6d7580", "#98a2ae"},  // context
    {"#6b7480", "#9aa4b0"},  // axis
    {"#dfe3e8", "#30363f"},  // grid
    {"#4a525e", "#b6bfca"},  // text
    {"#f6ead2", "#3d3318"},  // band
    {"#a06a00", "#e0b45a"},  // rule
}};

/// The colour by which a script names the role: "#fe0103" for the fourth.
std::string role_code(PlotRole role);

/// The role that a colour of gnuplot's SVG, "rgb(254,   1,   3)", stands for; nothing for any other colour.
std::optional<PlotRole> role_of_rgb(std::string_view rgb);

/// The role of the n-th of several curves; those beyond kSeriesRoles are context.
PlotRole series_role(std::size_t n);

/// "#eef4fc" to "#0b3c7d": a blue that is the darker the higher the shade, from 0 to 1, also to the colour-blind.
std::string shade_colour(double shade);

/// Shades from which on text must be white.
inline constexpr double kDarkShade = 0.55;

/// Style rules: a variable for each role in light and dark, and the classes of clean_svg that use them.
std::string plot_style_rules();

}  // namespace transformeter
