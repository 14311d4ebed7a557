// The peaks for a run's MFU and bandwidth share: looked up when the run starts and stored with it, so that reading
// needs no look-up and a merged run keeps them.
#pragma once

#include "base/context.h"
#include "run/peaks.h"
#include "run/prepare_run.h"
#include "schema/case.h"
#include "store/peak_store.h"
#include "store/store.h"

namespace transformeter {

/// Puts the peaks that the run's cases need, as far as `store` has them for this machine, into run.record.host
/// ("peaks": a list). The setting `peaks` says what else: with `measure` those that are missing or were disturbed are
/// measured first, and kept in `store`; with `off` there are none. A worker that fails at it is a warning. Throws
/// Error(kInterrupted).
void attach_peaks(const Context& context, PeakStore& store, const PeakWorkerOptions& options, PreparedRun& run);

/// Measures once more, after the run, the peaks that its cases were faster than (a bandwidth only if it was disturbed:
/// otherwise the cases read a cache), and holds all its cases in `store` against those that are better now; `run` gets
/// them too. Peaks that a case exceeds all the same are marked kPeakExceeded in the run and in all its cases, whose
/// shares of them are null. A worker that fails at it is a warning. Throws Error(kInterrupted), and store errors.
void correct_peaks(const Context& context, Store& store, PeakStore& peaks, const PeakWorkerOptions& options,
                   RunRecord& run);

/// The peaks for a case of `run`: {"gemm": ..., "read_bandwidth": ...}, each with value, interval and when it was
/// measured, or with the reason why there is none.
Json peaks_of_case(const RunRecord& run, const Case& asked);

}  // namespace transformeter
