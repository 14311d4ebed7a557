// The words for what a worker finds in itself.
#include "measure/launch_readback.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

using Masks = std::vector<std::vector<int>>;

TEST(PinningWord, ThreadsThatMayRunAnywhereAreNotPinned) {
  const Masks free{{0, 1, 2, 3}, {0, 1, 2, 3}};
  for (const char* asked : {"none", "cores", "threads"}) EXPECT_EQ(pinning_word(asked, free, 2), "none") << asked;
}

TEST(PinningWord, AsManyProcessorsAsThreadsIsCoresOnlyWhereAskedFor) {
  const Masks narrow{{0, 1}, {0, 1}};
  EXPECT_EQ(pinning_word("cores", narrow, 2), "cores");
  EXPECT_EQ(pinning_word("none", narrow, 2), "none") << "the whole of a small machine";
  EXPECT_EQ(pinning_word("threads", narrow, 2), "none");
}

TEST(PinningWord, AProcessorEachIsThreadsWhoeverAsked) {
  const Masks bound{{0}, {1}};
  for (const char* asked : {"none", "cores", "threads"}) EXPECT_EQ(pinning_word(asked, bound, 2), "threads") << asked;
  EXPECT_EQ(pinning_word("threads", {{0}, {0}}, 2), "none") << "both on one processor";
  EXPECT_EQ(pinning_word("threads", {{0}, {1}, {0}}, 2), "threads") << "a thread beside those that compute";
}

TEST(PinningWord, OneThreadOnOneProcessorIsWhatWasAskedFor) {
  for (const char* asked : {"none", "cores", "threads"}) EXPECT_EQ(pinning_word(asked, {{2}}, 1), asked);
}

TEST(NumaValue, IsAsTheSettingIsWritten) {
  using Mode = MemoryPolicy::Mode;
  EXPECT_EQ(numa_value({}), "none");
  EXPECT_EQ(numa_value({Mode::kBind, {1}}), 1);
  EXPECT_EQ(numa_value({Mode::kInterleave, {0, 1}}), "interleave");
  EXPECT_EQ(numa_value({Mode::kBind, {0, 1}}), "bind 0-1");
  EXPECT_EQ(numa_value({Mode::kPrefer, {1}}), "prefer 1");
}

TEST(HugePagesWord, TellsWhatWasGotFromWhatWasAsked) {
  EXPECT_EQ(huge_pages_word("system", 0), "system");
  EXPECT_EQ(huge_pages_word("system", 1 << 21), "system");
  EXPECT_EQ(huge_pages_word("transparent", 1 << 21), "transparent");
  EXPECT_EQ(huge_pages_word("transparent", 0), "off") << "asked for and not got";
  EXPECT_EQ(huge_pages_word("off", 0), "off");
  EXPECT_EQ(huge_pages_word("preferred", 1 << 21), "preferred");
  EXPECT_EQ(huge_pages_word("preferred", 0), "preferred") << "either is as asked";
}

}  // namespace
}  // namespace transformeter
