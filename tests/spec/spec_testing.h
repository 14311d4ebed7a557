// Helpers of the spec tests: messages of expected errors, small safetensors files, temporary folders.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace transformeter {

inline std::filesystem::path models_folder() {
  return std::filesystem::path(TRANSFORMETER_SOURCE_DIR) / "tests" / "data" / "models";
}

/// Expects `action` to throw an Error of `kind`; gives back its message.
inline std::string message_of(ErrorKind kind, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// A whole file: 8 bytes of header length, the header, `data_bytes` zeros.
inline std::string safetensors_file(const std::string& header, std::size_t data_bytes) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  return file + header + std::string(data_bytes, '\0');
}

/// Removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "transformeter-spec-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error(ErrorKind::kEnvironment, "no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& content) const {
    write_file_atomically(path_ / name, content);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace transformeter
