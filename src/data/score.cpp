// Bootstrap intervals, and why there is none.
#include "data/score.h"

#include <fmt/format.h>

namespace transformeter {

void add_bootstrap_interval(Score& score, std::size_t unit_count, std::string_view units,
                            const ResampledStatistic& statistic) {
  constexpr std::uint64_t kSeed = 0;
  const auto interval = bootstrap_interval(unit_count, statistic, {2000, kSeed});
  if (!interval) {
    score.why_no_interval = fmt::format("fewer than 10 {}", units);
  } else if (interval->low == interval->high) {
    score.why_no_interval = fmt::format("no spread between the {}", units);
  } else {
    score.estimate.interval = interval;
  }
}

}  // namespace transformeter
