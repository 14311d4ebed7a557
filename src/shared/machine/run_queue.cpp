#include "machine/run_queue.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace transformeter {

// "on-cpu-ns waiting-ns turns" of each thread of this process. A thread without turns is one whose waits are not
// counted.
ThreadWaits thread_waits(const SystemFiles& files) {
  ThreadWaits waits;
  for (const std::string& thread : files.list("proc/self/task")) {
    const auto text = files.text("proc/self/task/" + thread + "/schedstat");
    const std::vector<std::string> words = text ? split(*text, ' ') : std::vector<std::string>();
    const auto wait_ns = words.size() > 2 && words[2] != "0" ? parse_integer(words[1]) : std::nullopt;
    if (wait_ns) waits[thread] = static_cast<double>(*wait_ns) * 1e-9;
  }
  return waits;
}

// A thread that ended takes its wait with it.
std::optional<double> run_queue_wait_s(const SystemFiles& files) {
  const ThreadWaits waits = thread_waits(files);
  if (waits.empty()) return std::nullopt;
  double total_s = 0;
  for (const auto& [thread, wait_s] : waits) total_s += wait_s;
  return total_s;
}

double longest_wait_s(const ThreadWaits& before, const ThreadWaits& after) {
  double longest_s = 0;
  for (const auto& [thread, wait_s] : after) {
    const auto earlier = before.find(thread);
    longest_s = std::max(longest_s, wait_s - (earlier == before.end() ? 0 : earlier->second));
  }
  return longest_s;
}

}  // namespace transformeter
