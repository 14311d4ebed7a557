// Where the tests' public data lies: TRANSFORMETER_SHARED_DATA, else ../shared/data beside the sources. Tests that need
// it skip, saying so, where it is absent.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/source_tree.h"

namespace transformeter {

inline std::filesystem::path shared_data() {
  if (const char* path = std::getenv("TRANSFORMETER_SHARED_DATA")) return path;
  return source_directory() / "../shared/data";
}

}  // namespace transformeter

#define TRANSFORMETER_NEEDS_SHARED_DATA()                                     \
  if (!std::filesystem::exists(::transformeter::shared_data() / "README.md")) \
  GTEST_SKIP() << "no shared data in " << ::transformeter::shared_data() << "; set TRANSFORMETER_SHARED_DATA"
