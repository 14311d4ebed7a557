// Replicates cut into slices, and what a case of slices says.
#include "metrics/slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/case_metrics.h"
#include "metrics/case_summary.h"
#include "metrics/metrics_testing.h"
#include "metrics/verdict_rules.h"

namespace transformeter {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

// `medians` one a slice, `step_s` apart: a warm-up sample and five measured ones around it.
ReplicateRecord sliced(const std::vector<double>& medians, double step_s) {
  std::vector<double> values;
  std::vector<double> first;
  std::vector<double> start;
  std::vector<double> round;
  for (const double median : medians) {
    first.push_back(static_cast<double>(values.size()));
    start.push_back(step_s * static_cast<double>(start.size()));
    round.push_back(static_cast<double>(round.size()));
    for (const double factor : {2.0, 1.0, 1.001, 0.999, 1.0, 1.0}) values.push_back(factor * median);
  }
  Series latency = latency_series(values);
  for (const double place : first) latency.flags[static_cast<std::size_t>(place)] = kSampleWarmup;
  std::vector<Series> series{latency, value_series("slice_first_sample", first), value_series("slice_start", start),
                             value_series("slice_round", round)};
  for (const Series& counter : quiet_machine()) {
    Series each = counter;
    if (counter.name != "clock_resolution" && counter.name != "harness_cost" && counter.name != "non_finite_outputs") {
      each.value.assign(medians.size(), counter.value.front());
    }
    series.push_back(each);
  }
  return replicate_of(std::move(series));
}

CaseRecord case_with(ReplicateRecord replicate) {
  CaseRecord one = case_of({});
  one.replicates = {std::move(replicate)};
  return one;
}

Series& series_of(ReplicateRecord& replicate, std::string_view name) {
  return *std::find_if(replicate.series.begin(), replicate.series.end(),
                       [&](const Series& series) { return series.name == name; });
}

bool has(const std::vector<Finding>& findings, std::string_view name) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.name == name; });
}

TEST(Slices, AreCutWithTheirCountersAndShareWhatIsOfTheProcess) {
  ReplicateRecord replicate = sliced({1, 2, 3}, 1);
  series_of(replicate, "window").value = {10, 20, 30};
  replicate.series.push_back(scalar_series("load_time", 0.4));
  const std::vector<ReplicateRecord> parts = split_slices(replicate);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(find_series(parts[1].series, "latency")->value, (std::vector<double>{4, 2, 2.002, 1.998, 2, 2}));
  EXPECT_EQ(find_series(parts[1].series, "latency")->flags.size(), 6u);
  EXPECT_EQ(find_series(parts[2].series, "window")->value, std::vector<double>{30});
  EXPECT_EQ(find_series(parts[2].series, "load_time")->value, std::vector<double>{0.4});
}

TEST(Slices, PartsOfUnitsAreCutWithThem) {
  ReplicateRecord replicate = sliced({1, 2}, 1);
  std::vector<double> steps;  // two a sample
  for (int i = 0; i < 24; ++i) steps.push_back(i);
  replicate.series.push_back(value_series("decode_step", steps));
  EXPECT_EQ(find_series(split_slices(replicate)[1].series, "decode_step")->value,
            std::vector<double>(steps.begin() + 12, steps.end()));
}

TEST(Slices, PlacesThatDoNotFitLeaveOneWindow) {
  for (const std::vector<double>& places : {std::vector<double>{0, 99}, {3, 6}, {0, 6, 6}, {0, 0.5}}) {
    ReplicateRecord replicate = sliced({1, 2}, 1);
    series_of(replicate, "slice_first_sample").value = places;
    EXPECT_EQ(split_slices(replicate).size(), 1u);
  }
}

TEST(Slices, TheHeadlineHasAnIntervalBetweenThem) {
  const CaseAnalysis analysis = analyze_case(case_with(sliced({1, 1.02, 0.98, 1, 1.01, 0.99, 1, 1}, 20)));
  const MetricRow* median = find_metric(analysis.metrics, "latency", "median");
  ASSERT_TRUE(median->value && median->low);
  EXPECT_NEAR(*median->value, 1, 1e-12);
  EXPECT_EQ(median->interval, IntervalKind::kBetweenSlices);
  EXPECT_EQ(median->n, 8u);
  EXPECT_EQ(analysis.verdict.level, VerdictLevel::kValid);
  ASSERT_EQ(analysis.slices.size(), 8u);
  EXPECT_EQ(analysis.slices[1], (SliceTime{0, 1, 1.02}));
}

