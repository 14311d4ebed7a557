// How many of a case's slices are as good as independent, seen from all cases that were measured in turn.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace transformeter {

struct TimedSlice {
  double start_s = 0;  // from the start of the run
  double seconds = 0;  // the slice's headline time
};

/// Of each case, from 1 to the number S of its slices: 1 ÷ (V + 1 ÷ S). A machine's moods strike all cases alike, so
/// that together they tell how long these last. In each case slices are ranked by their times, (rank − ½) ÷ S − ½,
/// which no outlier decides; V is 12 times the variance between the mean ranks of the sixths of the run, all cases
/// together, each weighted by 1 ÷ the squared MAD of its logarithms. Ranks have the variance 1 ÷ 12, so that V is 1
/// where a mood lasts a sixth of the run or longer, and near 0 where it averages out within. Nothing that differs
/// between sixths is thought to average out over the run.
/// A case counts that has kFewestSlices, all above 0 and not mostly alike, and in each sixth of the run at least half
/// of what an even spread would have. Nothing for any other case, and for all where fewer than three count or the run
/// spans less than 90 s.
std::vector<std::optional<double>> independent_slices(std::span<const std::vector<TimedSlice>> cases);

}  // namespace transformeter
