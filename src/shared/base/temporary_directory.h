// A folder for files that nobody keeps.
#pragma once

#include <filesystem>

namespace transformeter {

/// Made under the system's temporary folder (TMPDIR), for this user alone; removed with all it holds by the destructor.
class TemporaryDirectory {
 public:
  /// Throws Error(kEnvironment) when it cannot be made.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace transformeter
