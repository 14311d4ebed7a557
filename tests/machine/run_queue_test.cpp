// Waits for a processor: of a fixture, and of this process where more threads want processors than there are.
#include "machine/run_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "machine/fixture_tree.h"

namespace transformeter {
namespace {

TEST(RunQueue, AddsTheWaitsOfAllThreads) {
  FixtureTree tree;
  EXPECT_EQ(run_queue_wait_s(tree.files()), std::nullopt);
  tree.write("proc/self/task/77/schedstat", "5000000000 100000000 57")
      .write("proc/self/task/78/schedstat", "4000000000 250000000 12")
      .write("proc/self/task/79/schedstat", "unreadable");
  EXPECT_DOUBLE_EQ(run_queue_wait_s(tree.files()).value_or(0), 0.35);
}

TEST(RunQueue, GrowsWhileThreadsWait) {
  const std::optional<double> before_s = run_queue_wait_s();
  if (!before_s) GTEST_SKIP() << "this kernel does not count waits for a processor";
  std::vector<std::thread> threads(2 * std::thread::hardware_concurrency() + 1);
  std::atomic<bool> is_over = false;
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      while (!is_over) continue;
    });
  }
  constexpr int kMostLooks = 3000;
  bool has_grown = false;
  for (int look = 0; look < kMostLooks && !has_grown; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    has_grown = run_queue_wait_s().value_or(0) - *before_s >= 0.01;
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(has_grown);
}

}  // namespace
}  // namespace transformeter
