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

/// Of each case, from 1 to the number of its slices: as many as the variance of its median allows, where a machine's
/// moods mostly strike all cases alike and their ranks tell how long these last (docs/metrics.md, Independent slices,
/// has the formula). Moods longer than the run are not seen.
/// Nothing for a case with fewer than kFewestSlices, with a time that is not above 0, with times that are mostly alike,
/// or with less than half of an even share in a sixth of the run; and for all where fewer than three cases are left or
/// the run, from the median of their second slices to that of their last, is shorter than 60 s.
std::vector<std::optional<double>> independent_slices(std::span<const std::vector<TimedSlice>> cases);

}  // namespace transformeter
