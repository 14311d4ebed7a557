// What a GPU's meters say against a figure. docs/metrics.md says why each is judged as it is.
#pragma once

#include <string>
#include <string_view>

#include "schema/record.h"

namespace transformeter {

/// Share of the window in which heat or the power limit may hold a GPU below its clocks.
inline constexpr double kMaxViolationShare = 0.01;
/// Relative fall of a GPU's clock over the window.
inline constexpr double kMaxClockFall = 0.10;

/// By the device that ran; false where that is not known.
bool is_on_gpu(const CaseRecord& the_case);

/// The figures of a replicate that give the verdict reason ("throttled", "foreign_load", "clock_unstable"); empty
/// without any.
std::string gpu_finding(std::string_view reason, const ReplicateRecord& replicate);

/// How far the power limit held the GPU's clocks down; empty where it did not.
std::string power_cap_of(const ReplicateRecord& replicate);

}  // namespace transformeter
