// A median and its order-statistics interval.
#include "run/live_estimate.h"

#include <algorithm>

#include "stats/dependence.h"
#include "stats/percentile.h"

namespace transformeter {

ProgressSamples LiveEstimate::update(const std::vector<Series>& series) {
  const Series* latency = find_series(series, "latency");
  if (latency == nullptr) return last_;
  std::vector<double> values;
  bool one_batch = true;
  for (std::size_t i = 0; i < latency->value.size(); ++i) {
    if (i < latency->flags.size() && (latency->flags[i] & kSampleWarmup) != 0) continue;
    values.push_back(latency->value[i]);
    one_batch = one_batch && (kind_ == UnitKind::kAlike || i >= latency->index.size() || latency->index[i] == 0);
  }
  last_.count = values.size();
  last_.is_of_cycle = !one_batch;
  if (!values.empty() && values.size() >= next_look_) look(values);
  if (source_ == IntervalSource::kCase) last_.half_width = half_width_;
  if (!one_batch || source_ == IntervalSource::kNone) last_.half_width.reset();
  return last_;
}

ProgressSamples LiveEstimate::last(const std::vector<Series>& series) {
  next_look_ = 0;
  if (source_ == IntervalSource::kSamples) source_ = IntervalSource::kCase;
  return update(series);
}

void LiveEstimate::look(const std::vector<double>& values) {
  next_look_ = values.size() + std::max<std::size_t>(1, values.size() / 10);
  const auto median = estimate_median(values, effective_n_of_quantile(values, 0.5));
  last_.latency_s = median ? std::optional(median->value) : std::nullopt;
  last_.half_width = median ? relative_half_width(*median) : std::nullopt;
}

}  // namespace transformeter
