// CPU sets as text, and sched_getaffinity for machines of any size.
#include "machine/cpu_list.h"

#include <sched.h>

#include <cerrno>
#include <memory>

#include "base/text.h"

namespace transformeter {
namespace {

constexpr int kMaxCpus = 1 << 20;  // far above any kernel's CONFIG_NR_CPUS; bounds hostile text

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  text = trim(text);
  if (text.empty()) return cpus;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> ends = split(part, '-');
    if (ends.size() > 2) return std::nullopt;
    const auto first = parse_integer(ends.front());
    const auto last = parse_integer(ends.back());
    if (!first || !last || *first < 0 || *last < *first || *last >= kMaxCpus) return std::nullopt;
    for (long long cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t begin = 0; begin < cpus.size();) {
    std::size_t end = begin;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[begin]);
    if (end > begin) text += '-' + std::to_string(cpus[end]);
    begin = end + 1;
  }
  return text;
}

std::optional<std::vector<int>> allowed_cpus() {
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  // The kernel refuses a mask smaller than its own with EINVAL, so grow until it fits.
  for (int capacity = 1024; capacity <= kMaxCpus; capacity *= 2) {
    const std::unique_ptr<cpu_set_t, Free> set(CPU_ALLOC(static_cast<std::size_t>(capacity)));
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(capacity));
    CPU_ZERO_S(size, set.get());
    if (::sched_getaffinity(0, size, set.get()) == 0) {
      std::vector<int> cpus;
      for (int cpu = 0; cpu < capacity; ++cpu) {
        if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set.get())) cpus.push_back(cpu);
      }
      return cpus;
    }
    if (errno != EINVAL) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace transformeter