TEST(Slices, ThatAreIndependentNarrowTheIntervalOfTheMedian) {
  CaseRecord one = case_with(sliced({1, 1.02, 0.98, 1, 1.8, 0.99, 1, 1.01, 1, 1.02, 0.99, 1}, 10));
  const CaseAnalysis before = analyze_case(one);
  const MetricRow wide = row_of(before, "latency", "median");
  EXPECT_GT(*wide.high, 1.3) << "a mood that lasts for minutes may have hidden more of its kind";
  one.replicates.front().series.push_back(scalar_series("independent_slices", 9));
  const CaseAnalysis after = analyze_case(one);
  const MetricRow narrow = row_of(after, "latency", "median");
  EXPECT_EQ(narrow.value, wide.value);
  EXPECT_LT(*narrow.high, 1.1);
  EXPECT_LE(*narrow.low, *narrow.value);
  EXPECT_EQ(row_of(after, "latency", "mean").high, row_of(before, "latency", "mean").high);
  one.replicates.front().series.back() = scalar_series("independent_slices", 1);
  EXPECT_EQ(row_of(analyze_case(one), "latency", "median").high, wide.high) << "none is independent of another";
}

// What differs between processes no slice of one process shows.
TEST(Slices, ThatAreIndependentInEachOfTwoProcessesNarrowNothing) {
  CaseRecord one = case_with(sliced({1, 1.02, 0.98, 1, 1.8, 0.99, 1, 1.01}, 10));
  one.replicates.push_back(one.replicates.front());
  one.replicates.back().index = 1;
  const auto high = [&] { return row_of(analyze_case(one), "latency", "median").high; };
  const auto before = high();
  for (ReplicateRecord& replicate : one.replicates) replicate.series.push_back(scalar_series("independent_slices", 8));
  EXPECT_EQ(high(), before);
}

TEST(Slices, ThatEndedBeforeAllCyclesWereMeasuredSaySo) {
  CaseRecord one = case_with(sliced({1, 1, 1}, 20));
  one.requested["cycles"] = 20;
  EXPECT_EQ(detail_of(analyze_case(one).verdict.notes, "fixed_samples"),
            "--cycles 20, 15 of 20 measured when time ran out");
  one.requested["cycles"] = 15;
  EXPECT_EQ(detail_of(analyze_case(one).verdict.notes, "fixed_samples"), "--cycles 15");
}

// Half a minute of bursts: the mean of the slices' medians lies between the modes, the median of all samples does not.
TEST(Slices, SomeInBurstsWidenTheInterval) {
  const CaseAnalysis analysis = analyze_case(case_with(sliced({1, 1.01, 1.8, 1, 0.99, 1.7, 1, 1.01, 1, 1.8}, 20)));
  const MetricRow* median = find_metric(analysis.metrics, "latency", "median");
  ASSERT_TRUE(median->low && median->high);
  EXPECT_NEAR(*median->value, 1.005, 0.001);  // between 1.001 and 1.00899, the middle two of 50
  EXPECT_LT(*median->low, 1.02);
  EXPECT_GT(*median->high, 1.6);
  EXPECT_TRUE(has(analysis.verdict.reasons, "not_converged"));
}

// Two levels, of which the median is the lower one: the interval from 1 to 1.14 is all above it, and ± 7 %.
TEST(Slices, AreAsPreciseAsHalfTheLengthOfTheirInterval) {
  std::vector<double> medians;
  for (int i = 0; i < 40; ++i) medians.push_back(i % 9 % 2 == 0 ? 1 : 1.14);
  const CaseAnalysis analysis = analyze_case(case_with(sliced(medians, 1e6)));
  const MetricRow& median = row_of(analysis, "latency", "median");
  EXPECT_NEAR(*median.value, 1, 0.002);
  EXPECT_NEAR(*median.low, 1, 0.002);
  EXPECT_NEAR(*median.high, 1.14, 0.002);
  EXPECT_NEAR(headline_half_width(analysis.metrics).value_or(0), 0.07, 0.002);
  EXPECT_FALSE(has(analysis.verdict.reasons, "not_converged"));
}

// Tables show ± 14 % and ± 30 % here: the texts say what they judge, and that is no ± around the value.
TEST(Slices, TheTextsGiveTheLengthOfTheIntervalThatTheyJudge) {
  const auto verdict_of = [](double upper) {
    std::vector<double> medians;
    for (int i = 0; i < 40; ++i) medians.push_back(i % 9 % 2 == 0 ? 1 : upper);
    CaseRecord one = case_with(sliced(medians, 1e6));
    one.effective["stop_reason"] = "slice_done";
    return analyze_case(one).verdict;
  };
  EXPECT_THAT(detail_of(verdict_of(1.14).notes, "target_not_met"),
              MatchesRegex("the interval spans 14\\.[0-9] % of the median latency, target 4 %"));
  EXPECT_THAT(detail_of(verdict_of(1.3).reasons, "not_converged"),
              MatchesRegex("the interval spans 30\\.[0-9] % of the median latency, more than 20 %"));
}

