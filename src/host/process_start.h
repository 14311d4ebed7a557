// When a process began, on the steady clock: the start of a cold start where nobody noted the time before exec.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/clock.h"
#include "host/system_files.h"

namespace transformeter {

/// The kernel notes the fork, before exec, in ticks of 10 ms rounded down: the true start lies up to one tick later, so
/// a cold start from here is too long by at most 10 ms. A time noted by the parent before it spawns is better.
/// `pid` 0 is the calling process. Nothing when the process is gone.
std::optional<Clock::TimePoint> process_start(pid_t pid, const SystemFiles& files = SystemFiles());

}  // namespace transformeter
