// What this machine offers to launch settings: allocators, huge pages, processors, NUMA nodes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/system_files.h"
#include "machine/topology.h"

namespace transformeter {

/// An allocator that is preloaded, and where to get it.
struct PreloadedAllocator {
  std::string_view name;
  std::vector<std::string> files;  // the library's names, newest known interface last
  std::string_view package;        // of Debian and Ubuntu
};

/// jemalloc and mimalloc.
const std::vector<PreloadedAllocator>& preloaded_allocators();

struct LaunchHost {
  ProcessorMap processors;
  std::vector<int> allowed_cpus;                       // of this process, and so of its workers
  std::vector<std::filesystem::path> library_folders;  // where allocators are looked for
  std::optional<std::string> transparent_huge_pages;   // the kernel's mode; nothing: it has none
  bool has_memory_policy = false;                      // set_mempolicy is there and not forbidden

  bool allows_huge_pages() const { return transparent_huge_pages && *transparent_huge_pages != "never"; }

  /// The allocator's file; nothing when it is in none of the folders.
  std::optional<std::filesystem::path> library_of(const PreloadedAllocator& allocator) const;
};

/// Looks for allocators in the folders of the environment's TRANSFORMETER_ALLOCATOR_PATH (as PATH) where it is set,
/// else where the dynamic loader looks. Throws Error(kEnvironment) when hwloc cannot read the machine.
LaunchHost read_launch_host();

}  // namespace transformeter
