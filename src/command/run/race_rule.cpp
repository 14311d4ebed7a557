// Decided after each pair, from the pairs up to it, so that what left stays away.
#include "run/race_rule.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "stats/paired.h"

namespace transformeter {
namespace {

// What a case must gain to be worth the others' time: processes of one case differ by as much.
constexpr double kLeastGain = 1.02;
// After so many pairs a case whose median ratio is below this leaves: one that is as fast goes early, since it is not
// what is sought; one that is 5 % faster must not for a disturbed pair or two.
constexpr std::array kLeast{0.80, 0.90, 0.95, 0.98, 1.0, 1.01, kLeastGain};
// After two pairs the faster half stays, after four these many. One pair alone orders by luck.
constexpr std::size_t kPairsToHalve = 2;
constexpr std::size_t kPairsToKeepFew = 4;
constexpr std::size_t kFew = 4;
// The third and the sixth look at a comparison (stats/paired.h). Among several the undecided hold up the rest; the only
// one may go on, since a few disturbed pairs keep even a gain of a tenth undecided for long.
constexpr std::size_t kMostPairs = 17;
constexpr std::size_t kMostPairsOfOne = 48;
constexpr double kMostLoss = 0.03;  // that a choice may turn out to be

double ratio_of_first(const std::vector<Quad>& quads, std::size_t count) {
  return *median_ratio({quads.begin(), quads.begin() + static_cast<std::ptrdiff_t>(count)});
}

bool is_slow(double ratio, std::size_t pairs, bool is_alone) {
  if (is_alone) return pairs >= kFewestPairs && ratio <= 1;
  return ratio < (pairs <= kLeast.size() ? kLeast.at(pairs - 1) : kLeastGain);
}

std::size_t most_that_stay(std::size_t cases, std::size_t pairs) {
  if (pairs < kPairsToHalve) return cases;
  return pairs < kPairsToKeepFew ? std::max(kFew, cases / 2) : kFew;
}

// Those whose race goes on. One that is decided gets no further pairs.
std::vector<std::size_t> still_racing(const std::vector<std::vector<Quad>>& cases, const std::vector<bool>& left,
                                      std::size_t pairs) {
  std::vector<std::size_t> racing;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool is_decided = cases[i].size() < pairs && cases[i].size() >= kFewestPairs;
    if (!left[i] && !is_decided) racing.push_back(i);
  }
  return racing;
}

}  // namespace

std::vector<bool> who_left_race(const std::vector<std::vector<Quad>>& cases) {
  std::vector<bool> left(cases.size());
  for (std::size_t pairs = 1;; ++pairs) {
    std::vector<std::size_t> racing = still_racing(cases, left, pairs);
    const bool is_under_way =
        std::any_of(racing.begin(), racing.end(), [&](std::size_t i) { return cases[i].size() < pairs; });
    if (racing.empty() || is_under_way) return left;
    const auto ratio = [&](std::size_t i) { return ratio_of_first(cases[i], pairs); };
    std::stable_sort(racing.begin(), racing.end(),
                     [&](std::size_t one, std::size_t other) { return ratio(one) > ratio(other); });
    const bool is_alone = cases.size() == 1;
    const bool is_last_pair = pairs >= (is_alone ? kMostPairsOfOne : kMostPairs);
    const std::size_t most = is_last_pair ? 0 : most_that_stay(cases.size(), pairs);
    for (std::size_t rank = 0; rank < racing.size(); ++rank) {
      if (rank >= most || is_slow(ratio(racing[rank]), pairs, is_alone)) left[racing[rank]] = true;
    }
  }
}

std::vector<bool> losers_of(const std::vector<SlicesSoFar>& parked) {
  std::vector<std::size_t> places;
  std::vector<std::vector<Quad>> quads;
  for (std::size_t i = 0; i < parked.size(); ++i) {
    if (!parked[i].baseline) continue;
    places.push_back(i);
    quads.push_back(quads_of(parked[*parked[i].baseline].slices, parked[i].slices));
  }
  std::vector<bool> left(parked.size());
  const std::vector<bool> left_by_case = who_left_race(quads);
  for (std::size_t i = 0; i < places.size(); ++i) left[places[i]] = left_by_case[i];
  return left;
}

bool may_be_chosen(const Quotient& speed_up) {
  return speed_up.value > 1 + kNoiseThreshold && speed_up.low > 1 - kMostLoss;
}

std::vector<bool> winners_of(const std::vector<SlicesSoFar>& parked) {
  std::vector<bool> won(parked.size());
  for (std::size_t i = 0; i < parked.size(); ++i) {
    if (!parked[i].baseline) continue;
    const auto speed_up = quotient_over_quads(quads_of(parked[*parked[i].baseline].slices, parked[i].slices));
    won[i] = speed_up && may_be_chosen(*speed_up);
  }
  return won;
}

}  // namespace transformeter
