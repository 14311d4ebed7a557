// The kernel's text files under /proc, /sys and /etc, read below a root that tests replace by a fixture tree.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformeter {

/// Paths are relative to the root: "proc/stat". A missing, unreadable or empty file is nothing, never an error.
/// Immutable, so that threads may share it.
class SystemFiles {
 public:
  SystemFiles() : root_("/") {}
  explicit SystemFiles(std::filesystem::path root) : root_(std::move(root)) {}

  std::filesystem::path path(std::string_view relative) const { return root_ / std::filesystem::path(relative); }
  /// "proc/PID/NAME"; pid 0 is the calling process.
  std::string process_file(pid_t pid, std::string_view name) const;

  bool exists(std::string_view relative) const;
  /// Without white space at both ends.
  std::optional<std::string> text(std::string_view relative) const;
  /// A file that holds one whole number and nothing else.
  std::optional<long long> integer(std::string_view relative) const;
  /// Sorted names in a folder; empty when there is none.
  std::vector<std::string> list(std::string_view relative) const;

 private:
  std::filesystem::path root_;
};

/// The rest of the first line with this key, trimmed: "VmRSS:  12 kB" gives "12 kB", "nr_throttled 3" gives "3",
/// "ID=debian" gives "debian". The key must be the whole text before the colon, the equals sign or the blank.
std::optional<std::string> field_of(std::string_view text, std::string_view key);
/// The field as a whole number.
std::optional<long long> count_field(std::string_view text, std::string_view key);
/// A field such as "1684 kB" (the kernel's kB are 1024 bytes) in bytes; nothing for any other unit.
std::optional<long long> bytes_field(std::string_view text, std::string_view key);

}  // namespace transformeter
