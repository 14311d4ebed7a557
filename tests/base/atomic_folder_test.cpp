// Folders that appear whole, what replaces them, and what a kill leaves behind.
#include "base/atomic_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

class AtomicFolderTest : public testing::Test {
 protected:
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) names.insert(entry.path().filename());
    return names;
  }
  void make(const std::string& name, const std::string& content) const {
    fs::create_directories(at(name));
    std::ofstream(at(name) / "file") << content;
  }
  TemporaryFolder folder_;
};

TEST_F(AtomicFolderTest, IsThereOnlyAfterCommit) {
  {
    AtomicFolder folder(at("a/b"));
    std::ofstream(folder.path() / "file") << "new";
    EXPECT_FALSE(fs::exists(at("a/b")));
    folder.commit();
  }
  EXPECT_EQ(read_file(at("a/b/file")), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(at("a")), {}), 1);
}

TEST_F(AtomicFolderTest, WithoutCommitTheOldFolderStaysAlone) {
  make("a", "old");
  {
    AtomicFolder folder(at("a"));
    std::ofstream(folder.path() / "file") << "new";
  }
  EXPECT_EQ(read_file(at("a/file")), "old");
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_F(AtomicFolderTest, TakesThePlaceOfAnOlderOneWithAllItHeld) {
  make("a", "old");
  std::ofstream(at("a") / "other") << "old";
  AtomicFolder folder(at("a/"));
  std::ofstream(folder.path() / "file") << "new";
  folder.commit();
  EXPECT_EQ(read_file(at("a/file")), "new");
  EXPECT_FALSE(fs::exists(at("a/other")));
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_F(AtomicFolderTest, RefusesAFileOfThatName) {
  folder_.write("a", "precious");
  try {
    AtomicFolder folder(at("a"));
    FAIL() << "a file was taken for a folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), testing::HasSubstr(at("a").string()));
  }
  EXPECT_EQ(read_file(at("a")), "precious");
}

TEST_F(AtomicFolderTest, WhatAKillLeftIsRemovedAndOnlyOfThatName) {
  make(".a.partial-123", "half");
  make(".b.partial-123", "half");
  AtomicFolder folder(at("a"));
  EXPECT_FALSE(fs::exists(at(".a.partial-123")));
  EXPECT_TRUE(fs::exists(at(".b.partial-123")));
}

TEST_F(AtomicFolderTest, NamesAreExchangedWithoutAMomentWithoutEither) {
  make("a", "old");
  make("b", "new");
  if (!exchange_names(at("b"), at("a"))) GTEST_SKIP() << "the file system exchanges no names";
  EXPECT_EQ(read_file(at("a/file")), "new");
  EXPECT_EQ(read_file(at("b/file")), "old");
}

TEST_F(AtomicFolderTest, WhereNamesCannotBeExchangedTheOldOneIsMovedAside) {
  make("a", "old");
  make("b", "new");
  replace_folder(at("b"), at("a"), [&](const fs::path&, const fs::path&) { return false; });
  EXPECT_EQ(read_file(at("a/file")), "new");
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_F(AtomicFolderTest, AnOldOneMovedAsideByAKilledProgramComesBack) {
  make(".a.replaced", "old");
  make(".a.partial-123", "new");
  settle_folders(folder_.path(), [](std::string_view name) { return name == "a"; });
  EXPECT_EQ(read_file(at("a/file")), "old");
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_F(AtomicFolderTest, AnOldOneWhoseSuccessorIsThereGoes) {
  make(".a.replaced", "old");
  make("a", "new");
  settle_folders(folder_.path(), [](std::string_view name) { return name == "a"; });
  EXPECT_EQ(read_file(at("a/file")), "new");
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_F(AtomicFolderTest, AFolderThatIsNotThereHoldsNothingAndAFileIsNone) {
  EXPECT_TRUE(entries_of(at("none")).empty());
  make("a", "content");
  EXPECT_EQ(entries_of(at("a")), std::vector<fs::path>{at("a/file")});
  EXPECT_THROW(entries_of(at("a/file")), Error);
  EXPECT_THROW(settle_folders(at("a/file"), [](std::string_view) { return true; }), Error);
}

TEST_F(AtomicFolderTest, ARemovedFolderLeavesNothing) {
  make("a", "old");
  remove_folder(at("a"));
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace transformeter
