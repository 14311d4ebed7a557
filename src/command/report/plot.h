// A plot as numbers and texts, before gnuplot draws it. Texts may be users': the script quotes them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace transformeter {

/// What a mark or a line stands for; report/plot_colours.h gives each a colour for light and for dark pages.
enum class PlotRole {
  kSeries1,  // the first of kSeriesRoles colours that tell curves apart
  kSeries2,
  kSeries3,
  kSeries4,
  kSeries5,
  kSeries6,
  kSeries7,
  kSeries8,
  kContext,  // curves without a colour of their own, uncounted samples
  kAxis,
  kGrid,
  kText,
  kBand,
  kRule,
};
inline constexpr std::size_t kSeriesRoles = 8;

enum class PlotMark { kFilled, kHollow, kCross, kBeyond };

struct PlotPoint {
  double x = 0;
  double y = 0;
  std::optional<double> low;  // interval in y, or in x where PlotCurve says so
  std::optional<double> high;
  PlotMark mark = PlotMark::kFilled;
};

/// A break in `points` (NaN in x) interrupts the line.
struct PlotCurve {
  PlotRole role = PlotRole::kSeries1;
  std::vector<PlotPoint> points;
  bool has_line = true;
  bool is_dashed = false;
  bool has_marks = true;
  bool intervals_in_x = false;
  double mark_size = 0.7;
};

struct PlotTic {
  double at = 0;
  std::string text;
};

struct PlotAxis {
  std::string label;
  double from = 0;
  double to = 1;
  bool is_log = false;
  bool has_grid = false;
  bool is_slanted = false;  // texts of the tics, of a horizontal axis
  std::vector<PlotTic> tics;
};

/// A filled rectangle. A shade from 0, nearly white, to 1, dark, takes the place of the role's colour.
struct PlotBox {
  double x_from = 0;
  double x_to = 0;
  double y_from = 0;
  double y_to = 0;
  PlotRole role = PlotRole::kSeries1;
  std::optional<double> shade;
};

/// A text with its middle at a point.
struct PlotText {
  double x = 0;
  double y = 0;
  std::string text;
  bool is_on_dark = false;  // white, else nearly black
};

struct PlotBand {
  double from = 0;  // in x
  double to = 0;
};

struct Plot {
  PlotAxis x;
  PlotAxis y;
  std::vector<PlotBand> bands;  // shaded, behind all else
  std::vector<PlotBox> boxes;
  std::vector<double> vertical;    // thin rules
  std::vector<double> horizontal;  // thin dashed rules
  std::optional<double> centre;    // a dashed line in front of the curves, in the colour of kSeries2
  std::vector<PlotCurve> curves;   // drawn in order
  std::vector<PlotText> texts;     // in front
  int width = 480;                 // of the SVG's view box
  int height = 300;
  std::size_t left_characters = 0;  // room for the texts of the y tics; 0: as gnuplot likes
};

/// An axis over values from `low` to `high` in units of `unit`: the range padded, five or so round tics with texts in
/// the prefix that fits the largest value, and the unit in the label: "latency (ms)".
struct AxisRequest {
  std::string what;
  std::string unit;  // as declared for metrics; empty: none
  double low = 0;
  double high = 1;
  bool is_log = false;
  bool from_zero = false;
};
PlotAxis make_axis(const AxisRequest& request);

}  // namespace transformeter
