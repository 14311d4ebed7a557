// The texts of the progress line.
#include "cli/run_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

ProgressPoint point_of_slices(std::size_t done, std::size_t total) {
  ProgressPoint point{done, total, 0, {}};
  point.counts_slices = true;
  return point;
}

TEST(RunProgress, SaysWhatItCounts) {
  EXPECT_EQ(place_text(point_of_slices(8, 48)), "slice 9/48");
  EXPECT_EQ(done_text(point_of_slices(8, 48)), "8/48 slices");
  EXPECT_EQ(done_text(point_of_slices(49, 48)), "48/48 slices") << "of a time budget's further ones";
  EXPECT_EQ(place_text({1, 6, 0, {}}), "replicate 2/6");
  EXPECT_EQ(done_text({1, 6, 0, {}}), "1/6 replicates");
  EXPECT_EQ(done_text({1, 1, 0, {}}), "1/1 replicate");
}

// What is printed of a case of which so many replicates are planned.
std::string line_of_a_case(int replicates_planned) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  const FakeClock clock;
  RunRecord run = mixed_run();
  run.replicates_planned = replicates_planned;
  run.cases = {measured_case(0, requested_of(8, 128, "fp32"), {0.0123})};
  RunProgress progress(clock, file.get());
  progress.run_started(run, std::nullopt);
  progress.case_started(run.cases[0], point_of_slices(7, 48));
  progress.samples_taken({54, 0.0123, 0.019});
  progress.case_done(run.cases[0], point_of_slices(8, 48));
  std::rewind(file.get());
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text.substr(text.find('\n') + 1);
}

TEST(RunProgress, TheLineOfACaseBeginsWithTheSlicesOfTheRun) {
  EXPECT_EQ(line_of_a_case(1), "[8/48 slices] distilbert-base b8 t128 fp32 sdpa  ok  n=54  median 12.3 ms ± 1.9 %\n");
}

TEST(RunProgress, ReplicatesAreNamedWhereThereAreSeveral) {
  EXPECT_THAT(line_of_a_case(3), HasSubstr("fp32 sdpa replicate 0  ok  n=54"));
}

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
  EXPECT_EQ(estimate_text({3, 0.0123, std::nullopt}), "median 12.3 ms");
  EXPECT_EQ(estimate_text({30, 0.0123, 0.019}), "median 12.3 ms ± 1.9 %");
  EXPECT_EQ(estimate_text({30, 0.0123, 1.2}), "median 12.3 ms ± > 100 %");
  EXPECT_EQ(estimate_text({30, 0.0123, std::nullopt, true}), "median batch 12.3 ms");
}

}  // namespace
}  // namespace transformeter
