// Masks are of threads, not of the process, so all of them are read.
#include "measure/launch_readback.h"

#include <ATen/Parallel.h>
#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/error.h"
#include "machine/allocator.h"
#include "machine/cpu_list.h"
#include "machine/huge_pages.h"
#include "machine/memory_policy.h"
#include "machine/thread_affinity.h"

namespace transformeter {
namespace {

using Masks = std::vector<std::vector<int>>;

// Work that LibTorch surely shares out: the team of threads is there afterwards, also where the model was too small to
// need it.
void make_threads() {
  constexpr std::int64_t kSharedOutElements = 1 << 20;
  at::ones({kSharedOutElements});
}

std::vector<int> union_of(const Masks& masks) {
  std::set<int> all;
  for (const std::vector<int>& mask : masks) all.insert(mask.begin(), mask.end());
  return {all.begin(), all.end()};
}

std::string word_of(const Json& asked, const char* name) {
  const auto found = asked.find(name);
  return found != asked.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

void apply_interop_threads(const Json& settings) {
  const auto asked = settings.find("interop_threads");
  if (asked == settings.end() || !asked->is_number_integer()) return;
  const int count = asked->get<int>();
  if (static_cast<int>(at::get_num_interop_threads()) == count) return;
  try {
    at::set_num_interop_threads(count);
  } catch (const std::exception&) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("interop_threads {}: LibTorch has already started its inter-op threads", count));
  }
}

std::string pinning_word(const std::string& asked, const Masks& masks, std::size_t threads) {
  const bool each_has_one = std::all_of(masks.begin(), masks.end(), [](const auto& mask) { return mask.size() == 1; });
  if (union_of(masks).size() != threads) return "none";  // other processors than threads
  if (threads == 1) return asked;
  if (each_has_one) return "threads";
  return asked == "cores" ? "cores" : "none";
}

Json numa_value(const MemoryPolicy& policy) {
  switch (policy.mode) {
    case MemoryPolicy::Mode::kNone:
      return "none";
    case MemoryPolicy::Mode::kInterleave:
      return "interleave";
    case MemoryPolicy::Mode::kBind:
      if (policy.nodes.size() == 1) return policy.nodes.front();
      return "bind " + format_cpu_list(policy.nodes);
    case MemoryPolicy::Mode::kPrefer:
      return "prefer " + format_cpu_list(policy.nodes);
  }
  return "none";
}

std::string huge_pages_word(const std::string& asked, long long bytes) {
  if (asked == "transparent") return bytes > 0 ? "transparent" : "off";
  if (asked == "off") return bytes > 0 ? "system" : "off";
  return asked == "preferred" ? "preferred" : "system";
}

Json read_launch_settings(const Json& asked) {
  Json effective = Json::object();
  if (const auto bytes = read_huge_page_bytes(0)) {
    effective["huge_pages"] = huge_pages_word(word_of(asked, "huge_pages"), *bytes);
    effective["huge_page_bytes"] = *bytes;
  }
  make_threads();
  if (const Masks masks = read_thread_affinities(); !masks.empty()) {
    const auto threads = static_cast<std::size_t>(at::get_num_threads());
    effective["pinning"] = pinning_word(word_of(asked, "pinning"), masks, threads);
    effective["affinity"] = format_cpu_list(union_of(masks));
    effective["thread_affinity"] = Json::array();
    for (const std::vector<int>& mask : masks) effective["thread_affinity"].push_back(format_cpu_list(mask));
  }
  if (const auto policy = read_memory_policy()) effective["numa"] = numa_value(*policy);
  const AllocatorInUse allocator = read_allocator();
  effective["allocator"] = allocator.name;
  if (!allocator.version.empty()) effective["allocator_version"] = allocator.version;
  return effective;
}

}  // namespace transformeter
