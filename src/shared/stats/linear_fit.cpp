// Weighted least squares about the weighted mean of x, which keeps the sums well conditioned.
#include "stats/linear_fit.h"

#include <algorithm>
#include <cmath>

#include "stats/student_t.h"

namespace transformeter {
namespace {

constexpr std::size_t kMinPoints = 3;

bool is_usable(const LinePoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.half_width) && point.half_width > 0;
}

double weight_of(const LinePoint& point) {
  return 1 / (point.half_width * point.half_width);
}

}  // namespace

std::optional<LineFit> fit_line(std::span<const LinePoint> points, bool errors_are_known) {
  if (points.size() < kMinPoints || !std::all_of(points.begin(), points.end(), is_usable)) return std::nullopt;
  double weights = 0;
  double x_sum = 0;
  double y_sum = 0;
  for (const LinePoint& point : points) {
    weights += weight_of(point);
    x_sum += weight_of(point) * point.x;
    y_sum += weight_of(point) * point.y;
  }
  const double x_mean = x_sum / weights;
  const double y_mean = y_sum / weights;
  double squares = 0;
  double products = 0;
  for (const LinePoint& point : points) {
    squares += weight_of(point) * (point.x - x_mean) * (point.x - x_mean);
    products += weight_of(point) * (point.x - x_mean) * (point.y - y_mean);
  }
  if (!(squares > 0)) return std::nullopt;
  const double slope = products / squares;
  const double intercept = y_mean - slope * x_mean;
  double scatter = 0;
  for (const LinePoint& point : points) {
    const double residual = point.y - intercept - slope * point.x;
    scatter += weight_of(point) * residual * residual;
  }
  // With weights of half-widths, √variance is a half-width already; of the scatter it becomes one by t.
  const double freedom = static_cast<double>(points.size()) - 2;
  const double by_scatter = student_t_quantile(0.975, freedom) * std::sqrt(scatter / freedom);
  const double scale = errors_are_known ? std::max(1.0, by_scatter) : by_scatter;
  const auto estimate = [&](double value, double variance) {
    const double half_width = scale * std::sqrt(variance);
    return Estimate{value, Interval{value - half_width, value + half_width}, points.size()};
  };
  return LineFit{estimate(intercept, 1 / weights + x_mean * x_mean / squares), estimate(slope, 1 / squares)};
}

}  // namespace transformeter
