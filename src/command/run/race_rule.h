// When a case of a race is measured no further.
#pragma once

#include <vector>

#include "metrics/quads.h"
#include "run/further_slices.h"

namespace transformeter {

/// Which cases have left a race against one other, from the pairs of each in order, whose ratios are times of that
/// other ÷ times of the case. After each pair those leave that are plainly no faster: the fewer pairs there are, the
/// slower they must be; from kFewestPairs on also those that gain less than 2 %. After two pairs the
/// faster half of all stays, and always four, after four pairs four, after 17 none that is undecided. A case alone
/// holds up no other: it leaves after eight pairs or more in which it gained nothing, or after 48.
std::vector<bool> who_left_race(const std::vector<std::vector<Quad>>& cases);

/// The same of parked cases, by place; what they race against never leaves.
std::vector<bool> losers_of(const std::vector<SlicesSoFar>& parked);

/// Whether a case may be chosen: its estimate is above 1.01, and its interval holds no loss of 3 %. On a noisy machine
/// few gains of some percent are decided (docs/decisions.md has how often each is taken).
bool may_be_chosen(const Quotient& speed_up);

/// Which of them may be chosen.
std::vector<bool> winners_of(const std::vector<SlicesSoFar>& parked);

}  // namespace transformeter
