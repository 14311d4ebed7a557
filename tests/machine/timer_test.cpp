// The clock's own cost.
#include "machine/timer.h"

#include <gtest/gtest.h>
#include "machine/fixture_tree.h"

namespace transformeter {
namespace {

// Moves 40 ns, seen only at every second call: a clock coarser than its own cost.
class CoarseClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(std::chrono::nanoseconds(40 * (++calls_ / 2))); }
  double wall_s() const override { return 0; }

 private:
  mutable int calls_ = 0;
};

TEST(Timer, TellsResolutionFromOverhead) {
  const TimerCost cost = measure_timer(CoarseClock(), 1001);
  ASSERT_TRUE(cost.resolution.has_value());
  EXPECT_NEAR(cost.resolution->count(), 40e-9, 1e-15);
  // The first call reads 40 × (1 ÷ 2) = 0, the last 40 × (1001 ÷ 2) = 40 × 500, over 1,000 calls.
  EXPECT_NEAR(cost.overhead.count(), 40e-9 * 500 / 1000, 1e-15);
}

TEST(Timer, AClockThatStandsStillHasNoResolution) {
  const TimerCost cost = measure_timer(FakeClock(), 100);
  EXPECT_FALSE(cost.resolution.has_value());
  EXPECT_EQ(cost.overhead.count(), 0.0);
}

TEST(Timer, TheRealClockIsFinerThanAMillisecond) {
  const TimerCost cost = measure_timer(SystemClock());
  ASSERT_TRUE(cost.resolution.has_value());
  EXPECT_LT(cost.resolution->count(), 1e-3);
  EXPECT_GT(cost.overhead.count(), 0.0);
}

}  // namespace
}  // namespace transformeter
