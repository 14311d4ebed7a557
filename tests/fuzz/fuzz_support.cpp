// Plain system calls: this runs thousands of times a second.
#include "fuzz_support.h"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

namespace transformeter {

ScratchFile::ScratchFile(const std::string& name) {
  std::error_code ignored;
  const std::filesystem::path memory = "/dev/shm";
  const bool usable = std::filesystem::is_directory(memory, ignored) && ::access(memory.c_str(), W_OK) == 0;
  std::string folder =
      ((usable ? memory : std::filesystem::temp_directory_path()) / "transformeter-fuzz-XXXXXX").string();
  require(::mkdtemp(folder.data()) != nullptr, "cannot make a scratch folder");
  path_ = std::filesystem::path(folder) / name;
}

ScratchFile::~ScratchFile() {
  std::error_code ignored;
  std::filesystem::remove_all(path_.parent_path(), ignored);
}

const std::filesystem::path& ScratchFile::write(std::string_view content) const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path_.parent_path(), ignored)) {
    if (entry.path() != path_) std::filesystem::remove_all(entry.path(), ignored);
  }
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  require(file >= 0, "cannot write the scratch file");
  const bool written = ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  ::close(file);
  require(written, "cannot write the scratch file");
  return path_;
}

}  // namespace transformeter
