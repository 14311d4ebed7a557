// Field names: proc_pid_status(5), "VmHWM: peak resident set size"; clear_refs: proc_pid_clear_refs(5).
#include "machine/process_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "machine/cgroup.h"

namespace transformeter {

ProcessMemory read_process_memory(pid_t pid, const SystemFiles& files) {
  const std::string status = files.text(files.process_file(pid, "status")).value_or("");
  return {.rss_bytes = bytes_field(status, "VmRSS"),
          .peak_rss_bytes = bytes_field(status, "VmHWM"),
          .anonymous_bytes = bytes_field(status, "RssAnon"),
          .file_bytes = bytes_field(status, "RssFile")};
}

std::optional<long long> read_pss_bytes(pid_t pid, const SystemFiles& files) {
  return bytes_field(files.text(files.process_file(pid, "smaps_rollup")).value_or(""), "Pss");
}

bool reset_peak_rss(pid_t pid, const SystemFiles& files) {
  std::ofstream file(files.path(files.process_file(pid, "clear_refs")), std::ios::out | std::ios::in);  // never create
  file << "5" << std::flush;
  return file.good();
}

std::optional<long long> available_memory_bytes(const SystemFiles& files) {
  std::optional<long long> available = bytes_field(files.text("proc/meminfo").value_or(""), "MemAvailable");
  if (const auto left = read_cgroup_limits(files).memory_left_bytes) {
    available = available ? std::min(*available, *left) : *left;
  }
  return available;
}

}  // namespace transformeter
