// A signal handler can reach nothing but a global, so this is the one there is.
#include "cli/interrupt.h"

#include <signal.h>

#include "base/error.h"

namespace transformeter {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  interrupted.store(true);
}

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // without SA_RESTART
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

void check_interrupt(const std::atomic<bool>& interrupt) {
  if (interrupt.load()) throw Error(ErrorKind::kInterrupted, "stopped by the user");
}

}  // namespace transformeter
