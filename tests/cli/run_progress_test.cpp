// The texts of the progress line.
#include "cli/run_progress.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(RunProgress, TheBarFillsWithWhatIsDone) {
  EXPECT_EQ(bar_text(0, 3), "[............]");
  EXPECT_EQ(bar_text(1, 3), "[####........]");
  EXPECT_EQ(bar_text(3, 3), "[############]");
  EXPECT_EQ(bar_text(0, 0), "[............]");
  EXPECT_EQ(bar_text(5, 3), "[############]") << "further replicates of a budget";
}

TEST(RunProgress, TimesReadAsClocks) {
  EXPECT_EQ(clock_text(Seconds(7.9)), "0:07");
  EXPECT_EQ(clock_text(Seconds(754)), "12:34");
  EXPECT_EQ(clock_text(Seconds(3723)), "1:02:03");
}

TEST(RunProgress, TellsHowLongMeasuringMayTake) {
  EXPECT_EQ(measuring_time_text({Seconds(149.2), true}), "at most about 2:30 of measuring");
  EXPECT_EQ(measuring_time_text({Seconds(60), false}), "at most about 1:00 of measuring, more for slow cases");
}

TEST(RunProgress, AnEstimateShowsWhatThereIs) {
  EXPECT_EQ(estimate_text({}), "");
  EXPECT_EQ(estimate_text({3, 0.0123, std::nullopt}), "12.3 ms");
  EXPECT_EQ(estimate_text({30, 0.0123, 0.019}), "12.3 ms ± 1.9 %");
  EXPECT_EQ(estimate_text({30, 0.0123, 1.2}), "12.3 ms ± > 100 %");
  EXPECT_EQ(estimate_text({30, 0.0123, std::nullopt, true}), "batch 12.3 ms");
}

}  // namespace
}  // namespace transformeter
