// Carries out the faults of a behaviour: everything a worker may do that it should not.
#pragma once

#include "fake_worker/behaviour.h"
#include "schema/channel.h"

namespace transformeter {

enum class FaultOutcome {
  kGoOn,  // after a delay
  kEnd,   // the session is over: the process exits with 0
};

/// Commits `fault` on `channel`; may not return at all. A fault with `once` whose file exists does nothing.
FaultOutcome commit_fault(const Fault& fault, Channel& channel);

}  // namespace transformeter
