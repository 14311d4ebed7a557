// The peaks that a run's cases are held against: looked up when the run begins and kept with it, so that reading needs
// no look-up and a merged run keeps them.
#pragma once

#include "base/context.h"
#include "run/peaks.h"
#include "run/runner.h"
#include "store/peak_store.h"

namespace transformeter {

/// Puts the peaks that the run's cases need, as far as `store` has them for this machine, into run.record.host
/// ("peaks": a list). The setting `peaks` says what else: with `measure` those that are missing or were disturbed are
/// measured first, and kept in `store`; with `off` there are none. A worker that fails at it is a warning. Throws
/// Error(kInterrupted).
void attach_peaks(const Context& context, PeakStore& store, const PeakWorkerOptions& options, PreparedRun& run);

/// What a case of `run` is held against: {"gemm": ..., "bandwidth": ...}, each with value, interval and when it was
/// measured, or with the reason why there is none.
Json peaks_of_case(const RunRecord& run, const Json& requested);

}  // namespace transformeter
