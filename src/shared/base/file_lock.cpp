// flock, asked again every 50 ms so that Ctrl-C is heard.
#include "base/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.h"

namespace transformeter {

FileLock::FileLock(const std::filesystem::path& path, const std::atomic<bool>* interrupt) {
  while (!take(path)) {
    if (interrupt != nullptr && interrupt->load()) {
      ::close(std::exchange(descriptor_, -1));
      throw Error(ErrorKind::kInterrupted, "stopped by the user");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

std::unique_ptr<FileLock> FileLock::try_lock(const std::filesystem::path& path) {
  std::unique_ptr<FileLock> lock(new FileLock);
  return lock->take(path) ? std::move(lock) : nullptr;
}

bool FileLock::take(const std::filesystem::path& path) {
  while (true) {
    if (descriptor_ < 0) descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
      if (is_current(path)) return true;
      ::close(std::exchange(descriptor_, -1));
      continue;
    }
    if (errno == EINTR) continue;
    if (descriptor_ >= 0 && errno == EWOULDBLOCK) return false;
    const int reason = errno;
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot lock '{}': {}", path.string(), std::strerror(reason)));
  }
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Its last holder may have removed the file meanwhile, as Python's does: then another one could hold the new file.
bool FileLock::is_current(const std::filesystem::path& path) const {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor_, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace transformeter
