// Claims need replicates, one workload, valid rows and an interval.
#include "analysis/compare_cases.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/student_t.h"

namespace transformeter {
namespace {

class CompareTimes : public ::testing::Test {
 protected:
  // A latency over `n` processes with a relative half-width.
  static AnalyzedCase timed(CaseRecord& record, double value, double half_width, std::size_t n) {
    record.status = Status::kOk;
    record.workload_key = "w";
    AnalyzedCase one{&record, {}, "case"};
    MetricRow row;
    row.name = "latency";
    row.unit = "s";
    row.statistic = "median";
    row.value = value;
    row.low = value * (1 - half_width);
    row.high = value * (1 + half_width);
    row.interval = n >= 3 ? IntervalKind::kBetweenReplicates : IntervalKind::kWithinProcess;
    row.n = n;
    one.analysis.metrics.push_back(row);
    return one;
  }

  CaseRecord first_;
  CaseRecord second_;
};

TEST_F(CompareTimes, SpeedUpIsBaselineOverCandidateWithWelchsInterval) {
  const auto comparison = compare_times(timed(first_, 0.2, 0.01, 5), timed(second_, 0.1, 0.01, 5));
  // Equal relative errors and counts: Welch's freedom is 8, and the variances add.
  const double error = 0.01 / student_t_quantile(0.975, 4) * std::sqrt(2.0);
  const double half_width = student_t_quantile(0.975, 8) * error;
  ASSERT_TRUE(comparison.speed_up);
  EXPECT_NEAR(comparison.speed_up->value, 2, 1e-12);
  EXPECT_NEAR(std::log(comparison.speed_up->low / 2), -half_width, 1e-9);
  EXPECT_NEAR(std::log(comparison.speed_up->high / 2), half_width, 1e-9);
  EXPECT_EQ(comparison.answer, SpeedAnswer::kFaster);
  EXPECT_EQ(compare_times(timed(first_, 0.1, 0.01, 5), timed(second_, 0.2, 0.01, 5)).answer, SpeedAnswer::kSlower);
}

TEST_F(CompareTimes, BelowThreeReplicatesItIsUndecided) {
  const auto comparison = compare_times(timed(first_, 0.2, 0.001, 1000), timed(second_, 0.1, 0.001, 2));
  EXPECT_EQ(comparison.answer, SpeedAnswer::kUndecided);
  EXPECT_FALSE(comparison.speed_up);
}

TEST_F(CompareTimes, ChangeWithinTheNoiseThresholdIsNoChange) {
  EXPECT_EQ(compare_times(timed(first_, 1.005, 1e-4, 5), timed(second_, 1, 1e-4, 5)).answer, SpeedAnswer::kSame);
  EXPECT_EQ(compare_times(timed(first_, 1.005, 0.1, 5), timed(second_, 1, 0.1, 5)).answer, SpeedAnswer::kUndecided);
}

TEST_F(CompareTimes, IntervalWithoutWidthIsUsed) {
  EXPECT_EQ(compare_times(timed(first_, 2, 0, 3), timed(second_, 1, 0, 3)).answer, SpeedAnswer::kFaster);
  EXPECT_EQ(compare_times(timed(first_, 1, 0, 3), timed(second_, 1, 0, 3)).answer, SpeedAnswer::kSame);
}

TEST_F(CompareTimes, RefusesOtherWorkloadsFailedAndDoubtfulCases) {
  AnalyzedCase baseline = timed(first_, 0.2, 0.01, 5);
  AnalyzedCase candidate = timed(second_, 0.1, 0.01, 5);
  second_.workload_key = "other";
  EXPECT_EQ(compare_times(baseline, candidate).reason, "the workloads differ");
  second_.workload_key = "w";
  candidate.analysis.verdict.add_reason("drift", "");
  EXPECT_EQ(compare_times(baseline, candidate).reason, "case is doubtful (drift)");
  second_.status = Status::kTimeout;
  EXPECT_EQ(compare_times(baseline, candidate).reason, "case is timeout");
  candidate = {&first_, {}, "empty"};
  EXPECT_EQ(compare_times(baseline, candidate).reason, "empty has no time");
}

}  // namespace
}  // namespace transformeter
