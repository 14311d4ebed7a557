#include "machine/run_queue.h"

#include <gtest/gtest.h>

#include <optional>

#include "machine/fixture_tree.h"

namespace transformeter {
namespace {

TEST(RunQueue, AddsTheWaitsOfAllThreads) {
  FixtureTree tree;
  EXPECT_EQ(run_queue_wait_s(tree.files()), std::nullopt);
  tree.write("proc/self/task/77/schedstat", "5000000000 100000000 57")
      .write("proc/self/task/78/schedstat", "4000000000 250000000 12")
      .write("proc/self/task/79/schedstat", "unreadable")
      .write("proc/self/task/80/schedstat", "0 0 0");
  EXPECT_DOUBLE_EQ(run_queue_wait_s(tree.files()).value_or(0), 0.35);
  EXPECT_EQ(thread_waits(tree.files()), (ThreadWaits{{"77", 0.1}, {"78", 0.25}}));
}

TEST(RunQueue, TheLongestWaitIsOfOneThread) {
  EXPECT_DOUBLE_EQ(longest_wait_s({{"7", 1}, {"8", 2}}, {{"7", 1.25}, {"8", 2.5}}), 0.5);
  EXPECT_DOUBLE_EQ(longest_wait_s({{"7", 1}, {"8", 2}}, {{"7", 1}}), 0) << "one ended";
  EXPECT_DOUBLE_EQ(longest_wait_s({{"7", 1}}, {{"7", 1}, {"9", 0.25}}), 0.25) << "one began";
  EXPECT_DOUBLE_EQ(longest_wait_s({}, {}), 0);
}

}  // namespace
}  // namespace transformeter
