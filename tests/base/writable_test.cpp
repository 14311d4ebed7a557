// Folders that files can be made in, and those that look so.
#include "base/writable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/full_disk.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::HasSubstr;
using testing::Optional;

TEST(WhyNotWritable, IsFoundByMakingAFileThatGoesAgain) {
  const TemporaryFolder folder;
  EXPECT_EQ(why_not_writable(folder.path()), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THAT(why_not_writable(folder.path() / "none"), Optional(HasSubstr("No such file or directory")));
  EXPECT_THAT(why_not_writable(folder.write("f", "")), Optional(HasSubstr("Not a directory")));
  EXPECT_NE(why_not_writable("/proc"), std::nullopt) << "not even by root, whom access() allows it";
}

TEST(WhyNotWritable, IsThatTheDiskIsFull) {
  const TemporaryFolder folder;
  EXPECT_EQ(with_largest_file(0, [&] { return why_not_writable(folder.path()) ? 0 : 1; }), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace transformeter
