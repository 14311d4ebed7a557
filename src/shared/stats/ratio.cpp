// The ratio estimator and its linearised error.
#include "stats/ratio.h"

#include <cstddef>
#include <vector>

#include "stats/dependence.h"
#include "stats/mean.h"
#include "stats/summary.h"

namespace transformeter {

std::optional<Estimate> estimate_ratio(std::span<const double> work, std::span<const double> time) {
  if (work.size() != time.size()) return std::nullopt;
  const auto total_work = summarize(work);
  const auto total_time = summarize(time);
  if (!total_work || !total_time || total_time->min < 0 || !(total_time->total > 0)) return std::nullopt;
  const double ratio = total_work->total / total_time->total;
  Estimate estimate{ratio, std::nullopt, work.size()};
  estimate.weight = total_time->total;
  if (work.size() < 3) return estimate;
  // In the unit of the ratio, so that the mean's interval is the ratio's.
  std::vector<double> deviations;
  deviations.reserve(work.size());
  for (std::size_t i = 0; i < work.size(); ++i) {
    deviations.push_back((work[i] - ratio * time[i]) / total_time->mean);
  }
  const auto error = estimate_mean(deviations, effective_n_of_mean(deviations));
  estimate.has_heavy_tail = error && error->has_heavy_tail;
  if (!error || !error->interval) return estimate;
  // The deviations' mean is 0 but for rounding.
  estimate.interval = Interval{lower_end(ratio + error->interval->low, total_work->min), ratio + error->interval->high};
  return estimate;
}

}  // namespace transformeter
