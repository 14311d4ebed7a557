// Made-up rates and counts.
#include "fake_worker/peaks.h"

#include <utility>

namespace transformeter {

Peak fake_peak(const std::string& quantity, const Json& overrides) {
  constexpr double kProducts = 100e9;
  constexpr double kBandwidth = 20e9;
  Peak peak;
  peak.quantity = quantity;
  peak.foreign_load = 0;
  const bool is_memory = is_bandwidth(quantity);
  Json rate = overrides.value(quantity, Json(is_memory ? kBandwidth : kProducts));
  if (rate.is_object()) {
    peak.foreign_load = rate.at("foreign_load").get<double>();
    rate = rate.at("rate");
  }
  if (rate.is_null()) {
    peak.reason = "the fake machine has none";
    return peak;
  }
  const auto value = rate.get<double>();
  peak.rate = Estimate{value, Interval{0.99 * value, 1.01 * value}, 20};
  peak.best = is_memory ? PeakPoint{quantity == kBandwidthPeak ? "triad" : "read", {1 << 20}, value}
                        : PeakPoint{"fake", {64, 64, 64}, value};
  peak.points = {*peak.best};
  return peak;
}

std::vector<Series> fake_work(const std::vector<FakeBatch>& cycle, std::int64_t batches, const Json& overrides) {
  constexpr double kFlopsPerToken = 1e6;
  constexpr double kSecondsPerToken = 0.02;
  std::vector<double> useful;
  std::vector<double> processed;
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < batches; ++i) {
    const FakeBatch& batch = cycle[static_cast<std::size_t>(i)];
    useful.push_back(kFlopsPerToken * static_cast<double>(batch.useful_tokens));
    processed.push_back(kFlopsPerToken * static_cast<double>(batch.processed_tokens));
    seconds.push_back(kSecondsPerToken * static_cast<double>(batch.useful_tokens));
  }
  std::vector<Series> series;
  if (!overrides.contains("audio_seconds")) series.push_back(value_series("audio_seconds", std::move(seconds)));
  if (!overrides.contains("padded_flops")) series.push_back(value_series("padded_flops", processed));
  if (!overrides.contains("useful_flops")) series.push_back(value_series("useful_flops", std::move(useful)));
  if (!overrides.contains("processed_flops")) series.push_back(value_series("processed_flops", std::move(processed)));
  return series;
}

}  // namespace transformeter
