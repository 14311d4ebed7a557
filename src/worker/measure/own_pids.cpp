// A union in order.
#include "measure/own_pids.h"

#include <unistd.h>

#include <algorithm>

namespace transformeter {

std::vector<pid_t> own_pids(const std::vector<int>& named) {
  std::vector<pid_t> pids{::getpid()};
  for (const int pid : named) {
    if (std::find(pids.begin(), pids.end(), pid) == pids.end()) pids.push_back(pid);
  }
  return pids;
}

}  // namespace transformeter
