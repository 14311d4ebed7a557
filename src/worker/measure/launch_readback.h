// Reads back the launch settings in effect, which may differ from those requested.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/placement.h"

namespace transformeter {

/// Tells LibTorch the number of threads between operators that `settings` asks for; no variable of the environment
/// does. Before anything runs in parallel; throws Error(kUnsupported) when it is too late for that.
void apply_interop_threads(const Json& settings);

/// {allocator, allocator_version, huge_pages, huge_page_bytes, pinning, affinity, thread_affinity, numa} of this
/// process, in the words of the settings. `asked`: where two words fit what is found, as on a machine with no more
/// cores than threads, the one asked for. A figure that the kernel does not give is left out. Not for a timed window.
Json read_launch_settings(const Json& asked);

/// The word of the setting `pinning`, given the affinity mask of each of the process's threads, and how many of them
/// compute.
std::string pinning_word(const std::string& asked, const std::vector<std::vector<int>>& masks, std::size_t threads);

/// The value of the setting `numa`; of a policy that it cannot ask for, the policy in words.
Json numa_value(const MemoryPolicy& policy);

/// The word of the setting `huge_pages`, given how many bytes lie in huge pages.
std::string huge_pages_word(const std::string& asked, long long bytes);

}  // namespace transformeter
