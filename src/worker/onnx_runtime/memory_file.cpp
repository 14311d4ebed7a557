// Made by memfd_create, which Linux alone has.
#include "onnx_runtime/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace transformeter {

MemoryFile::MemoryFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot make a file in memory: {}", std::strerror(errno)));
  }
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

void MemoryFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw Error(ErrorKind::kOutOfMemory, fmt::format("cannot write a file in memory: {}", std::strerror(errno)));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::filesystem::path MemoryFile::path() const {
  return fmt::format("/proc/self/fd/{}", descriptor_);
}

}  // namespace transformeter
