// Room for workers, by the largest that was seen.
#include "run/worker_room.h"

#include <gtest/gtest.h>

#include "machine/process_memory.h"

namespace transformeter {
namespace {

std::vector<Series> process_of(double bytes) {
  return {scalar_series("peak_rss", bytes)};
}

TEST(WorkerRoom, IsBoundByTheirNumber) {
  WorkerRoom room;
  room.look_at(process_of(1));
  EXPECT_FALSE(room.has_one(kMostParked));
  EXPECT_FALSE(room.has_group(kMostParked - 1, 2));
}

TEST(WorkerRoom, FollowsTheLargest) {
  const auto available = available_memory_bytes();
  if (!available) GTEST_SKIP() << "the system does not say what is available";
  const auto bytes = static_cast<double>(*available);
  WorkerRoom room;
  room.look_at(process_of(bytes / 20));
  room.look_at(process_of(1));
  room.look_at({});
  EXPECT_EQ(room.has_one(0), bytes / 10 + 2e9 < bytes * 0.95) << "but for a machine with next to no memory";
  EXPECT_FALSE(room.has_group(0, 20)) << "of twenty and one";
  room.look_at(process_of(bytes));
  EXPECT_FALSE(room.has_one(0));
}

}  // namespace
}  // namespace transformeter
