// Transparent huge pages: what the kernel is set to, and how many a process got.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "machine/system_files.h"

namespace transformeter {

/// "always", "madvise" or "never"; nothing where the kernel has no transparent huge pages.
std::optional<std::string> transparent_huge_page_mode(const SystemFiles& files = SystemFiles());

/// Anonymous memory of the process that lies in huge pages now; walks the page tables, so never inside a timed window.
std::optional<long long> read_huge_page_bytes(pid_t pid, const SystemFiles& files = SystemFiles());

}  // namespace transformeter
