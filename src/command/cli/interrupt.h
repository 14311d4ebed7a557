// Ctrl-C as a flag that long work looks at.
#pragma once

#include <atomic>

namespace transformeter {

/// From now on the first SIGINT or SIGTERM sets the flag, which lives as long as the program; a second one ends the
/// program at once. Waiting system calls return early.
const std::atomic<bool>& catch_interrupts();

/// Throws Error(kInterrupted) once the user asked to stop: to be called now and then by what may take long.
void check_interrupt(const std::atomic<bool>& interrupt);

}  // namespace transformeter
