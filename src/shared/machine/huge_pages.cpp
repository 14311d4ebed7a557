// transhuge.rst of the kernel's documentation; AnonHugePages: proc_pid_smaps(5).
#include "machine/huge_pages.h"

namespace transformeter {

// "always [madvise] never" gives "madvise".
std::optional<std::string> transparent_huge_page_mode(const SystemFiles& files) {
  const auto text = files.text("sys/kernel/mm/transparent_hugepage/enabled");
  if (!text) return std::nullopt;
  const std::size_t open = text->find('[');
  const std::size_t close = text->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  return text->substr(open + 1, close - open - 1);
}

std::optional<long long> read_huge_page_bytes(pid_t pid, const SystemFiles& files) {
  return bytes_field(files.text(files.process_file(pid, "smaps_rollup")).value_or(""), "AnonHugePages");
}

}  // namespace transformeter
