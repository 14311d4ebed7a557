// Ranks of all cases on one line of time.
#include "stats/independent_slices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "stats/ranks.h"
#include "stats/replicates.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr std::size_t kFewestCases = 3;
constexpr double kShortestRunS = 60;
constexpr double kOwnMoods = 1.5;  // times what the moods of all and scatter explain
constexpr std::size_t kParts = 6;

// What lies before or after it belongs to the first or last part.
struct RunTime {
  double begin_s = 0;
  double length_s = 0;

  std::size_t part_of(double start_s) const {
    const double place = std::max(0.0, (start_s - begin_s) / length_s * kParts);
    return std::min(kParts - 1, static_cast<std::size_t>(place));
  }
};

// One case may have further slices at the end; the median keeps the others from looking incomplete.
std::optional<RunTime> run_time_of(std::span<const std::vector<TimedSlice>> cases) {
  std::vector<double> second_s;
  std::vector<double> last_s;
  for (const std::vector<TimedSlice>& slices : cases) {
    if (slices.size() < 2) continue;
    std::vector<double> starts_s;
    for (const TimedSlice& slice : slices) starts_s.push_back(slice.start_s);
    std::sort(starts_s.begin(), starts_s.end());
    second_s.push_back(starts_s[1]);
    last_s.push_back(starts_s.back());
  }
  const double begin_s = median_of(std::move(second_s)).value_or(0);
  const double length_s = median_of(std::move(last_s)).value_or(0) - begin_s;
  if (!(length_s >= kShortestRunS)) return std::nullopt;
  return RunTime{begin_s, length_s};
}

// A case that is missing from a part of the run cannot tell how that part differs.
bool is_even(const std::vector<TimedSlice>& slices, const RunTime& run) {
  std::array<std::size_t, kParts> counts{};
  for (const TimedSlice& slice : slices) ++counts[run.part_of(slice.start_s)];
  return 2 * kParts * *std::min_element(counts.begin(), counts.end()) >= slices.size();
}

// 1 ÷ the squared MAD of the logarithms; nothing for a case that cannot tell.
std::optional<double> weight_of(const std::vector<TimedSlice>& slices, const RunTime& run) {
  const auto is_time = [](const TimedSlice& slice) { return slice.seconds > 0 && std::isfinite(slice.seconds); };
  if (slices.size() < kFewestSlices || !is_even(slices, run)) return std::nullopt;
  if (!std::all_of(slices.begin(), slices.end(), is_time)) return std::nullopt;
  std::vector<double> logarithms;
  for (const TimedSlice& slice : slices) logarithms.push_back(std::log(slice.seconds));
  const double mad = summarize(logarithms)->mad;
  if (!(mad > 0)) return std::nullopt;
  return 1 / (mad * mad);
}

// The weighted mean of the ranks in each part of the run.
class MeanRanks {
 public:
  explicit MeanRanks(const RunTime& run) : run_(run) {}

  void add(const std::vector<TimedSlice>& slices, double weight) {
    std::vector<double> times;
    for (const TimedSlice& slice : slices) times.push_back(slice.seconds);
    const std::vector<double> ranks = rank_with_ties(times).rank;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const std::size_t part = run_.part_of(slices[i].start_s);
      sums_[part] += weight * ((ranks[i] - 0.5) / static_cast<double>(slices.size()) - 0.5);
      weights_[part] += weight;
    }
  }

  // In units of the variance of ranks.
  double variance_between_parts() const {
    std::vector<double> means;
    for (std::size_t part = 0; part < kParts; ++part) means.push_back(sums_[part] / weights_[part]);
    const double deviation = summarize(means)->stddev.value_or(0);
    return 12 * deviation * deviation;
  }

 private:
  const RunTime& run_;
  std::array<double, kParts> sums_{};
  std::array<double, kParts> weights_{};
};

// `shared` are those of all cases. Those of one scatter by more, since its slices are fewer.
double moods_of(const std::vector<TimedSlice>& slices, const RunTime& run, double shared) {
  MeanRanks alone(run);
  alone.add(slices, 1);
  const double own = alone.variance_between_parts();
  const double scatter = static_cast<double>(kParts) / static_cast<double>(slices.size());
  return own > kOwnMoods * (shared + scatter) ? std::max(shared, own - scatter) : shared;
}

}  // namespace

std::vector<std::optional<double>> independent_slices(std::span<const std::vector<TimedSlice>> cases) {
  std::vector<std::optional<double>> found(cases.size());
  const auto run = run_time_of(cases);
  if (!run) return found;
  std::vector<std::size_t> counted;
  MeanRanks ranks(*run);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto weight = weight_of(cases[i], *run);
    if (!weight) continue;
    ranks.add(cases[i], *weight);
    counted.push_back(i);
  }
  if (counted.size() < kFewestCases) return found;
  const double shared = ranks.variance_between_parts();
  for (const std::size_t i : counted) {
    const double moods = moods_of(cases[i], *run, shared);
    found[i] = std::max(1.0, 1 / (moods + 1 / static_cast<double>(cases[i].size())));
  }
  return found;
}

}  // namespace transformeter
