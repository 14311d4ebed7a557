// References as files: whole, or as if they were not there.
#include "run/reference_cache.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const ReferenceOutputs kOutputs{{2, {3, 4}, {1, 1}, {1, 2, 3, 4}}, {1.5, 0.75, std::nullopt}};

class ReferenceCacheTest : public testing::Test {
 protected:
  fs::path file() const { return folder_.path() / "cache/k.reference"; }

  TemporaryFolder folder_;
  std::string warnings_;
  ReferenceCache cache_{folder_.path() / "cache",
                        [this](LogLevel, std::string_view line) { warnings_ += std::string(line) + "\n"; }};
};

TEST_F(ReferenceCacheTest, KeepsWhatItIsGiven) {
  EXPECT_FALSE(cache_.load("k"));
  cache_.store("k", kOutputs);
  EXPECT_EQ(cache_.load("k"), kOutputs);
  EXPECT_FALSE(cache_.load("other"));
  EXPECT_EQ(warnings_, "");
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), fs::directory_iterator()), 1)
      << "nothing temporary stays";
}

TEST_F(ReferenceCacheTest, PassesOverADamagedFile) {
  cache_.store("k", kOutputs);
  const std::string whole = read_file(file());
  std::string flipped = whole;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  for (const std::string& content : {std::string(), whole.substr(0, whole.size() - 1), whole + "x", flipped,
                                     std::string("{}\n"), std::string("no JSON\n"), std::string("[1]\n")}) {
    warnings_.clear();
    write_file_atomically(file(), content);
    EXPECT_FALSE(cache_.load("k")) << content;
    EXPECT_THAT(warnings_, HasSubstr("k.reference"));
  }
  cache_.store("k", kOutputs);
  EXPECT_EQ(cache_.load("k"), kOutputs);
}

TEST_F(ReferenceCacheTest, AFileUnderAnotherNameIsNotBelieved) {
  cache_.store("other", kOutputs);
  fs::rename(folder_.path() / "cache/other.reference", file());
  EXPECT_FALSE(cache_.load("k"));
  EXPECT_THAT(warnings_, HasSubstr("'key'"));
}

TEST_F(ReferenceCacheTest, AFolderThatCannotBeIsNoReasonToFail) {
  write_file_atomically(folder_.path() / "plain", "a file");
  const ReferenceCache cache(folder_.path() / "plain",
                             [this](LogLevel, std::string_view line) { warnings_ += std::string(line); });
  cache.store("k", kOutputs);
  EXPECT_FALSE(cache.load("k"));
  EXPECT_THAT(warnings_, HasSubstr("cannot cache the reference"));
  const ReferenceCache none({}, [](LogLevel, std::string_view) { ADD_FAILURE() << "nothing to tell"; });
  none.store("k", kOutputs);
  EXPECT_FALSE(none.load("k"));
}

}  // namespace
}  // namespace transformeter
