// Each thread of the OpenMP team reads its own mask: binding holds threads, not the process.
#include "worker/launch_readback.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/error.h"
#include "host/allocator.h"
#include "host/cpu_list.h"
#include "host/huge_pages.h"
#include "host/memory_policy.h"

namespace transformeter {
namespace {

using Masks = std::vector<std::vector<int>>;

Masks thread_masks() {
  const int count = at::get_num_threads();
  Masks masks(static_cast<std::size_t>(count));
  at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      masks[static_cast<std::size_t>(i)] = allowed_cpus().value_or(std::vector<int>{});
    }
  });
  return masks;
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
                fmt::format("interop_threads {}: LibTorch has started its threads between operators already", count));
  }
}

std::string pinning_word(const std::string& asked, const Masks& masks) {
  const std::vector<int> all = union_of(masks);
  const bool each_has_one = std::all_of(masks.begin(), masks.end(), [](const auto& mask) { return mask.size() == 1; });
  const bool is_as_wide = all.size() == masks.size();  // as many processors as threads
  if (asked == "cores" && is_as_wide && (!each_has_one || masks.size() == 1)) return "cores";
  if (each_has_one && is_as_wide && (asked == "threads" || masks.size() > 1)) return "threads";
  return "none";
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
  return "system";
}

Json read_launch_settings(const Json& asked) {
  Json effective = Json::object();
  if (const auto bytes = read_huge_page_bytes(0)) {
    effective["huge_pages"] = huge_pages_word(word_of(asked, "huge_pages"), *bytes);
    effective["huge_page_bytes"] = *bytes;
  }
  const Masks masks = thread_masks();
  effective["pinning"] = pinning_word(word_of(asked, "pinning"), masks);
  effective["affinity"] = format_cpu_list(union_of(masks));
  effective["thread_affinity"] = Json::array();
  for (const std::vector<int>& mask : masks) effective["thread_affinity"].push_back(format_cpu_list(mask));
  if (const auto policy = read_memory_policy()) effective["numa"] = numa_value(*policy);
  const AllocatorInUse allocator = read_allocator();
  effective["allocator"] = allocator.name;
  if (!allocator.version.empty()) effective["allocator_version"] = allocator.version;
  return effective;
}

}  // namespace transformeter
