// One holder at a time.
#include "base/file_lock.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

TEST(FileLockTest, ASecondHolderIsRefusedUntilTheFirstIsGone) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "lock";
  auto first = FileLock::try_lock(path);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(FileLock::try_lock(path), nullptr);
  first.reset();
  EXPECT_NE(FileLock::try_lock(path), nullptr);
}

// As Python's filelock does, and `finetune` at its end.
TEST(FileLockTest, AFileThatIsRemovedLocksNothing) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "lock";
  const auto first = FileLock::try_lock(path);
  std::filesystem::remove(path);
  EXPECT_NE(FileLock::try_lock(path), nullptr);
}

TEST(FileLockTest, WaitingEndsWhenTheUserAsks) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "lock";
  const auto first = FileLock::try_lock(path);
  const std::atomic<bool> interrupt = true;
  try {
    const FileLock second(path, &interrupt);
    ADD_FAILURE() << "two holders";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInterrupted);
  }
}

TEST(FileLockTest, WhatCannotBeOpenedIsNamed) {
  const TemporaryFolder folder;
  try {
    FileLock::try_lock(folder.path() / "none" / "lock");
    ADD_FAILURE() << "a lock in no folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_NE(std::string(error.what()).find("none/lock"), std::string::npos);
  }
}

}  // namespace
}  // namespace transformeter
