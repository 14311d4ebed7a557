// The centre of paired differences, with an interval that holds without assuming their distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/estimate.h"

namespace transformeter {

/// Of differences that are looked at again and again as they come in: wider than 95 %, so that at most 5 % of the
/// series without a difference show one at any look (docs/decisions.md).
inline constexpr double kPairedLevel = 0.98;
inline constexpr std::size_t kFewestPairs = 8;

/// Whether so many differences may be looked at while more are coming: 8, 12, 17, 24, 34, ..., each about 1.4 times
/// the last.
bool is_paired_look(std::size_t count);

/// Hodges-Lehmann: the median of the means of all pairs of differences, a difference with itself included, and the
/// interval between those of them that the exact distribution of Wilcoxon's signed-rank statistic allows. Assumes
/// differences that are independent and symmetric about their centre. No interval where so few cannot carry `level`
/// (fewer than 7 at 98 %). Nothing for no difference or one that is not finite.
std::optional<Estimate> signed_rank_estimate(std::span<const double> differences, double level = kPairedLevel);

}  // namespace transformeter
