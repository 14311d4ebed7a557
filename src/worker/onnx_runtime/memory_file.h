// A file that lies in memory and has a path while this lives.
#pragma once

#include <filesystem>
#include <string_view>

namespace transformeter {

class MemoryFile {
 public:
  /// `name` is for those who list the process's open files. Throws Error(kEnvironment).
  explicit MemoryFile(const char* name);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Appends. Throws Error(kOutOfMemory).
  void write(std::string_view bytes);
  /// For this process alone.
  std::filesystem::path path() const;

 private:
  int descriptor_;
};

}  // namespace transformeter
