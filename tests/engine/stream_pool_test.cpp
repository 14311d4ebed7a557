// Chunks on several threads.
#include "engine/stream_pool.h"

#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/ops/ones.h>

#include <array>
#include <atomic>
#include <stdexcept>

#include "engine/row_kernels.h"

namespace transformeter {
namespace {

TEST(StreamPool, RunsEachChunkOnceAndReturnsWhenAllAreDone) {
  StreamPool pool(2, 1);
  std::array<std::atomic<int>, 100> runs{};
  for (int time = 0; time < 20; ++time) pool.run(runs.size(), [&](std::size_t i) { ++runs[i]; });
  for (const auto& count : runs) EXPECT_EQ(count, 20);
}

TEST(StreamPool, GivesEachStreamItsThreadsAndLeavesTheCallersAlone) {
  at::set_num_threads(2);
  StreamPool pool(2, 1);
  std::atomic<int> largest{0};
  pool.run(8, [&](std::size_t) { largest = std::max(largest.load(), at::get_num_threads()); });
  EXPECT_EQ(largest, 1);
  EXPECT_EQ(at::get_num_threads(), 2);
}

// at::parallel_for is a function of a header: its first call in a thread sets the thread's count to the program's,
// unless that was done before.
TEST(StreamPool, KernelsOfOurOwnLeaveAStreamItsThreads) {
  at::set_num_threads(2);
  StreamPool pool(2, 1);
  std::atomic<int> largest{0};
  pool.run(8, [&](std::size_t) {
    rms_norm_rows(at::ones({64, 4096}), at::ones({4096}), 1e-5);
    largest = std::max(largest.load(), at::get_num_threads());
  });
  EXPECT_EQ(largest, 1);
}

TEST(StreamPool, ThrowsWhatAChunkThrewAfterTheOthersEnded) {
  StreamPool pool(2, 1);
  std::atomic<int> done{0};
  const auto work = [&](std::size_t i) {
    if (i == 3) throw std::runtime_error("chunk 3");
    ++done;
  };
  EXPECT_THROW(pool.run(10, work), std::runtime_error);
  EXPECT_EQ(done, 9);
  pool.run(10, [&](std::size_t) { ++done; });
  EXPECT_EQ(done, 19);
}

}  // namespace
}  // namespace transformeter
