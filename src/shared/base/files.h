// Reading, mapping and atomically writing files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace transformeter {

/// Devices and pipes may have no end.
inline constexpr std::size_t kLargestFile = std::size_t{4} << 30;

/// The whole file. Throws Error(kBadInput) naming the path when it cannot be read or has more than `largest` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t largest = kLargestFile);

/// Like read_file, but empty when the file is missing or unreadable: for /proc and /sys, where absence is normal.
std::string read_file_or_empty(const std::filesystem::path& path);

/// Writes under a temporary name beside `path`, flushes, then renames: readers see the old file or the new one.
/// Throws Error(kEnvironment).
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// A read-only private mapping of a whole file; an empty file maps to no bytes. Throws Error(kBadInput).
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace transformeter
