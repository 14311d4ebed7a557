// The centre of paired differences, with an interval that holds without assuming their distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/estimate.h"

namespace transformeter {

/// Of differences that are looked at again and again as they come in: wider than 95 %, so that at most 5 % of the
/// series without a difference show one at any look, on noisy machines too (docs/decisions.md).
inline constexpr double kPairedLevel = 0.99;
inline constexpr std::size_t kFewestPairs = 8;

/// The largest planned number of differences to look at that is not above `count`: 8, 12, 17, 24, 34, ..., each about
/// 1.4 times the last; 0 below 8. Those that came since wait for the next look, or every one of them would be a look.
std::size_t last_paired_look(std::size_t count);

/// Hodges-Lehmann: the median of the means of all pairs of differences, a difference with itself included, and the
/// interval between those of them that the exact distribution of Wilcoxon's signed-rank statistic allows. Assumes
/// differences that are independent and symmetric about their centre. No interval where so few cannot carry `level`
/// (fewer than 8 at 99 %). Nothing for no difference or one that is not finite.
std::optional<Estimate> signed_rank_estimate(std::span<const double> differences, double level = kPairedLevel);

}  // namespace transformeter
