// Facts by src/shared/machine; loads hwloc, so once a run.
#include "run/launch_host.h"

#include <cstdlib>

#include "base/text.h"
#include "machine/cpu_list.h"
#include "machine/huge_pages.h"
#include "machine/memory_policy.h"
#include "machine/shared_library.h"

namespace transformeter {
namespace {

std::vector<std::filesystem::path> allocator_folders() {
  const char* const path = std::getenv("TRANSFORMETER_ALLOCATOR_PATH");
  if (path == nullptr) return loader_folders();
  const std::vector<std::string> folders = split(path, ':');
  return {folders.begin(), folders.end()};
}

}  // namespace

const std::vector<PreloadedAllocator>& preloaded_allocators() {
  static const std::vector<PreloadedAllocator> kAllocators{
      {"jemalloc", {"libjemalloc.so.2"}, "libjemalloc2"},
      {"mimalloc", {"libmimalloc.so.2", "libmimalloc.so.3"}, "libmimalloc2.0"}};
  return kAllocators;
}

std::optional<std::filesystem::path> LaunchHost::library_of(const PreloadedAllocator& allocator) const {
  return find_library(allocator.files, library_folders);
}

LaunchHost read_launch_host() {
  LaunchHost host;
  host.processors = read_processor_map();
  host.allowed_cpus = allowed_cpus().value_or(std::vector<int>{});
  host.library_folders = allocator_folders();
  host.transparent_huge_pages = transparent_huge_page_mode();
  host.has_memory_policy = read_memory_policy().has_value();
  return host;
}

}  // namespace transformeter
