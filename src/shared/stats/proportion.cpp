// Wilson's score interval.
#include "stats/proportion.h"

#include <algorithm>
#include <cmath>

#include "stats/student_t.h"

namespace transformeter {

std::optional<Estimate> estimate_proportion(std::size_t successes, std::size_t n) {
  if (n == 0 || successes > n) return std::nullopt;
  const double z = normal_quantile(0.975);
  const double count = static_cast<double>(n);
  const double share = static_cast<double>(successes) / count;
  const double weight = 1 + z * z / count;
  const double centre = (share + z * z / (2 * count)) / weight;
  const double half = z / weight * std::sqrt(share * (1 - share) / count + z * z / (4 * count * count));
  // At 0 and n successes the formula's own end is 0 or 1 up to rounding.
  const double low = successes == 0 ? 0 : std::max(0.0, centre - half);
  const double high = successes == n ? 1 : std::min(1.0, centre + half);
  return Estimate{share, Interval{low, high}, n};
}

}  // namespace transformeter
