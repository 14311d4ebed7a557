// Role n is the colour (254, 1, n).
#include "report/plot_colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace transformeter {
namespace {

constexpr int kRed = 254;
constexpr int kGreen = 1;

std::string variables(std::string_view PlotColour::*colour) {
  std::string text;
  for (std::size_t i = 0; i < kPlotColours.size(); ++i) {
    text += fmt::format("--plot-{}:{};", i, kPlotColours[i].*colour);
  }
  return text;
}

}  // namespace

std::string role_code(PlotRole role) {
  return fmt::format("#{:02x}{:02x}{:02x}", kRed, kGreen, static_cast<int>(role));
}

std::optional<PlotRole> role_of_rgb(std::string_view rgb) {
  if (!rgb.starts_with("rgb(") || !rgb.ends_with(")")) return std::nullopt;
  const std::vector<std::string> parts = split(rgb.substr(4, rgb.size() - 5), ',');
  if (parts.size() != 3 || parse_integer(trim(parts[0])) != kRed || parse_integer(trim(parts[1])) != kGreen) {
    return std::nullopt;
  }
  const auto role = parse_integer(trim(parts[2]));
  if (!role || *role < 0 || *role >= static_cast<long long>(kPlotColours.size())) return std::nullopt;
  return static_cast<PlotRole>(*role);
}

PlotRole series_role(std::size_t n) {
  return n < kSeriesRoles ? static_cast<PlotRole>(n) : PlotRole::kContext;
}

std::string shade_colour(double shade) {
  constexpr std::array<double, 3> kLight{0xee, 0xf4, 0xfc};
  constexpr std::array<double, 3> kDark{0x0b, 0x3c, 0x7d};
  const double part = std::clamp(shade, 0.0, 1.0);
  std::string text = "#";
  for (std::size_t i = 0; i < kLight.size(); ++i) {
    text += fmt::format("{:02x}", static_cast<int>(std::lround(kLight[i] + part * (kDark[i] - kLight[i]))));
  }
  return text;
}

std::string plot_style_rules() {
  std::string text = fmt::format(":root{{{}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n",
                                 variables(&PlotColour::light), variables(&PlotColour::dark));
  for (std::size_t i = 0; i < kPlotColours.size(); ++i) {
    text += fmt::format(".s{0}{{stroke:var(--plot-{0})}}.f{0}{{fill:var(--plot-{0})}}\n", i);
  }
  return text;
}

}  // namespace transformeter
