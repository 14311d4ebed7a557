// Claims need replicates, one workload, valid rows and an interval.
#include "analysis/compare_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "stats/mean.h"
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
    row.interval = n >= 3 ? IntervalKind::kBetweenReplicates : IntervalKind::kSingleWindow;
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

// A row as three or more processes give it: the mean of normal times, with its t interval.
MetricRow drawn_row(RandomStream& random, double mean, double sd, std::size_t n) {
  std::vector<double> times;
  for (std::size_t i = 0; i < n; ++i) times.push_back(mean + sd * random.normal());
  const auto estimate = estimate_mean(times);
  MetricRow row;
  row.value = estimate->value;
  row.low = estimate->interval->low;
  row.high = estimate->interval->high;
  row.n = n;
  return row;
}

TEST(Quotient, AnIntervalCutAtZeroIsNoBetterKnown) {
  MetricRow certain;
  certain.value = certain.low = certain.high = 1;
  certain.n = 3;
  MetricRow row = certain;
  row.high = 3;
  row.low = -1;
  const Quotient whole = quotient_of(row, certain);
  row.low = 0;
  EXPECT_NEAR(quotient_of(row, certain).high, whole.high, 1e-12);
}

// As medians have it, of all samples, with an interval around the mean of the processes' medians.
TEST(Quotient, OfValuesBesideTheCentresOfTheirIntervalsHoldsThem) {
  RandomStream random(8, "quotient");
  MetricRow baseline = drawn_row(random, 2, 0.1, 5);
  const MetricRow candidate = drawn_row(random, 1, 0.05, 5);
  const Quotient of_means = quotient_of(baseline, candidate);
  baseline.value = (*baseline.value + *baseline.high) / 2;
  Quotient quotient = quotient_of(baseline, candidate);
  EXPECT_NEAR(quotient.value, *baseline.value / *candidate.value, 1e-12);
  EXPECT_NEAR(quotient.low, of_means.low, 1e-12);
  EXPECT_NEAR(quotient.high, of_means.high, 1e-12);
  baseline.value = baseline.high = *baseline.high + (*baseline.high - *baseline.low) / 2;  // widened to hold it
  quotient = quotient_of(baseline, candidate);
  EXPECT_NEAR(quotient.value, *baseline.value / *candidate.value, 1e-12);
  EXPECT_GT(quotient.high, of_means.high);
  EXPECT_GE(quotient.high, quotient.value);
  EXPECT_NEAR(quotient.low, of_means.low, 0.05);
}

// The standard error of a share of 0.95 over 4,000 trials is 0.0034; less than 0.93 is not chance.
TEST(Quotient, IntervalsHoldTheTruthAsOftenAsTheySay) {
  RandomStream random(7, "quotient");
  constexpr int kTrials = 4000;
  for (const std::size_t n : {std::size_t{3}, std::size_t{5}}) {
    for (const double baseline_sd : {0.02, 0.002}) {  // equal spreads, and one arm quieter than the other
      int held = 0;
      for (int i = 0; i < kTrials; ++i) {
        const Quotient quotient = quotient_of(drawn_row(random, 2, baseline_sd, n), drawn_row(random, 1, 0.01, n));
        held += quotient.low <= 2 && 2 <= quotient.high ? 1 : 0;
      }
      const double coverage = static_cast<double>(held) / kTrials;
      EXPECT_GE(coverage, 0.93) << n << " replicates, spread " << baseline_sd;
      EXPECT_LE(coverage, 0.985) << n << " replicates, spread " << baseline_sd;
    }
  }
}

TEST_F(CompareTimes, BelowThreeReplicatesItIsUndecided) {
  const auto comparison = compare_times(timed(first_, 0.2, 0.001, 1000), timed(second_, 0.1, 0.001, 2));
  EXPECT_EQ(comparison.answer, SpeedAnswer::kUndecided);
  EXPECT_FALSE(comparison.speed_up);
}

