// Ctrl-C as a flag that long work looks at.
#pragma once

#include <atomic>

namespace transformeter {

/// From now on the first SIGINT or SIGTERM sets the flag, which lives as long as the program; a second one ends the
/// program at once. Waiting system calls return early.
const std::atomic<bool>& catch_interrupts();

}  // namespace transformeter