// Forty of them range over more than 10 % by chance alone; eight blocks of them do not.
TEST(Slices, ManyDoNotDriftBecauseTheyAreMany) {
  std::vector<double> levels;
  for (int i = 0; i < 40; ++i) levels.push_back(1 + 0.001 * i + (i % 5 == 0 ? 0.06 : 0) - (i % 5 == 3 ? 0.05 : 0));
  const CaseAnalysis analysis = analyze_case(case_with(sliced(levels, 20)));
  EXPECT_FALSE(has(analysis.verdict.reasons, "drift"));
}

TEST(Slices, TheirTimesAreInTheSummary) {
  CaseRecord one = case_with(sliced({1, 1.02, 0.98, 1, 1.01, 0.99, 1, 1}, 20));
  one.summary = summarize(one);
  EXPECT_EQ(one.summary->sample_count, 48);
  EXPECT_EQ(analysis_of(one).slices, analyze_case(one).slices);
}

TEST(Slices, TooFewAreDoubtfulWithTheReason) {
  const CaseAnalysis analysis = analyze_case(case_with(sliced({1, 1.02, 0.98}, 1)));
  EXPECT_EQ(analysis.verdict.level, VerdictLevel::kDoubtful);
  ASSERT_TRUE(has(analysis.verdict.reasons, "single_window"));
  EXPECT_THAT(analysis.verdict.reasons[0].detail, HasSubstr("3 slices within 2 s; an interval needs 8"));
}

TEST(Slices, ADisturbedFewDoNotMakeTheRowDoubtful) {
  ReplicateRecord replicate = sliced({1, 1, 1, 1, 1.001, 1, 1, 1}, 20);
  series_of(replicate, "foreign_cpu_time").value[4] = 5;
  const CaseAnalysis analysis = analyze_case(case_with(replicate));
  EXPECT_EQ(analysis.verdict.level, VerdictLevel::kValid);
  ASSERT_TRUE(has(analysis.verdict.notes, "disturbed_slices"));
}

TEST(Slices, HalfOfThemDisturbedDo) {
  ReplicateRecord replicate = sliced({1, 1, 1, 1, 1, 1, 1, 1}, 20);
  for (std::size_t slice = 0; slice < 4; ++slice) series_of(replicate, "foreign_cpu_time").value[slice] = 5;
  const CaseAnalysis analysis = analyze_case(case_with(replicate));
  ASSERT_TRUE(has(analysis.verdict.reasons, "foreign_load"));
  EXPECT_THAT(analysis.verdict.reasons[0].detail, HasSubstr("in 4 of 8 slices"));
}

TEST(Slices, StealIsJudgedInEach) {
  ReplicateRecord replicate = sliced({1, 1, 1, 1, 1, 1, 1, 1}, 20);
  for (std::size_t slice = 0; slice < 3; ++slice) series_of(replicate, "steal_time").value[slice] = 1;
  EXPECT_THAT(detail_of(analyze_case(case_with(replicate)).verdict.notes, "disturbed_slices"),
              HasSubstr("stolen in 3 of 8 slices"));
  series_of(replicate, "steal_time").value[3] = 1;
  EXPECT_TRUE(has(analyze_case(case_with(replicate)).verdict.reasons, "stolen"));
}

TEST(Slices, HarmlessLoadIsANoteOfHalfOfThem) {
  ReplicateRecord replicate = sliced({1, 1, 1, 1, 1, 1, 1, 1}, 20);
  series_of(replicate, "allowed_cpus").value.assign(8, 4);
  for (std::size_t slice = 0; slice < 3; ++slice) series_of(replicate, "foreign_cpu_time").value[slice] = 5;
  EXPECT_FALSE(has(analyze_case(case_with(replicate)).verdict.notes, "foreign_load"));
  series_of(replicate, "foreign_cpu_time").value[3] = 5;
  const Verdict verdict = analyze_case(case_with(replicate)).verdict;
  EXPECT_TRUE(has(verdict.notes, "foreign_load"));
  EXPECT_EQ(verdict.level, VerdictLevel::kValid);
}

TEST(Slices, LoadThatIsAReasonIsNoNoteThatThereWasRoom) {
  ReplicateRecord replicate = sliced({1, 1, 1, 1, 1, 1, 1, 1}, 20);
  series_of(replicate, "allowed_cpus").value.assign(8, 4);
  series_of(replicate, "foreign_cpu_time").value = {5, 5, 5, 5, 35, 35, 35, 35};
  const Verdict verdict = analyze_case(case_with(replicate)).verdict;
  EXPECT_TRUE(has(verdict.reasons, "foreign_load"));
  EXPECT_FALSE(has(verdict.notes, "foreign_load"));
}

