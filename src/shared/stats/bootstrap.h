// Intervals of statistics without a formula of their own, such as an F1 score, by resampling the units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stats/estimate.h"

namespace transformeter {

/// The statistic of the units drawn, as indices in [0, n) with repetition; nothing where it is undefined for them.
using ResampledStatistic = std::function<std::optional<double>(std::span<const std::size_t> units)>;

struct BootstrapOptions {
  std::size_t resamples = 2000;
  std::uint64_t seed = 0;
};

/// The 95 % percentile interval (Efron and Tibshirani 1993, chapter 13) over `n` independent units. Deterministic for a
/// seed. Nothing below 10 units, where it would be far too narrow, and where a resample in twenty has no value.
std::optional<Interval> bootstrap_interval(std::size_t n, const ResampledStatistic& statistic,
                                           const BootstrapOptions& options = {});

/// An interval, or in words why there is none.
struct ExplainedInterval {
  std::optional<Interval> interval;
  std::string why_none;
};

/// bootstrap_interval over units with a name in the plural ("examples"). Units that all agree carry none: the interval
/// would be a point.
ExplainedInterval explained_bootstrap_interval(std::size_t n, std::string_view units,
                                               const ResampledStatistic& statistic,
                                               const BootstrapOptions& options = {});

}  // namespace transformeter
