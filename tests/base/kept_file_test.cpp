// What is kept, what is not ours, and several that keep at once.
#include "base/kept_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace transformeter {
namespace {

class KeptFile : public testing::Test {
 protected:
  std::optional<std::string> add(const std::string& key) const {
    return change_kept_file(path_, 3, [&](const Json& present) {
      Json changed = present.is_null() ? Json::object() : present;
      changed[key] = true;
      return changed;
    });
  }

  TemporaryDirectory folder_;
  std::filesystem::path path_ = folder_.path() / "deep/kept.json";
};

TEST_F(KeptFile, HoldsWhatWasKept) {
  EXPECT_TRUE(read_kept_file(path_, 3).is_null());
  EXPECT_EQ(add("one"), std::nullopt);
  EXPECT_EQ(add("two"), std::nullopt);
  EXPECT_EQ(read_kept_file(path_, 3), (Json{{"version", 3}, {"one", true}, {"two", true}}));
}

TEST_F(KeptFile, WhatIsDamagedOrOfAnotherVersionIsMadeAgain) {
  for (const char* text : {"", "garbage", "[3]", "{\"version\": 2, \"old\": true}", "{\"version\": 3, \"o"}) {
    add("one");
    write_file_atomically(path_, text);
    EXPECT_TRUE(read_kept_file(path_, 3).is_null()) << text;
    add("two");
    EXPECT_EQ(read_kept_file(path_, 3), (Json{{"version", 3}, {"two", true}})) << text;
  }
}

TEST_F(KeptFile, SaysWhyNothingIsKept) {
  write_file_atomically(folder_.path() / "deep", "a file where the folder should be");
  const auto why = add("one");
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, testing::HasSubstr("deep"));
}

TEST_F(KeptFile, LosesNothingOfSeveralAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([this, i] { add(std::to_string(i)); });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(read_kept_file(path_, 3).size(), 5U) << "four, and the version";
}

}  // namespace
}  // namespace transformeter
