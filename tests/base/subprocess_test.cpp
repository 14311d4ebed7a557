// Finding programs, working folders and waiting with a limit.
#include "base/subprocess.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace transformeter {
namespace {

TEST(Subprocess, FindsProgramsInPath) {
  const auto shell = find_program("sh");
  ASSERT_TRUE(shell.has_value());
  EXPECT_TRUE(shell->is_absolute());
  EXPECT_FALSE(find_program("no-such-program-at-all").has_value());
}

TEST(Subprocess, StartsInItsWorkingFolder) {
  const TemporaryDirectory folder;
  SpawnOptions options;
  options.arguments = {"-c", "echo here >file"};
  options.working_folder = folder.path();
  EXPECT_EQ(Subprocess("/bin/sh", options).wait().code, 0);
  EXPECT_EQ(read_file(folder.path() / "file"), "here\n");
}

TEST(Subprocess, WaitingEndsWithTheChildOrTheLimit) {
  SpawnOptions options;
  options.arguments = {"-c", "exit 7"};
  Subprocess quick("/bin/sh", options);
  EXPECT_EQ(quick.wait_for(std::chrono::seconds(20))->code, 7);
  options.arguments = {"-c", "exec sleep 20"};
  Subprocess slow("/bin/sh", options);
  EXPECT_FALSE(slow.wait_for(std::chrono::milliseconds(1)).has_value());
}

TEST(TemporaryDirectory, GoesWithAllItHolds) {
  std::filesystem::path path;
  {
    const TemporaryDirectory folder;
    path = folder.path();
    write_file_atomically(path / "file", "x");
    EXPECT_TRUE(std::filesystem::exists(path / "file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace transformeter