TEST(Slices, FewerThatMoveTheEstimateBeyondItsIntervalDo) {
  // Evenly from 1 to 1.06, in an order without trend; the upper two fifths are loaded. The median of all is 1.03 ±
  // 0.009 (quantiles ½ ± 2 × 0.5 ÷ √60), that of the others 1.018.
  std::vector<double> medians;
  for (std::size_t slice = 0; slice < 60; ++slice) {
    medians.push_back(1 + 0.001 * static_cast<double>(37 * slice % 60));
  }
  ReplicateRecord replicate = sliced(medians, 1e6);
  for (std::size_t slice = 0; slice < 60; ++slice) {
    if (medians[slice] > 1.0355) series_of(replicate, "foreign_cpu_time").value[slice] = 5;
  }
  const CaseAnalysis analysis = analyze_case(case_with(replicate));
  ASSERT_TRUE(has(analysis.verdict.reasons, "foreign_load"));
  EXPECT_THAT(detail_of(analysis.verdict.reasons, "foreign_load"), HasSubstr("in 24 of 60 slices"));
}

// A third is 1.8 times as slow. The median is that of the others, so load is a note; how far the slices lie apart is
// the interval's to say.
TEST(Slices, FewerThatAMedianDoesNotMindAreANote) {
  std::vector<double> medians(24, 1.0);
  for (std::size_t slice = 0; slice < 24; slice += 3) medians[slice] = 1.8;
  ReplicateRecord replicate = sliced(medians, 1e6);
  for (std::size_t slice = 0; slice < 24; slice += 3) series_of(replicate, "foreign_cpu_time").value[slice] = 5;
  const CaseAnalysis analysis = analyze_case(case_with(replicate));
  EXPECT_FALSE(has(analysis.verdict.reasons, "foreign_load"));
  EXPECT_THAT(detail_of(analysis.verdict.notes, "disturbed_slices"), HasSubstr("in 8 of 24 slices"));
  EXPECT_TRUE(has(analysis.verdict.reasons, "not_converged"));
}

// Of three processes the first has ten times as many slices, half of them loaded: the row counts each process once, and
// moves by 3.2 % without those, less than its ± 4.9 %. The mean of all slices would move by 6.8 %.
TEST(Slices, FewerOfOneProcessMoveTheEstimateAsItIsMade) {
  CaseRecord one = case_of({});
  one.requested["scenario"] = "offline";
  one.replicates.clear();
  std::vector<double> uneven;
  for (int slice = 0; slice < 20; ++slice) uneven.push_back(slice % 2 == 0 ? 0.9 : 1.1);
  for (const std::vector<double>& times : {uneven, {1.02, 1.02}, {1.04, 1.04}}) {
    one.replicates.push_back(sliced(times, 20));
    one.replicates.back().index = static_cast<int>(one.replicates.size()) - 1;
  }
  for (std::size_t slice = 1; slice < uneven.size(); slice += 2) {
    series_of(one.replicates[0], "foreign_cpu_time").value[slice] = 5;
  }
  const CaseAnalysis analysis = analyze_case(one);
  EXPECT_NEAR(*row_of(analysis, "cycle_time", "mean").value, 1.02, 1e-9);
  EXPECT_FALSE(has(analysis.verdict.reasons, "foreign_load"));
  EXPECT_THAT(detail_of(analysis.verdict.notes, "disturbed_slices"), HasSubstr("foreign_load in 10 of 24 slices"));
}

TEST(Slices, ATrendIsANoteUntilItIsLarge) {
  std::vector<double> medians;
  for (int i = 0; i < 24; ++i) medians.push_back(1 + 0.002 * i);
  EXPECT_TRUE(has(analyze_case(case_with(sliced(medians, 20))).verdict.notes, "drift"));
  for (std::size_t i = 0; i < medians.size(); ++i) medians[i] = 1 + 0.01 * static_cast<double>(i);
  EXPECT_TRUE(has(analyze_case(case_with(sliced(medians, 20))).verdict.reasons, "drift"));
}

TEST(Slices, OfSeveralProcessesCountOnceEach) {
  CaseRecord one = case_with(sliced({1, 1.1, 0.9}, 1));
  for (int index = 1; index < 3; ++index) {
    one.replicates.push_back(sliced({1, 1.1, 0.9}, 1));
    one.replicates.back().index = index;
  }
  const CaseAnalysis analysis = analyze_case(one);
  const MetricRow* median = find_metric(analysis.metrics, "latency", "median");
  EXPECT_EQ(median->interval, IntervalKind::kBetweenReplicates);
  EXPECT_EQ(median->n, 3u);
  EXPECT_NEAR(*median->low, *median->high, 1e-12);
}

}  // namespace
}  // namespace transformeter
