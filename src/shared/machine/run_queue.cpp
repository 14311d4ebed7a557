#include "machine/run_queue.h"

#include <string>
#include <vector>

#include "base/text.h"

namespace transformeter {

// "on-cpu-ns waiting-ns turns" of each thread of this process. A thread that ended takes its wait with it.
std::optional<double> run_queue_wait_s(const SystemFiles& files) {
  std::optional<double> total_s;
  for (const std::string& thread : files.list("proc/self/task")) {
    const auto text = files.text("proc/self/task/" + thread + "/schedstat");
    const std::vector<std::string> words = text ? split(*text, ' ') : std::vector<std::string>();
    const auto wait_ns = words.size() > 1 ? parse_integer(words[1]) : std::nullopt;
    if (wait_ns) total_s = total_s.value_or(0) + static_cast<double>(*wait_ns) * 1e-9;
  }
  return total_s;
}

}  // namespace transformeter
