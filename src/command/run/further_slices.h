// Which of the parked cases get the next slices, once each has had what was planned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/case_metrics.h"
#include "run/expand.h"
#include "stats/independent_slices.h"

namespace transformeter {

/// For each case the place of the baseline it is compared with: of those that fulfil `baseline` and have its workload
/// settings the one with most other settings in common. Nothing for baselines themselves, and where there is none.
std::vector<std::optional<std::size_t>> nearest_baselines(const std::vector<PlannedCase>& cases, const Json& baseline);

/// `order` with each case right behind the baseline it is compared with, so that their workers are parked together.
std::vector<std::size_t> beside_baselines(const std::vector<std::size_t>& order,
                                          const std::vector<std::optional<std::size_t>>& baselines);

/// Of one replicate of a case: `slices`, or as many as it counts samples or cycles, since each slice has one at least.
std::int64_t planned_slices(const Case& asked, std::int64_t slices);

/// The most of any case: where none counts more than one sample or cycle, each is a single window.
std::int64_t most_slices(const std::vector<PlannedCase>& cases, std::int64_t slices);

/// Of one replicate of each case: planned_slices, and of cases that are compared with a baseline by quads at least what
/// the first look at these needs, so that a limited time is shared out over as many. `baselines` may be empty: none.
std::vector<std::int64_t> slices_for_quads(const std::vector<PlannedCase>& cases,
                                           const std::vector<std::optional<std::size_t>>& baselines,
                                           std::int64_t slices);

/// Whether the replicate's slices are as many and as far apart as an interval over them needs.
bool has_spread_slices(const ReplicateRecord& replicate);

/// Of the replicate's slices, those whose times are known.
std::vector<TimedSlice> timed_slices(const ReplicateRecord& replicate, const std::vector<SliceTime>& times);

/// What a parked case has so far.
struct SlicesSoFar {
  std::optional<double> half_width;     // relative, of an interval over slices; nothing while there is none
  bool is_complete = false;             // its samples are fixed, or its time is used up
  std::optional<std::size_t> baseline;  // place among the parked cases
  std::vector<SliceTime> slices;
};

/// Places to be visited in this order and then in the other, so that cases compared with each other form quads: a
/// baseline and those of its cases whose comparison is undecided, of several baselines the one with fewest slices.
/// Empty when all are decided or complete. A comparison
/// is decided as a report has it.
std::vector<std::size_t> next_quads(const std::vector<SlicesSoFar>& parked);

/// The case with the widest interval above the target, or without one; of equals that with fewest slices. Nothing when
/// all are narrow or complete.
std::optional<std::size_t> widest_case(const std::vector<SlicesSoFar>& parked);

}  // namespace transformeter
