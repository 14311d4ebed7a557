// Ordinary least squares with a standard error for correlated residuals.
#include "stats/trend.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "stats/dependence.h"
#include "stats/student_t.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr std::size_t kMinValues = 10;
constexpr double kLevel = 0.01;
// Stricter, for the best of many splits.
constexpr double kStepLevel = 0.001;
// A tenth of a per cent is significant in 1e6 samples and means nothing; measured in the noise threshold of
// comparisons.
constexpr double kMaterialShift = 0.01;
// Longer series are tested on medians of consecutive samples.
constexpr std::size_t kMaxValues = 256;

std::vector<double> condensed(std::span<const double> values) {
  const std::size_t size = (values.size() + kMaxValues - 1) / kMaxValues;
  if (size == 1) return {values.begin(), values.end()};
  std::vector<double> medians;
  for (std::size_t i = 0; i + size <= values.size(); i += size) {
    const auto part = values.subspan(i, size);
    medians.push_back(*median_of({part.begin(), part.end()}));
  }
  return medians;
}

// Within 5 robust deviations of the median, so that no outlier hides a trend in its noise.
std::vector<double> clipped(std::vector<double> values) {
  const auto summary = summarize(values);
  const double reach = 5 * 1.4826 * summary->mad;
  if (!(reach > 0)) return values;
  for (double& value : values) value = std::clamp(value, summary->median - reach, summary->median + reach);
  return values;
}

double sum_of_squares(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

// Of a coefficient whose variance is `leverage` · σ² for independent residuals, after a fit of `parameters`.
double p_value_of(double coefficient, double leverage, std::span<const double> residuals, int parameters,
                  const Summary& summary) {
  const double n = static_cast<double>(summary.n);
  const double squares = sum_of_squares(residuals);
  // Rounding is all that is left; its correlation means nothing.
  if (squares <= 1e-20 * *summary.stddev * *summary.stddev * (n - 1)) return 0;
  // After a fit of k parameters the lag-1 correlation is low by about (k + (k + 2) ρ) / n (Kendall 1954 for k = 1, 2).
  const double raw = lag1_autocorrelation(residuals).value_or(0);
  const double rho = std::clamp((n * raw + parameters) / (n - parameters - 2), 0.0, 0.99);
  const double inflation = (1 + rho) / (1 - rho);
  const double freedom = std::max(1.0, n / inflation - parameters);
  const double error = std::sqrt(squares / (n - parameters) * inflation * leverage);
  return student_t_two_sided_p(coefficient / error, freedom);
}

}  // namespace

std::optional<Trend> fit_trend(std::span<const double> values) {
  const auto summary = summarize(values);
  if (!summary || summary->n < kMinValues || summary->min == summary->max) return std::nullopt;
  const double n = static_cast<double>(summary->n);
  const double spread_of_index = n * (n * n - 1) / 12;
  const double middle = (n - 1) / 2;
  double product = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    product += (static_cast<double>(i) - middle) * (values[i] - summary->mean);
  }
  Trend trend{product / spread_of_index, 1};
  std::vector<double> residuals(values.begin(), values.end());
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] -= summary->mean + trend.slope * (static_cast<double>(i) - middle);
  }
  trend.p_value = p_value_of(trend.slope, 1 / spread_of_index, residuals, 2, *summary);
  return trend;
}

std::optional<Step> fit_step(std::span<const double> values) {
  const auto summary = summarize(values);
  if (!summary || summary->n < kMinValues || summary->min == summary->max) return std::nullopt;
  const std::size_t n = values.size();
  const std::size_t margin = std::max<std::size_t>(2, n / 10);
  // The split with the largest sum of squares between its sides.
  Step step;
  double best = -1;
  double before = 0;
  for (std::size_t at = 1; at + margin <= n; ++at) {
    before += values[at - 1] - summary->mean;
    const double between = before * before * static_cast<double>(n) / static_cast<double>(at * (n - at));
    if (at < margin || between <= best) continue;
    best = between;
    step.at = at;
    step.size = -before / static_cast<double>(n - at) - before / static_cast<double>(at);
  }
  const double left = static_cast<double>(step.at);
  const double right = static_cast<double>(n - step.at);
  const double left_level = summary->mean - step.size * right / static_cast<double>(n);
  std::vector<double> residuals(values.begin(), values.end());
  for (std::size_t i = 0; i < n; ++i) residuals[i] -= left_level + (i < step.at ? 0 : step.size);
  step.p_value = p_value_of(step.size, 1 / left + 1 / right, residuals, 3, *summary);
  return step;
}

bool drifts(std::span<const double> values) {
  if (values.size() < kMinValues || !all_finite(values)) return false;
  const std::vector<double> series = condensed(values);
  const std::size_t half = series.size() / 2;
  const std::span<const double> first(series.data(), half);
  const std::span<const double> second(series.data() + half, series.size() - half);
  if (mann_whitney_p(first, second).value_or(1) > kLevel) return false;
  const double from = *median_of({first.begin(), first.end()});
  const double to = *median_of({second.begin(), second.end()});
  if (std::fabs(to - from) < kMaterialShift * std::fabs(*median_of(series))) return false;
  const std::vector<double> calm = clipped(series);
  const auto trend = fit_trend(calm);
  const auto step = fit_step(calm);
  if (!trend || !step) return false;
  return trend->p_value <= kLevel || step->p_value <= kStepLevel;
}

}  // namespace transformeter
