// Helpers of the spec tests: messages of expected errors, small safetensors files.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "support/source_tree.h"

namespace transformeter {

inline std::filesystem::path models_folder() {
  return source_directory() / "tests" / "data" / "models";
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

}  // namespace transformeter
