// Resampling with a stream of its own.
#include "stats/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace transformeter {
namespace {

constexpr std::size_t kMinUnits = 10;
constexpr double kTail = 0.025;

}  // namespace

std::optional<Interval> bootstrap_interval(std::size_t n, const ResampledStatistic& statistic,
                                           const BootstrapOptions& options) {
  if (n < kMinUnits || options.resamples == 0) return std::nullopt;
  RandomStream random(options.seed, "bootstrap");
  std::vector<std::size_t> units(n);
  std::vector<double> values;
  for (std::size_t i = 0; i < options.resamples; ++i) {
    for (std::size_t& unit : units) unit = random.below(n);
    const auto value = statistic(units);
    if (value && std::isfinite(*value)) values.push_back(*value);
  }
  if (values.size() * 20 < options.resamples * 19) return std::nullopt;
  std::sort(values.begin(), values.end());
  // Ranks ⌈p N⌉ from either end.
  const auto rank = static_cast<std::size_t>(std::ceil(kTail * static_cast<double>(values.size())));
  return Interval{values[rank - 1], values[values.size() - rank]};
}

ExplainedInterval explained_bootstrap_interval(std::size_t n, std::string_view units,
                                               const ResampledStatistic& statistic, const BootstrapOptions& options) {
  const auto interval = bootstrap_interval(n, statistic, options);
  if (!interval) return {std::nullopt, fmt::format("fewer than {} {}", kMinUnits, units)};
  if (interval->low == interval->high) return {std::nullopt, fmt::format("no spread between the {}", units)};
  return {interval, ""};
}

}  // namespace transformeter
