// Intervals of both methods, and why there is none.
#include "tasks/score.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "stats/proportion.h"

namespace transformeter {

Score share_score(std::string name, std::string counts, std::size_t successes, std::size_t n) {
  const auto share = estimate_proportion(successes, n);
  if (!share) throw Error(ErrorKind::kBadInput, fmt::format("there are no {} to score", counts));
  return {std::move(name), "", *share, counts, IntervalMethod::kWilson, counts, ""};
}

void add_bootstrap_interval(Score& score, std::size_t unit_count, std::string_view units,
                            const ResampledStatistic& statistic, const StopCheck& check) {
  score.interval_method = IntervalMethod::kPercentileBootstrap;
  score.interval_units = units;
  const auto checked = [&](std::span<const std::size_t> chosen) {
    if (check) check();
    return statistic(chosen);
  };
  ExplainedInterval explained = explained_bootstrap_interval(unit_count, units, checked, kScoreBootstrap);
  score.estimate.interval = explained.interval;
  score.why_no_interval = std::move(explained.why_none);
}

Score bootstrapped_score(std::string name, std::size_t unit_count, const std::string& units,
                         const ResampledStatistic& statistic, const StopCheck& check) {
  std::vector<std::size_t> all(unit_count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  Score score;
  score.name = std::move(name);
  score.estimate = {statistic(all).value_or(std::numeric_limits<double>::quiet_NaN()), {}, unit_count};
  score.counts = units;
  add_bootstrap_interval(score, unit_count, units, statistic, check);
  return score;
}

}  // namespace transformeter
