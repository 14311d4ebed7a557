// Samples that got less CPU time than others of their kind: something else had the processor.
#pragma once

#include <cstddef>
#include <vector>

#include "schema/series.h"

namespace transformeter {

/// Flags the samples of one window with kSampleDisturbed: those whose share of CPU time, `sample_cpu_time` ÷ `latency`,
/// is below 0.97 of the median share and further below it than three robust standard deviations of the half above it.
/// Warm-up has no part in it. The window begins at place `begin` of `latency` and ends with it. `by_index`: batches
/// differ by design, so each is held against its own repetitions. Nothing without both series, or where their lengths
/// differ.
void flag_disturbed(std::vector<Series>& series, std::size_t begin, bool by_index);

/// Whether there is a value of CPU time, and a place for flags, for each sample.
bool counts_cpu_time(const std::vector<Series>& series);

}  // namespace transformeter
