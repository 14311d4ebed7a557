// The part of the coverage study that is about shared machines.
#pragma once

#include <cstddef>
#include <cstdint>

namespace transformeter {

/// Prints a table per noise, batch time and number of cases: rows valid, of these those that cover the truth, and their
/// half-width; for slices as the runner takes them and for what was measured before there were any.
void study_noise(std::size_t trials, std::uint64_t seed);

/// The same of runs of 110 s in which all cases are visited in turn: as time alone has it, and with what all cases tell
/// of moods.
void study_rounds(std::size_t trials, std::uint64_t seed);

/// Prints per noise how often a case that is as fast as its baseline, and one that takes 5 % longer, comes out faster
/// or slower, in runs of two and eight cases.
void study_pairs(std::size_t trials, std::uint64_t seed);

/// The same of live comparisons, whose processes differ by 0, 1 or 2 %, with the time that they took.
void study_live(std::size_t trials, std::uint64_t seed);

}  // namespace transformeter
