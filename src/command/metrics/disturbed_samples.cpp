// The number of threads is the same for all samples of a window, so it cancels out of the shares.
#include "metrics/disturbed_samples.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr double kUsualShare = 0.97;
constexpr double kDeviations = 3 * 1.4826;  // three standard deviations of a normal distribution, in its MAD
constexpr std::size_t kMinSamples = 3;      // fewer have no median to speak of

using Places = std::vector<std::size_t>;

// Where the kernel counts threads in ticks, short samples scatter both ways. What is lost only lowers a share, so the
// half above the median shows the scatter alone.
double scatter_above(const std::vector<double>& shares, double median) {
  std::vector<double> distances;
  for (const double share : shares) {
    if (share >= median) distances.push_back(share - median);
  }
  return median_of(std::move(distances)).value_or(0);
}

void flag_among(Series& latency, const std::vector<double>& cpu_times_s, const Places& places) {
  std::vector<double> shares;
  for (const std::size_t place : places) shares.push_back(cpu_times_s[place] / latency.value[place]);
  if (shares.size() < kMinSamples || !all_finite(shares)) return;
  const double median = median_of(shares).value();
  const double least = std::min(kUsualShare * median, median - kDeviations * scatter_above(shares, median));
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (shares[i] < least) latency.flags[places[i]] |= kSampleDisturbed;
  }
}

}  // namespace

bool counts_cpu_time(const std::vector<Series>& series) {
  const Series* latency = find_series(series, "latency");
  const Series* cpu_time = find_series(series, "sample_cpu_time");
  return latency != nullptr && cpu_time != nullptr && cpu_time->value.size() == latency->value.size() &&
         latency->flags.size() == latency->value.size();
}

void flag_disturbed(std::vector<Series>& series, std::size_t begin, bool by_index) {
  if (!counts_cpu_time(series)) return;
  Series& latency =
      *std::find_if(series.begin(), series.end(), [](const Series& one) { return one.name == "latency"; });
  if (by_index && latency.index.size() != latency.value.size()) return;
  std::map<std::int64_t, Places> alike;
  for (std::size_t place = begin; place < latency.value.size(); ++place) {
    if ((latency.flags[place] & kSampleWarmup) == 0) alike[by_index ? latency.index[place] : 0].push_back(place);
  }
  const std::vector<double>& cpu_times_s = find_series(series, "sample_cpu_time")->value;
  for (const auto& [index, places] : alike) flag_among(latency, cpu_times_s, places);
}

}  // namespace transformeter
