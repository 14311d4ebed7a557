// One pass over the distances of a segment gives the statistic of all its splits.
#include "stats/change_points.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace transformeter {
namespace {

// As extreme ones among those drawn, at the level: enough to tell half of it from the whole.
constexpr double kPermutations = 20;

struct Split {
  std::size_t at = 0;
  double energy = 0;  // no split is worse than 0
};

// Scaled energy distance of m values on the left and n on the right, from the sums of distances between and within.
double energy_of(double between, double left, double right, double m, double n) {
  const double within_left = left * 2 / (m * (m - 1));
  const double within_right = right * 2 / (n * (n - 1));
  return m * n / (m + n) * (2 * between / (m * n) - within_left - within_right);
}

Split best_split(std::span<const double> values, std::size_t begin, std::size_t end, std::size_t shortest) {
  Split best;
  if (end - begin < 2 * shortest) return best;
  double left = 0;
  double between = 0;
  double right = 0;
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t k = i + 1; k < end; ++k) right += std::abs(values[i] - values[k]);
  }
  for (std::size_t at = begin; at + shortest < end; ++at) {
    double to_left = 0;
    double to_right = 0;
    for (std::size_t k = begin; k < at; ++k) to_left += std::abs(values[at] - values[k]);
    for (std::size_t k = at + 1; k < end; ++k) to_right += std::abs(values[at] - values[k]);
    left += to_left;
    right -= to_right;
    between += to_right - to_left;
    const std::size_t count = at + 1 - begin;
    if (count < std::max<std::size_t>(shortest, 2)) continue;
    const double energy =
        energy_of(between, left, right, static_cast<double>(count), static_cast<double>(end - begin - count));
    if (energy > best.energy) best = {at + 1, energy};
  }
  return best;
}

// Of all segments; `bounds` are their ends, from 0 to the number of values.
Split best_of(std::span<const double> values, const std::vector<std::size_t>& bounds, std::size_t shortest) {
  Split best;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const Split split = best_split(values, bounds[i], bounds[i + 1], shortest);
    if (split.energy > best.energy) best = split;
  }
  return best;
}

double p_value_of(const Split& found, std::span<const double> values, const std::vector<std::size_t>& bounds,
                  const ChangePointOptions& options, RandomStream& random) {
  constexpr double kRounding = 1 - 1e-9;  // sums of the same distances in another order are equal
  std::vector<double> shuffled(values.begin(), values.end());
  std::size_t as_large = 0;
  const auto permutations = static_cast<std::size_t>(std::ceil(kPermutations / options.level));
  for (std::size_t i = 0; i < permutations; ++i) {
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
      for (std::size_t last = bounds[k + 1]; last > bounds[k] + 1; --last) {
        std::swap(shuffled[last - 1], shuffled[bounds[k] + random.below(last - bounds[k])]);
      }
    }
    if (best_of(shuffled, bounds, options.shortest).energy >= found.energy * kRounding) ++as_large;
  }
  return static_cast<double>(as_large + 1) / static_cast<double>(permutations + 1);
}

}  // namespace

std::size_t fewest_values(double level, std::size_t shortest) {
  std::size_t count = 2 * shortest;
  const auto smallest_p_value = [](std::size_t n) {
    const std::size_t half = n / 2;
    double ways = 1;  // n choose half
    for (std::size_t i = 1; i <= half; ++i) ways *= static_cast<double>(n - half + i) / static_cast<double>(i);
    return 2 / ways;
  };
  while (smallest_p_value(count) > level / 2) ++count;
  return count;
}

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangePointOptions& options) {
  RandomStream random(options.seed);
  std::vector<std::size_t> bounds{0, values.size()};
  std::vector<ChangePoint> found;
  for (Split split = best_of(values, bounds, options.shortest); split.energy > 0;
       split = best_of(values, bounds, options.shortest)) {
    const double p_value = p_value_of(split, values, bounds, options, random);
    if (p_value > options.level) break;
    found.push_back({split.at, p_value});
    bounds.insert(std::upper_bound(bounds.begin(), bounds.end(), split.at), split.at);
  }
  std::sort(found.begin(), found.end(), [](const ChangePoint& a, const ChangePoint& b) { return a.at < b.at; });
  return found;
}

}  // namespace transformeter
