// Samples as in every measurement; the median's interval, turned round, is the rate's.
#include "measure/steady_rate.h"

#include <vector>

#include "measure/measuring_loop.h"
#include "measure/sampler.h"
#include "stats/dependence.h"
#include "stats/percentile.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

std::vector<double> seconds_of(const Clock& clock, const std::function<void()>& work, const StoppingOptions& stopping) {
  Sampler sampler(clock, [&](std::size_t) { work(); }, {WorkSize{}});
  std::vector<double> seconds;
  measure_units(sampler, clock, {stopping}, [&](const std::vector<Series>& blocks) {
    const std::vector<double>& latency = blocks.front().value;
    seconds.insert(seconds.end(), latency.begin(), latency.end());
  });
  return seconds;
}

}  // namespace

std::optional<Estimate> steady_rate(const Clock& clock, const std::function<void()>& work, double amount,
                                    const StoppingOptions& stopping) {
  const std::vector<double> seconds = seconds_of(clock, work, stopping);
  const auto time = estimate_median(seconds, effective_n_of_quantile(seconds, 0.5));
  if (!time || !(time->value > 0)) return std::nullopt;
  Estimate rate{amount / time->value, std::nullopt, time->n};
  if (time->interval && time->interval->low > 0) {
    rate.interval = Interval{amount / time->interval->high, amount / time->interval->low};
  }
  return rate;
}

double quick_rate(const Clock& clock, const std::function<void()>& work, double amount, std::size_t count) {
  work();
  StoppingOptions stopping;
  stopping.exact_count = count;
  const double seconds = median_of(seconds_of(clock, work, stopping)).value_or(0);
  return seconds > 0 ? amount / seconds : 0;
}

}  // namespace transformeter
