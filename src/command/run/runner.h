// Runs all cases of a plan, with interleaved replicates, and stores the results; a failing case does not stop the run.
#pragma once

#include "base/context.h"
#include "run/prepare_run.h"
#include "run/progress.h"
#include "store/store.h"

namespace transformeter {

/// Runs every (case, replicate) pair that `run` does not have yet and stores each slice as it finishes: cheapest cases
/// first, every case once before any case a second time. With slices the workers of several cases live at once, as many
/// as memory allows, all but one parked, and are visited round by round, back and forth: A B C, C B A, so that of any
/// two cases four slices form a quad A B B A. Then, with fewer than three replicates, cases whose comparison with the
/// baseline is undecided get further quads, and the case with the widest interval further slices, until every
/// comparison is decided and every interval narrow, or the time is used up. A live comparison (AfterSlices::kDecide)
/// starts further processes instead: what differs between processes deceives as much as the machine. So does a choice
/// (AfterSlices::kChoose), of the cases that options.further_cases names, as long as it names any. A case that ran
/// out of memory is not retried, and cases of the same kind that are at least as large become implied_out_of_memory. On
/// an interrupt the running worker is stopped, the slice under way is not stored, nor a replicate without a finished
/// slice, and the outcome says so. `run` must be in the store. Throws Error(kEnvironment) when the store or a worker's
/// start fails.
RunOutcome execute(const Context& context, Store& store, PreparedRun& run, const RunnerOptions& options,
                   Progress& progress);

}  // namespace transformeter
