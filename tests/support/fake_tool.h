// A program in the place of one that a report needs: a shell script that does as a test likes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"
#include "report/report_tool.h"
#include "support/temporary_folder.h"

namespace transformeter {

/// Options by which the script `body` runs as the tool.
inline ToolOptions fake_tool(const TemporaryFolder& folder, const std::string& body) {
  const auto path = folder.write("tool", "#!/bin/sh\n" + body + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  ToolOptions options;
  options.program = path;
  return options;
}

/// The message of the error of the environment that `write` ends with; "none" where it throws nothing.
inline std::string environment_problem(const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    return error.what();
  }
  return "none";
}

}  // namespace transformeter
