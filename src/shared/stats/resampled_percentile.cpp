// Samples are sorted once; a resample only gives them weights.
#include "stats/resampled_percentile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/random.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr std::size_t kFewestUnits = 3;

struct SampleOfUnit {
  double value = 0;
  std::size_t unit = 0;
};

std::vector<SampleOfUnit> sorted_samples(std::span<const std::vector<double>> units) {
  std::vector<SampleOfUnit> samples;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    for (const double value : units[unit]) samples.push_back({value, unit});
  }
  std::sort(samples.begin(), samples.end(),
            [](const SampleOfUnit& a, const SampleOfUnit& b) { return a.value < b.value; });
  return samples;
}

// The value of rank ⌈p N⌉ among N samples, of which each counts as often as its unit was drawn.
double weighted_percentile(const std::vector<SampleOfUnit>& samples, const std::vector<std::size_t>& times,
                           std::size_t total, double p) {
  const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(total)));
  std::size_t from_above = total;  // of samples up to this one
  for (std::size_t i = samples.size(); i-- > 0;) {
    const std::size_t here = times[samples[i].unit];
    if (here > 0 && from_above - here < rank) return samples[i].value;
    from_above -= here;
  }
  return samples.front().value;
}

bool can_be_resampled(std::span<const std::vector<double>> units) {
  return units.size() >= kFewestUnits && std::all_of(units.begin(), units.end(), [](const std::vector<double>& unit) {
           return !unit.empty() && all_finite(unit);
         });
}

}  // namespace

std::optional<double> resampled_percentile_error(std::span<const std::vector<double>> units, double p,
                                                 const BootstrapOptions& options) {
  if (!can_be_resampled(units)) return std::nullopt;
  const std::vector<SampleOfUnit> samples = sorted_samples(units);
  RandomStream random(options.seed, "resampled_percentile");
  std::vector<double> values;
  for (std::size_t draw = 0; draw < options.resamples; ++draw) {
    std::vector<std::size_t> times(units.size());
    std::size_t total = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const std::size_t unit = random.below(units.size());
      ++times[unit];
      total += units[unit].size();
    }
    values.push_back(weighted_percentile(samples, times, total, p));
  }
  const auto summary = summarize(values);
  if (!summary || !summary->stddev) return std::nullopt;
  const auto n = static_cast<double>(units.size());
  return *summary->stddev * std::sqrt(n / (n - 1));
}

}  // namespace transformeter
