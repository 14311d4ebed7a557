// Ranks of all cases on one line of time.
#include "stats/independent_slices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "stats/ranks.h"
#include "stats/replicates.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr std::size_t kFewestCases = 3;
constexpr double kShortestRunS = 90;
constexpr std::size_t kParts = 6;
constexpr double kInverseVarianceOfRanks = 12;

// The run, from the first slice of any case to the last.
struct Span {
  double begin_s = 0;
  double length_s = 0;

  std::size_t part_of(double start_s) const {
    const double place = (start_s - begin_s) / length_s * kParts;
    return std::min(kParts - 1, static_cast<std::size_t>(place));
  }
};

std::optional<Span> span_of(std::span<const std::vector<TimedSlice>> cases) {
  double first_s = std::numeric_limits<double>::infinity();
  double last_s = -first_s;
  for (const std::vector<TimedSlice>& slices : cases) {
    for (const TimedSlice& slice : slices) {
      first_s = std::min(first_s, slice.start_s);
      last_s = std::max(last_s, slice.start_s);
    }
  }
  if (!(last_s - first_s >= kShortestRunS)) return std::nullopt;
  return Span{first_s, last_s - first_s};
}

// A case's mean over a part of the run holds that part's mood, and hides it in the deviations from it.
bool is_even(const std::vector<TimedSlice>& slices, const Span& span) {
  std::array<std::size_t, kParts> counts{};
  for (const TimedSlice& slice : slices) ++counts[span.part_of(slice.start_s)];
  return 2 * kParts * *std::min_element(counts.begin(), counts.end()) >= slices.size();
}

// 1 ÷ the squared MAD of the logarithms; nothing for a case that cannot tell.
std::optional<double> weight_of(const std::vector<TimedSlice>& slices, const Span& span) {
  const auto is_time = [](const TimedSlice& slice) { return slice.seconds > 0 && std::isfinite(slice.seconds); };
  if (slices.size() < kFewestSlices || !is_even(slices, span)) return std::nullopt;
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
  void add(const std::vector<TimedSlice>& slices, const Span& span, double weight) {
    std::vector<double> times;
    for (const TimedSlice& slice : slices) times.push_back(slice.seconds);
    const std::vector<double> ranks = rank_with_ties(times).rank;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const std::size_t part = span.part_of(slices[i].start_s);
      sums_[part] += weight * ((ranks[i] - 0.5) / static_cast<double>(slices.size()) - 0.5);
      weights_[part] += weight;
    }
  }

  double variance() const {
    std::vector<double> means;
    for (std::size_t part = 0; part < kParts; ++part) means.push_back(sums_[part] / weights_[part]);
    const double deviation = summarize(means)->stddev.value_or(0);
    return deviation * deviation;
  }

 private:
  std::array<double, kParts> sums_{};
  std::array<double, kParts> weights_{};
};

}  // namespace

std::vector<std::optional<double>> independent_slices(std::span<const std::vector<TimedSlice>> cases) {
  std::vector<std::optional<double>> found(cases.size());
  const auto span = span_of(cases);
  if (!span) return found;
  std::vector<std::size_t> counted;
  MeanRanks ranks;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto weight = weight_of(cases[i], *span);
    if (!weight) continue;
    ranks.add(cases[i], *span, *weight);
    counted.push_back(i);
  }
  if (counted.size() < kFewestCases) return found;
  const double moods = kInverseVarianceOfRanks * ranks.variance();
  for (const std::size_t i : counted) {
    const auto count = static_cast<double>(cases[i].size());
    found[i] = std::max(1.0, 1 / (moods + 1 / count));
  }
  return found;
}

}  // namespace transformeter
