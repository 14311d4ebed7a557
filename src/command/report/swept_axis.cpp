// Values of a sweep are mostly doubled.
#include "report/swept_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace transformeter {

PlotAxis swept_axis(const std::string& label, std::vector<double> values, std::optional<bool> wants_log) {
  constexpr double kMinLogSpan = 8;  // largest over smallest value from which a logarithmic axis shows more
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const bool is_log = wants_log.value_or(values.front() > 0 && values.back() / values.front() >= kMinLogSpan);
  PlotAxis axis = make_axis({label, "", values.front(), values.back(), is_log, false});
  axis.tics.clear();
  const auto place = [&](double value) {
    return is_log ? std::log(value / axis.from) / std::log(axis.to / axis.from)
                  : (value - axis.from) / (axis.to - axis.from);
  };
  constexpr double kApart = 0.075;  // of the axis, so that the texts do not meet
  double last = -1;
  for (const double value : values) {
    if (place(value) - last < kApart) continue;
    axis.tics.push_back({value, fmt::format("{:.15g}", value)});
    last = place(value);
  }
  return axis;
}

}  // namespace transformeter
