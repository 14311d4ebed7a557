// A disk that is full, as one process sees it.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

namespace transformeter {

/// What `work` returns, run in a child whose files cannot grow beyond `bytes`: a write beyond fails with EFBIG, as one
/// on a full disk does with ENOSPC. The child begins no threads: `work` must not need those of its parent.
inline int with_largest_file(rlim_t bytes, const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::_exit(::setrlimit(RLIMIT_FSIZE, &limit) == 0 ? work() : 100);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace transformeter
