// A lock file: one holder at a time, over all processes of the machine, Python's filelock included.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

namespace transformeter {

/// Holds an exclusive flock on `path` until it goes; the kernel lets go when the process ends, however it ends.
class FileLock {
 public:
  /// Waits for another holder. Throws Error(kEnvironment), and Error(kInterrupted) once `interrupt`, which may be null,
  /// is set.
  FileLock(const std::filesystem::path& path, const std::atomic<bool>* interrupt);
  /// Null where there is another holder. Throws Error(kEnvironment).
  static std::unique_ptr<FileLock> try_lock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  FileLock() = default;
  /// Whether it is held now; else another one holds it.
  bool take(const std::filesystem::path& path);
  bool is_current(const std::filesystem::path& path) const;

  int descriptor_ = -1;
};

}  // namespace transformeter
