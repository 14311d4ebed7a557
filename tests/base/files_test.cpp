// Reading whole files, and those that have no end.
#include "base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

TEST(ReadFile, StopsAtTheLargestSize) {
  const TemporaryFolder folder;
  const auto path = folder.write("f", "abcd");
  EXPECT_EQ(read_file(path, 4), "abcd");
  EXPECT_THROW(read_file(path, 3), Error);
  try {
    read_file("/dev/zero", 1000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), testing::HasSubstr("'/dev/zero': it has more than the allowed 1000 bytes"));
  }
}

}  // namespace
}  // namespace transformeter
