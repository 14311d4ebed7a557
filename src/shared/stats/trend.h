// The slope of a series or the step in it, and how likely chance and dependence alone would give them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace transformeter {

struct Trend {
  double slope = 0;    // of the least-squares line, per sample
  double p_value = 1;  // two-sided, its standard error widened by √((1+ρ)/(1−ρ)) of the residuals
};

/// Nothing for fewer than 10 values, a constant series or values that are not finite.
std::optional<Trend> fit_trend(std::span<const double> values);

struct Step {
  std::size_t at = 0;  // index of the first sample after the step
  double size = 0;     // mean after less mean before
  double p_value = 1;  // as if `at` had been known beforehand
};

/// The one step that explains most, at least a tenth of the series from either end. Nothing as for fit_trend.
std::optional<Step> fit_step(std::span<const double> values);

/// Whether the series changes its level: its halves differ by Mann-Whitney's test (which outliers cannot trigger) and
/// by more than 1 % of the median, and a line or a step is significant beyond its dependence. A line alone would miss
/// a clock that drops at once: what it leaves looks like dependence. False below 10 values.
bool drifts(std::span<const double> values);

}  // namespace transformeter
