// Which cases get one more process, once each has had what was planned.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metrics/case_metrics.h"
#include "run/prepare_run.h"

namespace transformeter {

/// A case that is no narrower or surer after so many replicates will not be.
inline constexpr std::size_t kMaxReplicates = 20;

/// Of a live comparison: places of the cases whose comparison their processes so far leave undecided, and of their
/// baselines. `slices` holds each case's own by its place; one whose last process failed gets no other.
std::vector<std::size_t> undecided_pairs(const std::vector<PlannedCase>& cases,
                                         const std::vector<std::optional<std::size_t>>& baselines,
                                         const std::map<std::size_t, std::vector<SliceTime>>& slices,
                                         const IsDecided& is_decided);

/// Of a choice: places of the cases with these ids that have fewer than kMaxReplicates, of which the last was ok.
std::vector<std::size_t> asked_for(const std::vector<PlannedCase>& cases, const std::vector<std::string>& ids);

/// Of a run with a time budget: the place of the case with the widest interval that has fewer than kMaxReplicates, of
/// equal ones that with fewest; nothing where none was ok. `half_widths` are relative, by place; a case without one
/// counts as wide as its value.
std::optional<std::size_t> widest_of_run(const std::vector<PlannedCase>& cases,
                                         const std::map<std::size_t, std::optional<double>>& half_widths);

}  // namespace transformeter
