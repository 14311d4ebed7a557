// How many replicates of which cases would decide between them.
#pragma once

#include <optional>

#include "analysis/case_choice.h"

namespace transformeter {

/// Replicates to ask for where the spread between processes is unknown: kMinReplicatesToCompare give an interval, but a
/// wide one.
inline constexpr std::size_t kReplicatesForUnknownSpread = 5;

/// Of an undecided choice: the first case, and those that are the best in a draw out of twenty or more, else the
/// runner-up. The number is what finds a difference as large as the measured one, or the smallest that counts, nine
/// times out of ten at one-sided 95 %, with the spread between processes as measured, or the side of a limit of one of
/// these cases, whichever needs more; replicates_for_unknown where an open figure has no such spread. Without a
/// number for scores, which replicates do not change, and for cases that do not differ by what counts.
std::optional<NextMeasurement> next_measurement(const CaseChoice& choice, const ChoiceOptions& options);

/// kReplicatesForUnknownSpread, or more than there are of these cases.
std::size_t replicates_for_unknown(const CaseChoice& choice, const std::vector<std::size_t>& places);

/// Adds the unknown rivals that lack samples for a percentile alone, which more processes may give; tells whether there
/// are any.
bool add_unknown_rivals(const CaseChoice& choice, std::optional<NextMeasurement>& next);

}  // namespace transformeter
