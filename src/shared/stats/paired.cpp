// Hollander, Wolfe and Chicken (2014), "Nonparametric Statistical Methods", 3.2 and 3.3.
#include "stats/paired.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace transformeter {
namespace {

std::vector<double> walsh_means(std::span<const double> differences) {
  std::vector<double> means;
  means.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t k = i; k < differences.size(); ++k) means.push_back((differences[i] + differences[k]) / 2);
  }
  std::sort(means.begin(), means.end());
  return means;
}

// The largest k with P(T < k) ≤ tail, where T is the sum of those of the ranks 1 to n that a fair coin chooses.
std::size_t outer_means(std::size_t n, double tail) {
  std::vector<double> chance(n * (n + 1) / 2 + 1, 0.0);
  chance[0] = 1;
  std::size_t most = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    most += rank;
    for (std::size_t sum = most + 1; sum-- > 0;) {
      chance[sum] = (chance[sum] + (sum >= rank ? chance[sum - rank] : 0)) / 2;
    }
  }
  std::size_t k = 0;
  for (double below = chance[0]; below <= tail; below += chance[k]) ++k;
  return k;
}

double median_of_sorted(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::size_t last_paired_look(std::size_t count) {
  std::size_t last = 0;
  for (std::size_t look = kFewestPairs; look <= count; look = (look * 14 + 9) / 10) last = look;
  return last;
}

std::optional<Estimate> signed_rank_estimate(std::span<const double> differences, double level) {
  const bool is_finite =
      std::all_of(differences.begin(), differences.end(), [](double difference) { return std::isfinite(difference); });
  if (differences.empty() || !is_finite) return std::nullopt;
  const std::vector<double> means = walsh_means(differences);
  Estimate estimate{median_of_sorted(means), std::nullopt, differences.size()};
  const std::size_t outer = outer_means(differences.size(), (1 - level) / 2);
  if (outer > 0) estimate.interval = Interval{means[outer - 1], means[means.size() - outer]};
  return estimate;
}

}  // namespace transformeter
