// The suite measured by itself: what a sample costs beside the work, how fine the clock is, and whether known answers
// come back from the whole path of a run.
#pragma once

#include <atomic>
#include <string>

#include "base/context.h"
#include "base/units.h"
#include "doctor/check.h"
#include "machine/timer.h"
#include "schema/record.h"

namespace transformeter {

/// The real worker (`worker` as --worker, may be empty) is run on a tiny model for its null model's cost, and asked for
/// the rates of its products; transformeter-fake-worker, where it lies beside this program, gives samples of known
/// distributions. Runs go the ordinary path through a store of their own in the temporary folder. A problem here means
/// wrong numbers, or none; what the machine lacks for the test only limits it. Ten seconds or so. Throws
/// Error(kInterrupted) alone.
Checks self_test(const Context& context, const std::string& worker, const std::atomic<bool>& interrupt);

/// The clock between two looks.
Check judge_timer(const TimerCost& cost);

/// `cost` per sample against the goal of 1 µs and 0.1 % of a sample.
Check judge_harness(Seconds cost);

/// The run that known_answers_plan and known_answers_behaviour make, against what they must come to.
Checks judge_known_answers(const RunRecord& run);

/// What the fake worker is told: batch size 1 takes 10 ms always, 2 is lognormal around 10 ms, 3 becomes slower all the
/// time, 4 dies while it is measured.
Json known_answers_behaviour();

}  // namespace transformeter
