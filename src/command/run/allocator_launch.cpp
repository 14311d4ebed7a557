// Why each variable: mallopt(3) and the glibc manual on tunables; jemalloc(3), "TUNING"; mimalloc's page on
// environment options. docs/launch.md has the page faults that each was seen to save.
#include "run/allocator_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

using Variables = std::map<std::string, std::string>;
using Options = std::vector<std::pair<std::string, std::string>>;

// Above every tensor: no block is mapped on its own, and the top of the heap is never given back.
constexpr std::int64_t kAboveAllBytes = std::int64_t{1} << 40;
// mimalloc gives back blocks above 16 MiB unless they lie in a region reserved beforehand. The region counts against
// memory_limit as soon as it is there, so it takes at most half of one that was asked for.
constexpr std::int64_t kReservedBytes = std::int64_t{2} << 30;

// "a=1:b=2" with the options added; an option that is there already gets the new value.
std::string with_options(const std::string& text, const Options& options, char separator, char equals) {
  std::vector<std::string> parts;
  for (const std::string& part : split(text, separator)) {
    const bool is_replaced = std::any_of(options.begin(), options.end(), [&](const auto& option) {
      return part.starts_with(fmt::format("{}{}", option.first, equals));
    });
    if (!part.empty() && !is_replaced) parts.push_back(part);
  }
  for (const auto& [name, value] : options) parts.push_back(fmt::format("{}{}{}", name, equals, value));
  return fmt::format("{}", fmt::join(parts, std::string_view(&separator, 1)));
}

void add_options(Variables& environment, const char* variable, const Options& options, char separator, char equals) {
  if (options.empty()) return;
  environment[variable] = with_options(environment[variable], options, separator, equals);
}

// One arena: the others are heaps of 64 MiB that glibc unmaps when they are empty, whatever the thresholds.
void add_glibc(bool is_raised, bool has_huge_pages, Variables& environment) {
  Options tunables;
  if (is_raised) {
    tunables = {{"glibc.malloc.mmap_threshold", std::to_string(kAboveAllBytes)},
                {"glibc.malloc.trim_threshold", std::to_string(kAboveAllBytes)},
                {"glibc.malloc.arena_max", "1"}};
  }
  if (has_huge_pages) tunables.emplace_back("glibc.malloc.hugetlb", "1");
  add_options(environment, "GLIBC_TUNABLES", tunables, ':', '=');
}

void add_jemalloc(bool has_huge_pages, Variables& environment) {
  Options options{{"background_thread", "false"}, {"dirty_decay_ms", "-1"}, {"muzzy_decay_ms", "-1"}};
  if (has_huge_pages) options.emplace_back("thp", "always");
  add_options(environment, "MALLOC_CONF", options, ',', ':');
}

// Huge pages are LibTorch's to ask for: mimalloc's own option got none for a reserved region on a machine without a
// pool of them. The other options changed their names from 2.0 (Debian 12) to 2.1 (Ubuntu 24.04); each version passes
// over the other's.
void add_mimalloc(std::optional<std::int64_t> memory_limit, bool has_huge_pages, Variables& environment) {
  std::int64_t reserved = kReservedBytes;
  if (memory_limit) reserved = std::min(reserved, *memory_limit / 2);
  Options options{{"MIMALLOC_RESERVE_OS_MEMORY", fmt::format("{}KiB", reserved >> 10)},
                  {"MIMALLOC_PURGE_DELAY", "-1"},
                  {"MIMALLOC_ALLOW_DECOMMIT", "0"},
                  {"MIMALLOC_PAGE_RESET", "0"}};
  if (has_huge_pages) options.emplace_back("THP_MEM_ALLOC_ENABLE", "1");
  for (const auto& [name, value] : options) environment.insert_or_assign(name, value);
}

std::string library_file(const PreloadedAllocator& allocator, const LaunchHost& host) {
  if (const auto file = host.library_of(allocator)) return std::filesystem::absolute(*file).string();
  std::vector<std::string> folders;
  for (const auto& folder : host.library_folders) folders.push_back(folder.string());
  throw Error(ErrorKind::kUnsupported,
              fmt::format("allocator {}: {} not found in {}; install the package {}", allocator.name,
                          allocator.files.front(), fmt::join(folders, ", "), allocator.package));
}

}  // namespace

void add_allocator(const Case& asked, const LaunchHost& host, Variables& environment) {
  const std::string& name = asked.allocator;
  const bool has_huge_pages =
      asked.huge_pages == "transparent" || (asked.huge_pages == "preferred" && host.allows_huge_pages());
  const auto& preloaded = preloaded_allocators();
  const auto found =
      std::find_if(preloaded.begin(), preloaded.end(), [&](const auto& allocator) { return allocator.name == name; });
  if (found == preloaded.end()) return add_glibc(name == "glibc_raised", has_huge_pages, environment);
  const std::string others = environment["LD_PRELOAD"];
  environment["LD_PRELOAD"] = fmt::format("{}{}{}", library_file(*found, host), others.empty() ? "" : ":", others);
  if (name == "jemalloc") {
    add_jemalloc(has_huge_pages, environment);
  } else {
    add_mimalloc(asked.memory_limit, has_huge_pages, environment);
  }
}

}  // namespace transformeter
