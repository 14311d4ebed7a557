// The worker's own limits. Those that change the process run in a child, so that no other test feels them.
#include "machine/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "base/error.h"
#include "machine/fixture_tree.h"

namespace transformeter {
namespace {

constexpr long long kGibibyte = 1LL << 30;

TEST(MemoryLimitWithin, LeavesOneGibibyteToTheMachine) {
  EXPECT_EQ(memory_limit_within(std::nullopt, 8 * kGibibyte), 7 * kGibibyte);
  EXPECT_EQ(memory_limit_within(2 * kGibibyte, 8 * kGibibyte), 2 * kGibibyte);
  EXPECT_EQ(memory_limit_within(20 * kGibibyte, 8 * kGibibyte), 7 * kGibibyte);
}

TEST(MemoryLimitWithin, SaysWhyItRefuses) {
  try {
    memory_limit_within(std::nullopt, kGibibyte / 2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), testing::HasSubstr("512 MiB"));
  }
  try {
    memory_limit_within(-5, 8 * kGibibyte);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("'-5'"), testing::HasSubstr("positive")));
  }
}

// 0: as it should be; any other number names the step that failed.
int allocate_beyond_a_limit() {
  const long long limit = kGibibyte;
  if (apply_memory_limit(limit) != limit) return 1;
  if (memory_limit_bytes() != limit) return 2;
  try {
    // The plain function, since a compiler may leave out a new-expression.
    ::operator delete(::operator new(static_cast<std::size_t>(2 * limit)));
    return 3;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

TEST(ApplyMemoryLimit, MakesALargeAllocationFailAsAnException) {
#if defined(TRANSFORMETER_SANITIZED)
  GTEST_SKIP() << "AddressSanitizer's shadow memory counts as data";
#endif
  EXPECT_EXIT(std::_Exit(allocate_beyond_a_limit()), testing::ExitedWithCode(0), "");
}

TEST(OomScoreAdjustment, ReturnsWhatTheKernelHolds) {
  // Raising needs no privilege; it also shows in a real process, in a child.
  EXPECT_EXIT(std::_Exit(set_oom_score_adjustment(1000) == 1000 ? 0 : 1), testing::ExitedWithCode(0), "");
  const FixtureTree tree;
  EXPECT_EQ(set_oom_score_adjustment(1000, tree.files()), std::nullopt);
}

}  // namespace
}  // namespace transformeter
