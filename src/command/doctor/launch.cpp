// What launch settings can ask for on this machine. That a choice is missing limits nothing else, but is worth knowing
// before a plan with that axis is written.
#include <fmt/format.h>

#include "doctor/software.h"
#include "machine/cpu_list.h"

namespace transformeter {
namespace {

using enum CheckLevel;

Check allocators(const LaunchHost& host) {
  const std::string why = "--allocator: page faults on fresh memory can take a fifth of a forward pass";
  std::string state = "glibc, glibc_raised";
  std::string missing;
  for (const PreloadedAllocator& allocator : preloaded_allocators()) {
    if (host.library_of(allocator)) {
      state += fmt::format(", {}", allocator.name);
    } else {
      missing += fmt::format(" {}", allocator.package);
    }
  }
  if (missing.empty()) return {kOk, "allocators", state, why, ""};
  return {kLimited, "allocators", state, why, "sudo apt-get install" + missing};
}

Check nodes(const LaunchHost& host) {
  const std::string why = "--numa: memory of another socket is slower; irrelevant with a single node";
  const std::vector<int>& numbers = host.processors.nodes;
  const std::string state = fmt::format(
      "{} ({})", numbers.size() == 1 ? "1 node" : fmt::format("{} nodes", numbers.size()), format_cpu_list(numbers));
  if (host.has_memory_policy || numbers.size() < 2) return {kOk, "NUMA nodes", state, why, ""};
  return {kLimited, "NUMA nodes", state + ", memory cannot be bound", why,
          "in Docker, use --cap-add SYS_NICE or a seccomp profile that allows set_mempolicy"};
}

}  // namespace

Checks check_launch(const LaunchHost& host) {
  return {allocators(host), nodes(host)};
}

}  // namespace transformeter
