// What all fuzz targets share. The invariant of every one: untrusted bytes are read, or refused by an Error that is the
// input's fault. Any other exception, a crash, a hang or unbounded memory is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

/// What libFuzzer and the replay driver call; always answers 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace transformeter {

inline std::string_view bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process, so that the fuzzer keeps the input, when what must hold does not.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Runs `read`. Other exceptions than Error go through and end the process.
template <typename Reader>
void expect_read_or_error(Reader&& read) {
  try {
    read();
  } catch (const Error& error) {
    require(error.kind() != ErrorKind::kInternal, error.what());
  }
}

/// A file for readers that want a path, in memory where the machine has /dev/shm. Its folder goes with the object.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// Replaces the content, and removes every other file of the folder.
  const std::filesystem::path& write(std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace transformeter
