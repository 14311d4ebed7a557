// The clock's own cost, and a process's start on the steady clock.
#include "host/timer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/fixture_tree.h"
#include "host/process_start.h"

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

TEST(ProcessStart, LiesBeforeNowAndAfterTheParentsStart) {
  const auto own = process_start(0);
  const auto parent = process_start(::getppid());
  ASSERT_TRUE(own.has_value());
  EXPECT_LE(*own, SystemClock().now());
  EXPECT_LT(SystemClock().now() - *own, std::chrono::hours(1));
  if (parent) {
    EXPECT_LE(*parent, *own);
  }
}

TEST(ProcessStart, IsNothingForAProcessThatIsGone) {
  const FixtureTree tree;
  EXPECT_FALSE(process_start(77, tree.files()).has_value());
}

}  // namespace
}  // namespace transformeter