// Of replicates without a full cycle there is no time: the row is over the others, and has no interval between them.
TEST_F(CompareTimes, SaysWhenReplicatesWereMeasuredTooShortly) {
  second_.replicates.resize(3);
  for (ReplicateRecord& replicate : second_.replicates) replicate.status = Status::kOk;
  const AnalyzedCase cut = timed(second_, 0.1, 0.001, 1);
  EXPECT_EQ(compare_times(timed(first_, 0.2, 0.001, 5), cut).reason,
            "fewer than 3 of the 3 replicates of case have a time");
  MetricRow percentile = cut.analysis.metrics.front();
  percentile.low = percentile.high = std::nullopt;
  EXPECT_EQ(why_no_quotient(&percentile, cut, "latency p99"),
            "the latency p99 of case has no interval over replicates");
  second_.replicates.pop_back();
  EXPECT_EQ(compare_times(timed(first_, 0.2, 0.001, 5), cut).reason,
            "a comparison needs at least 3 replicates of each case (--replicates 3; if time ran out, a longer "
            "--time-budget)");
}

TEST_F(CompareTimes, ChangeWithinTheNoiseThresholdIsNoChange) {
  EXPECT_EQ(compare_times(timed(first_, 1.005, 1e-4, 5), timed(second_, 1, 1e-4, 5)).answer, SpeedAnswer::kSame);
  EXPECT_EQ(compare_times(timed(first_, 1.005, 0.1, 5), timed(second_, 1, 0.1, 5)).answer, SpeedAnswer::kUndecided);
}

TEST_F(CompareTimes, IntervalWithoutWidthIsUsed) {
  EXPECT_EQ(compare_times(timed(first_, 2, 0, 3), timed(second_, 1, 0, 3)).answer, SpeedAnswer::kFaster);
  EXPECT_EQ(compare_times(timed(first_, 1, 0, 3), timed(second_, 1, 0, 3)).answer, SpeedAnswer::kSame);
}

// Eight rounds back and forth would be four quads; sixteen are the eight that a comparison needs.
TEST_F(CompareTimes, CasesMeasuredSideBySideNeedNoReplicates) {
  AnalyzedCase baseline = timed(first_, 0.2, 0.2, 1);
  AnalyzedCase candidate = timed(second_, 0.1, 0.2, 1);
  for (std::int64_t round = 0; round < 14; ++round) {
    baseline.analysis.slices.push_back({0, round, 0.2});
    candidate.analysis.slices.push_back({0, round, 0.1});
  }
  EXPECT_EQ(compare_times(baseline, candidate).reason,
            "7 of the 8 pairs of slices that a comparison needs (--baseline asks for them, a longer --time-budget "
            "or --time-limit makes room)");
  for (std::int64_t round = 14; round < 16; ++round) {
    baseline.analysis.slices.push_back({0, round, 0.2});
    candidate.analysis.slices.push_back({0, round, 0.1});
  }
  candidate.analysis.verdict.add_reason("preempted", "");
  candidate.analysis.verdict.add_reason("stolen", "");
  const SpeedComparison comparison = compare_times(baseline, candidate);
  EXPECT_EQ(comparison.answer, SpeedAnswer::kFaster) << "both cases were disturbed alike: " << comparison.reason;
  EXPECT_EQ(comparison.tolerated_doubts, std::vector<std::string>{"case is doubtful (preempted, stolen)"});
  EXPECT_EQ(comparison.by, ComparedBy::kQuads);
  EXPECT_EQ(comparison.level, 0.99) << "looked at again and again";
  EXPECT_EQ(comparison.n, 8u);
  baseline.analysis.slices.resize(16);
  for (SliceTime& slice : baseline.analysis.slices) slice.seconds = 0.1 + (slice.round % 4 < 2 ? 0.02 : -0.02);
  const SpeedComparison wide = compare_times(baseline, candidate);
  EXPECT_EQ(wide.answer, SpeedAnswer::kUndecided);
  EXPECT_THAT(wide.tolerated_doubts, testing::IsEmpty()) << "there is no answer that they could be held against";
  candidate.analysis.verdict.add_reason("harness_overhead", "");
  EXPECT_EQ(compare_times(baseline, candidate).answer, SpeedAnswer::kUndecided) << "the harness is in one side's time";
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
  second_.status_reason = "no answer for 120 s";
  EXPECT_EQ(compare_times(baseline, candidate).reason, "case is timeout: no answer for 120 s");
  candidate = {&first_, {}, "empty"};
  EXPECT_EQ(compare_times(baseline, candidate).reason, "empty has no time");
}

}  // namespace
}  // namespace transformeter
