// proc_pid_task(5) and the field Cpus_allowed_list of proc_pid_status(5). A thread's id is never below the process's,
// but names are sorted as texts.
#include "machine/thread_affinity.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "machine/cpu_list.h"

namespace transformeter {

std::vector<std::vector<int>> read_thread_affinities(const SystemFiles& files) {
  const std::string folder = files.process_file(0, "task");
  std::vector<long long> ids;
  for (const std::string& name : files.list(folder)) {
    if (const auto id = parse_integer(name)) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  std::vector<std::vector<int>> masks;
  for (const long long id : ids) {
    const std::string status = files.text(folder + "/" + std::to_string(id) + "/status").value_or("");
    const auto list = field_of(status, "Cpus_allowed_list");
    const auto cpus = list ? parse_cpu_list(*list) : std::nullopt;
    if (cpus) masks.push_back(*cpus);  // a thread that has just ended has none
  }
  return masks;
}

}  // namespace transformeter
