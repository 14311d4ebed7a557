// In two passes, so that a large mean costs no digits.
#include "stats/correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "stats/ranks.h"

namespace transformeter {
namespace {

std::vector<double> picked(std::span<const double> values, std::span<const std::size_t> chosen) {
  std::vector<double> taken;
  taken.reserve(chosen.size());
  for (const std::size_t i : chosen) taken.push_back(values[i]);
  return taken;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Not by its deviations, which rounding of the mean leaves above 0.
bool is_constant(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 2 || is_constant(x) || is_constant(y)) return std::nullopt;
  const double mean_x = mean_of(x);
  const double mean_y = mean_of(y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x;
    const double dy = y[i] - mean_y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  const double norm = std::sqrt(xx) * std::sqrt(yy);
  if (!(norm > 0)) return std::nullopt;
  return std::clamp(xy / norm, -1.0, 1.0);
}

void check_sizes(std::span<const double> x, std::span<const double> y) {
  if (x.size() == y.size()) return;
  throw Error(ErrorKind::kInternal, fmt::format("{} numbers are correlated with {}", x.size(), y.size()));
}

}  // namespace

std::optional<double> pearson(std::span<const double> x, std::span<const double> y,
                              std::span<const std::size_t> chosen) {
  check_sizes(x, y);
  return correlation(picked(x, chosen), picked(y, chosen));
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y,
                               std::span<const std::size_t> chosen) {
  check_sizes(x, y);
  return correlation(rank_with_ties(picked(x, chosen)).rank, rank_with_ties(picked(y, chosen)).rank);
}

}  // namespace transformeter
