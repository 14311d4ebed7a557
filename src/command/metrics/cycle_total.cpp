#include "metrics/cycle_total.h"

#include <numeric>

namespace transformeter {

std::optional<double> cycle_total(const ReplicateRecord& replicate, const SampleWindow& window, std::string_view name) {
  const Series* series = find_series(replicate.series, name);
  if (series == nullptr || series->value.size() != window.batches_per_cycle) return std::nullopt;
  const double total = std::accumulate(series->value.begin(), series->value.end(), 0.0);
  return total > 0 ? std::optional(total) : std::nullopt;
}

std::vector<double> each_unit(const SampleWindow& window, const std::optional<double>& amount) {
  return amount ? std::vector<double>(window.seconds.size(), *amount) : std::vector<double>();
}

}  // namespace transformeter
