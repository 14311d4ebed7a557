// Where a series of values changes its level, and how sure that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace transformeter {

struct ChangePoint {
  std::size_t at = 0;  // the first value of the new level
  double p_value = 1;  // of the permutation test that found it
};

struct ChangePointOptions {
  double level = 0.01;       // a change is one whose p value is not above it
  std::size_t shortest = 3;  // values between two changes at least
  std::uint64_t seed = 1;
};

/// E-divisive means (Matteson and James 2014): of all splits of a segment the one whose parts differ most by the energy
/// statistic, as long as a permutation of the values within segments seldom gives one as large. In the order of the
/// series. Assumes values that are exchangeable between changes. Needs finite values; takes O(n² ÷ level) for each
/// change.
std::vector<ChangePoint> change_points(std::span<const double> values, const ChangePointOptions& options = {});

/// With how many values on, half of them on each side, a change is found at that level, above 0, if no value of one
/// side lies among those of the other: two of the ways to divide them are as extreme, which is twice as seldom as
/// `level` asks, so that the permutations drawn do not decide.
std::size_t fewest_values(double level, std::size_t shortest = ChangePointOptions().shortest);

}  // namespace transformeter
