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

/// Of each case, from 1 to the number S of its slices: 1 ÷ (V + 1 ÷ S). A machine's moods mostly strike all cases
/// alike, so that together they tell how long these last. In each case slices are ranked by their times, (rank − ½) ÷ S
/// − ½, so that no outlier decides. V is 12 times the variance between the mean ranks of the sixths of the run, all
/// cases together, each weighted by 1 ÷ the squared MAD of its logarithms. Ranks have the variance 1 ÷ 12, so that V is
/// about 1 where a mood lasts a sixth of the run or longer, and near 0 where it averages out within. Where the same of
/// the case alone is more than 1.5 (V + 6 ÷ S), with 6 ÷ S what ranks scatter by, that less 6 ÷ S takes V's place:
/// moods of its own. Differences between sixths are assumed not to average out; moods longer than the run are not seen.
/// The run lasts from the middle one of the cases' second slices, since all first ones come while workers start, to the
/// middle one of their last. A case counts that has kFewestSlices, all above 0 and not mostly alike, and in each sixth
/// at least half of what an even spread would have. Nothing for any other case, and for all where fewer than three
/// count or the run lasts less than 60 s.
std::vector<std::optional<double>> independent_slices(std::span<const std::vector<TimedSlice>> cases);

}  // namespace transformeter
