// Room for workers, by the largest that was seen. A worker takes 1 GB before any was, and 2 GB are left to others.
#include "run/worker_room.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

std::vector<Series> process_of(double bytes) {
  return {scalar_series("peak_rss", bytes)};
}

std::optional<std::int64_t> ten_gigabytes() {
  return 10'000'000'000;
}

TEST(WorkerRoom, IsBoundByTheirNumber) {
  const WorkerRoom room(ten_gigabytes);
  EXPECT_TRUE(room.has(kMostParked - 1, 1)) << "2 + 2 GB";
  EXPECT_FALSE(room.has(kMostParked, 1));
  EXPECT_TRUE(room.has(kMostParked - 2, 2));
  EXPECT_FALSE(room.has(kMostParked - 1, 2));
}

// One of them may be twice as large.
TEST(WorkerRoom, IsBoundByWhatAllOfThemTake) {
  const WorkerRoom room(ten_gigabytes);
  EXPECT_TRUE(room.has(0, 6)) << "7 + 2 GB";
  EXPECT_FALSE(room.has(0, 7)) << "8 + 2 GB";
}

TEST(WorkerRoom, FollowsTheLargest) {
  WorkerRoom room(ten_gigabytes);
  room.look_at(process_of(3e9));
  room.look_at(process_of(1));
  room.look_at({});
  EXPECT_TRUE(room.has(0, 1)) << "6 + 2 GB";
  EXPECT_FALSE(room.has(0, 2)) << "9 + 2 GB";
  room.look_at(process_of(5e9));
  EXPECT_FALSE(room.has(0, 1)) << "10 + 2 GB";
}

TEST(WorkerRoom, AsksOnceForAGroup) {
  int asked = 0;
  const WorkerRoom room([&] {
    ++asked;
    return ten_gigabytes();
  });
  EXPECT_TRUE(room.has(0, 6));
  EXPECT_EQ(asked, 1) << "what is available changes between two answers";
}

TEST(WorkerRoom, IsNoneWhereNobodyKnows) {
  const WorkerRoom room([] { return std::optional<std::int64_t>(); });
  EXPECT_FALSE(room.has(0, 1));
}

}  // namespace
}  // namespace transformeter
