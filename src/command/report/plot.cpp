// Round tics: 1, 2 and 5 times powers of ten, in the unit that the label names.
#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace transformeter {
namespace {

struct Prefix {
  std::string_view unit;
  double factor;  // of the base unit
};

constexpr std::array kTimes{Prefix{"ns", 1e-9}, Prefix{"us", 1e-6}, Prefix{"ms", 1e-3}, Prefix{"s", 1}};
constexpr std::array kBytes{Prefix{"B", 1}, Prefix{"KiB", 1024.0}, Prefix{"MiB", 1048576.0},
                            Prefix{"GiB", 1073741824.0}};

// The largest prefix in which `largest` is at least 1.
template <std::size_t N>
Prefix fitting(const std::array<Prefix, N>& prefixes, double largest) {
  Prefix best = prefixes.front();
  for (const Prefix& prefix : prefixes) {
    if (largest >= prefix.factor) best = prefix;
  }
  return best;
}

Prefix prefix_of(const AxisRequest& request) {
  const double largest = std::max(std::fabs(request.low), std::fabs(request.high));
  if (request.unit == "s") return fitting(kTimes, largest);
  if (request.unit == "bytes") return fitting(kBytes, largest);
  if (request.unit == "ratio" || request.unit == "count") return {"", 1};
  return {request.unit, 1};
}

double round_step(double span) {
  constexpr double kTics = 5;
  const double raw = span / kTics;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double multiple : {1.0, 2.0, 5.0}) {
    if (multiple * power >= raw * 0.999) return multiple * power;
  }
  return 10 * power;
}

std::string tic_text(double value, int digits) {
  return fmt::format("{:.{}g}", value, digits);
}

// As many significant digits as neighbouring tics need to differ.
int digits_of(double largest, double step) {
  constexpr int kFewest = 6;
  constexpr int kMost = 15;
  return std::clamp(2 + static_cast<int>(std::ceil(std::log10(largest / step))), kFewest, kMost);
}

void add_linear_tics(PlotAxis& axis, double factor) {
  constexpr double kMaxSteps = 20;
  const double step = round_step((axis.to - axis.from) / factor);
  const double first = std::ceil(axis.from / factor / step - 1e-9) + 0.0;  // no negative zero
  const double last = std::floor(axis.to / factor / step + 1e-9);
  const int steps = static_cast<int>(std::clamp(last - first, -1.0, kMaxSteps));
  const int digits = digits_of(std::max(std::fabs(axis.from), std::fabs(axis.to)) / factor, step);
  for (int i = 0; i <= steps; ++i) {
    const double value = (first + i) * step;
    axis.tics.push_back({value * factor, tic_text(value, digits)});
  }
}

// All of 1, 2 and 5 within two decades, else the powers alone.
void add_log_tics(PlotAxis& axis, double factor) {
  constexpr int kLogDigits = 6;
  const bool is_narrow = std::log10(axis.to / axis.from) < 2.4;
  const int first = static_cast<int>(std::floor(std::log10(axis.from / factor)));
  const int last = static_cast<int>(std::ceil(std::log10(axis.to / factor)));
  for (int power = first; power <= last; ++power) {
    for (const double multiple : {1.0, 2.0, 5.0}) {
      if (multiple > 1 && !is_narrow) continue;
      const double value = multiple * std::pow(10, power);
      if (value * factor >= axis.from * 0.999 && value * factor <= axis.to * 1.001) {
        axis.tics.push_back({value * factor, tic_text(value, kLogDigits)});
      }
    }
  }
}

}  // namespace

PlotAxis make_axis(const AxisRequest& request) {
  PlotAxis axis;
  const Prefix prefix = prefix_of(request);
  axis.label = prefix.unit.empty() ? request.what : fmt::format("{} ({})", request.what, prefix.unit);
  axis.is_log = request.is_log && request.low > 0;
  if (axis.is_log) {
    constexpr double kPad = 1.15;
    axis.from = request.low / kPad;
    axis.to = request.high * kPad;
    add_log_tics(axis, prefix.factor);
    if (axis.tics.size() > 1) return axis;
    axis.tics.clear();  // too narrow for round numbers of the logarithm
    add_linear_tics(axis, prefix.factor);
    return axis;
  }
  const double low = request.from_zero ? std::min(0.0, request.low) : request.low;
  double span = request.high - low;
  if (!(span > 0)) span = request.high != 0 ? std::fabs(request.high) * 0.1 : 1;
  // Values that differ in their last bits alone leave no room for tics between them.
  constexpr double kMinSpan = 1e-9;
  constexpr double kPad = 0.06;
  const double pad = std::max(kPad * span, kMinSpan * std::max(std::fabs(low), std::fabs(request.high)));
  axis.from = request.from_zero ? low : low - pad;
  axis.to = request.high + pad;
  add_linear_tics(axis, prefix.factor);
  return axis;
}

}  // namespace transformeter
