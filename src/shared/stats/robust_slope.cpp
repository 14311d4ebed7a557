// All pairs are looked at: 512 values have 131 thousand.
#include "stats/robust_slope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "stats/dependence.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr std::size_t kMinValues = 10;
constexpr std::size_t kMaxValues = 512;
constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5 %

std::vector<double> condensed(std::span<const double> values, std::size_t size) {
  std::vector<double> medians;
  for (std::size_t i = 0; i + size <= values.size(); i += size) {
    const auto part = values.subspan(i, size);
    medians.push_back(*median_of({part.begin(), part.end()}));
  }
  return medians;
}

std::vector<double> slopes_of_pairs(const std::vector<double>& values) {
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  std::sort(slopes.begin(), slopes.end());
  return slopes;
}

// The residuals of a line have a lag-1 autocorrelation that is too low by (2 + 4ρ)/n (Tanaka 1984), which is more than
// of values about a mean. With it and cautious_rho an AR(1) process with ρ = 0.7 is covered to 94 to 96 % from 10
// values on; with the bias of values about a mean, and no caution, 50 values were to 92 %.
double variance_inflation(const std::vector<double>& values, double slope) {
  std::vector<double> residuals;
  for (std::size_t i = 0; i < values.size(); ++i) residuals.push_back(values[i] - slope * static_cast<double>(i));
  const auto raw = lag1_autocorrelation(residuals);
  if (!raw) return 1;
  const auto n = static_cast<double>(values.size());
  const double rho = std::clamp((n * *raw + 2) / (n - 4), 0.0, 1.0);
  return variance_inflation_of_ar1(cautious_rho(rho, values.size()));
}

}  // namespace

std::optional<Estimate> robust_slope(std::span<const double> values) {
  const bool is_finite = std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  if (values.size() < kMinValues || !is_finite) return std::nullopt;
  const std::size_t size = (values.size() + kMaxValues - 1) / kMaxValues;
  const std::vector<double> points = condensed(values, size);
  const std::vector<double> slopes = slopes_of_pairs(points);
  const double slope = *median_of(slopes);
  const auto n = static_cast<double>(points.size());
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18 * variance_inflation(points, slope));
  const auto pairs = static_cast<double>(slopes.size());
  const double reach = kNormalQuantile * deviation;
  const auto at = [&](double rank) { return slopes[static_cast<std::size_t>(std::clamp(rank, 0.0, pairs - 1))]; };
  const auto per_sample = static_cast<double>(size);
  Estimate estimate{slope / per_sample, std::nullopt, values.size()};
  // Of the slopes, counted from 1, the M₁-th and the one after the M₂-th, with M = (pairs ∓ reach) ÷ 2 rounded to the
  // nearest, as scipy's theilslopes does: as many slopes lie below as above.
  estimate.interval =
      Interval{at(std::round((pairs - reach) / 2) - 1) / per_sample, at(std::round((pairs + reach) / 2)) / per_sample};
  return estimate;
}

}  // namespace transformeter
