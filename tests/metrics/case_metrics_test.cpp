// Rows from made-up series, with the expected numbers worked out here.
#include "metrics/case_metrics.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "metrics_testing.h"
#include "schema/metric_names.h"
#include "stats/student_t.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

CaseRecord replicated(const std::vector<std::vector<double>>& latencies) {
  CaseRecord the_case;
  for (const auto& values : latencies) {
    the_case.replicates.push_back(replicate_of({latency_series(values)}, static_cast<int>(the_case.replicates.size())));
  }
  return the_case;
}

TEST(CaseMetrics, ACaseWithoutReplicatesHasNoMetricsAndAnEmptyVerdict) {
  const CaseAnalysis analysis = analyze_case(CaseRecord());
  EXPECT_TRUE(analysis.metrics.empty());
  EXPECT_TRUE(analysis.steady_from.empty());
  EXPECT_EQ(analysis.verdict.level, VerdictLevel::kValid);
  EXPECT_TRUE(analysis.verdict.reasons.empty());
  EXPECT_TRUE(analysis.verdict.notes.empty());
}

TEST(CaseMetrics, DescribesASteadySeriesAndLeavesFlaggedWarmUpOut) {
  // Two flagged samples of 1 s must not count: sorted, the rest is 9.8 9.8 9.9 9.9 10 10 10.1 10.1 10.2 10.2 ms.
  std::vector<double> values{1, 1};
  for (const double value : steady_values(10)) values.push_back(value);
  const CaseAnalysis analysis = analyze_case(case_of({latency_series(values, 2)}));
  EXPECT_DOUBLE_EQ(row_of(analysis, "latency", "median").value.value(), 10e-3);
  EXPECT_NEAR(row_of(analysis, "latency", "mean").value.value(), 10e-3, 1e-15);
  EXPECT_DOUBLE_EQ(row_of(analysis, "latency", "min").value.value(), 9.8e-3);
  EXPECT_DOUBLE_EQ(row_of(analysis, "latency", "max").value.value(), 10.2e-3);
  // Deviations 0, 0.1, 0.2 ms: squares sum to 4 · 0.01 + 4 · 0.04 = 0.2; / 9. |x − median| sorted: middle two are 0.1.
  EXPECT_NEAR(row_of(analysis, "latency", "stddev").value.value(), std::sqrt(0.2 / 9) * 1e-3, 1e-12);
  EXPECT_NEAR(row_of(analysis, "latency", "mad").value.value(), 0.1e-3, 1e-12);
  EXPECT_NEAR(row_of(analysis, "latency", "total").value.value(), 0.1, 1e-12);
  const MetricRow& median = row_of(analysis, "latency", "median");
  EXPECT_EQ(median.n, 10u);
  EXPECT_EQ(median.unit, "s");
  EXPECT_EQ(median.interval, IntervalKind::kSingleWindow);
  EXPECT_LE(median.low.value(), 10e-3);
  EXPECT_GE(median.high.value(), 10e-3);
  EXPECT_EQ(analysis.steady_from.at(0), 2u);  // in the whole series
}

TEST(CaseMetrics, P99OfTenValuesIsNullWithAReason) {
  const CaseAnalysis analysis = analyze_case(case_of({latency_series(steady_values(10))}));
  const MetricRow& p99 = row_of(analysis, "latency", "p99");
  EXPECT_FALSE(p99.value);
  EXPECT_EQ(p99.reason, "too_few_samples");
  EXPECT_EQ(p99.provenance, "");
}

TEST(CaseMetrics, AMeanThatOneSampleDecidesHasNoIntervalButTheMedianHas) {
  std::vector<double> values = steady_values(200);
  values[120] = 0.5;
  const CaseAnalysis analysis = analyze_case(case_of({latency_series(values)}));
  for (const auto& [metric, statistic] : {std::pair{"latency", "mean"}, {"throughput_samples", "ratio"}}) {
    const MetricRow& row = row_of(analysis, metric, statistic);
    EXPECT_TRUE(row.value) << metric;
    EXPECT_FALSE(row.low) << metric;
    EXPECT_THAT(row.reason, HasSubstr("one sample makes up more than a tenth of the variance")) << metric;
  }
  EXPECT_TRUE(row_of(analysis, "latency", "median").low);
}

TEST(CaseMetrics, CutsASlowFirstSampleButNotWhenTheUserFixedTheWarmUp) {
  std::vector<double> values{0.05};
  for (const double value : steady_values(10)) values.push_back(value);
  CaseRecord the_case = case_of({latency_series(values)});
  CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_EQ(analysis.steady_from.at(0), 1u);
  EXPECT_DOUBLE_EQ(row_of(analysis, "latency", "max").value.value(), 10.2e-3);
  the_case.requested["warmup"] = 0;
  analysis = analyze_case(the_case);
  EXPECT_EQ(analysis.steady_from.at(0), 0u);
  EXPECT_DOUBLE_EQ(row_of(analysis, "latency", "max").value.value(), 0.05);
}

TEST(CaseMetrics, ThroughputIsTotalWorkOverTotalTimeNotTheMeanOfRatios) {
  // 8 examples in 10 ms nine times, then 8 in 100 ms: 80 ÷ 0.19 s = 421/s. The mean of ratios would be 728/s.
  std::vector<double> values(9, 0.01);
  values.push_back(0.1);
  const CaseAnalysis analysis = analyze_case(case_of({latency_series(values)}));
  EXPECT_NEAR(row_of(analysis, "throughput_samples", "ratio").value.value(), 80 / 0.19, 1e-9);
  EXPECT_NEAR(row_of(analysis, "throughput_useful_tokens", "ratio").value.value(), 600 / 0.19, 1e-9);
  EXPECT_NEAR(row_of(analysis, "throughput_processed_tokens", "ratio").value.value(), 800 / 0.19, 1e-9);
  EXPECT_NEAR(row_of(analysis, "padding_share", "ratio").value.value(), 0.25, 1e-15);
  EXPECT_EQ(row_of(analysis, "padding_share", "ratio").provenance, "derived");
}

TEST(CaseMetrics, AnExamplesTimeIsTheInverseOfTheRateWithItsInterval) {
  const CaseAnalysis analysis = analyze_case(case_of({latency_series(steady_values(40))}));
  const MetricRow& rate = row_of(analysis, "throughput_samples", "ratio");
  const MetricRow& time = row_of(analysis, "time_per_example", "ratio");
  EXPECT_NEAR(time.value.value(), 10e-3 / 8, 1e-12);
  ASSERT_TRUE(rate.low && time.low);
  EXPECT_DOUBLE_EQ(*time.low, 1 / *rate.high);
  EXPECT_DOUBLE_EQ(*time.high, 1 / *rate.low);
  EXPECT_EQ(time.interval, rate.interval);
  EXPECT_EQ(time.unit, "s");
  EXPECT_EQ(time.provenance, "derived");
}

TEST(CaseMetrics, AnExamplesTimeHasNoIntervalWhereItsRateMayBeZero) {
  const CaseAnalysis analysis = analyze_case(
      replicated({std::vector<double>(200, 0.01), std::vector<double>(200, 0.01), std::vector<double>(200, 1.0)}));
  const MetricRow& rate = row_of(analysis, "throughput_samples", "ratio");
  ASSERT_TRUE(rate.low);
  ASSERT_LE(*rate.low, 0);
  const MetricRow& time = row_of(analysis, "time_per_example", "ratio");
  EXPECT_NEAR(time.value.value(), 1 / *rate.value, 1e-12);
  EXPECT_FALSE(time.low);
  EXPECT_EQ(time.interval, IntervalKind::kNone);
  EXPECT_EQ(time.reason, "the interval of throughput_samples reaches 0");
}

TEST(CaseMetrics, BatchesPerSecondAreOfScenarioBatchAlone) {
  CaseRecord the_case = case_of({latency_series(steady_values(10))});
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_NEAR(row_of(analysis, "throughput_batches", "ratio").value.value(), 100, 1e-9);
  EXPECT_EQ(row_of(analysis, "throughput_batches", "ratio").unit, "batch/s");
  for (const char* scenario : {"offline", "train", "generate"}) {
    the_case.requested["scenario"] = scenario;
    EXPECT_EQ(find_metric(analyze_case(the_case).metrics, "throughput_batches", ""), nullptr) << scenario;
  }
}

// Cycles of two batches, the second partial: 8 examples in 20 ms, 3 in 8 ms.
Series partial_batch_series(std::size_t cycles) {
  std::vector<double> values;
  for (std::size_t i = 0; i < cycles; ++i) values.insert(values.end(), {0.020, 0.008});
  Series series = latency_series(values, 0, 2);
  for (std::size_t i = 1; i < series.examples.size(); i += 2) {
    series.examples[i] = 3;
    series.useful_tokens[i] = 20;
    series.processed_tokens[i] = 30;
  }
  return series;
}

TEST(CaseMetrics, ThePartialLastBatchCountsWithItsTrueSize) {
  const CaseAnalysis analysis = analyze_case(case_of({partial_batch_series(4)}));
  EXPECT_NEAR(row_of(analysis, "throughput_samples", "ratio").value.value(), 11 / 0.028, 1e-9);
  EXPECT_NEAR(row_of(analysis, "throughput_useful_tokens", "ratio").value.value(), 80 / 0.028, 1e-9);
  EXPECT_NEAR(row_of(analysis, "padding_share", "ratio").value.value(), 30.0 / 110, 1e-12);
  EXPECT_EQ(row_of(analysis, "throughput_samples", "ratio").n, 4u);  // cycles
  EXPECT_NEAR(row_of(analysis, "time_per_example", "ratio").value.value(), 0.028 / 11, 1e-12);
  EXPECT_NEAR(row_of(analysis, "throughput_batches", "ratio").value.value(), 2 / 0.028, 1e-9);
}

TEST(CaseMetrics, SeveralBatchesGiveADistributionOverInputsAndACycleTimeWithAnInterval) {
  // Cycle totals 30, 31, 32 ms, twice: mean 31, s² = 4 / 5, so ± t(0.975, 5) · √(0.8 / 6) ms; then half a cycle.
  const std::vector<double> values{0.010, 0.020, 0.010, 0.021, 0.011, 0.021, 0.010,
                                   0.020, 0.010, 0.021, 0.011, 0.021, 0.5};
  const CaseAnalysis analysis = analyze_case(case_of({latency_series(values, 0, 2)}));
  const MetricRow& cycle = row_of(analysis, "cycle_time", "mean");
  EXPECT_NEAR(cycle.value.value(), 0.031, 1e-12);
  EXPECT_NEAR(cycle.high.value() - cycle.value.value(), student_t_quantile(0.975, 5) * std::sqrt(0.8 / 6) * 1e-3, 1e-9);
  EXPECT_EQ(cycle.n, 6u);
  const MetricRow& median = row_of(analysis, "latency", "median");
  EXPECT_NEAR(median.value.value(), 0.0155, 1e-12);  // of 10 10 11 20 21 21 ms, twice; the half cycle is left out
  EXPECT_FALSE(median.low);
  EXPECT_EQ(median.interval, IntervalKind::kNone);
  EXPECT_EQ(median.reason, "distribution over inputs");
  EXPECT_EQ(median.n, 12u);
}

TEST(CaseMetrics, MeasuringTenInputsOftenGivesNoP90) {
  const CaseAnalysis analysis = analyze_case(case_of({latency_series(steady_values(1000), 0, 10)}));
  EXPECT_EQ(row_of(analysis, "latency", "p90").reason, "too_few_samples");
}

TEST(CaseMetrics, FiveCyclesCarryNoInterval) {
  const CaseAnalysis analysis = analyze_case(case_of({partial_batch_series(5)}));
  const MetricRow& cycle = row_of(analysis, "cycle_time", "mean");
  EXPECT_NEAR(cycle.value.value(), 0.028, 1e-12);
  EXPECT_FALSE(cycle.low);
  EXPECT_EQ(cycle.reason, "5 full cycles; an interval needs 6");
  EXPECT_TRUE(row_of(analyze_case(case_of({partial_batch_series(6)})), "cycle_time", "mean").low);
  EXPECT_THAT(names_of(analysis.verdict.reasons), testing::Contains("not_converged"));
}

TEST(CaseMetrics, AMeasurementCutWithinItsFirstCycleSaysSo) {
  CaseRecord the_case = case_of({latency_series(steady_values(1))});  // index 0 alone looks like a fixed shape
  the_case.effective["cycle_batches"] = 5;
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_FALSE(row_of(analysis, "cycle_time", "mean").value);
  EXPECT_EQ(row_of(analysis, "cycle_time", "mean").reason, "not one full cycle of 5 batches was measured");
  EXPECT_FALSE(row_of(analysis, "throughput_samples", "ratio").value);
}

TEST(CaseMetrics, ThreeReplicatesGiveAnIntervalBetweenThem) {
  // Constant replicates at 10, 11, 12 ms: mean 11, s = 1, n = 3.
  const CaseAnalysis analysis = analyze_case(
      replicated({std::vector<double>(20, 0.010), std::vector<double>(20, 0.011), std::vector<double>(20, 0.012)}));
  const double half = student_t_quantile(0.975, 2) / std::sqrt(3.0) * 1e-3;
  for (const auto statistic : {"median", "mean"}) {
    const MetricRow& row = row_of(analysis, "latency", statistic);
    EXPECT_NEAR(row.value.value(), 0.011, 1e-12);
    EXPECT_EQ(row.interval, IntervalKind::kBetweenReplicates);
    EXPECT_NEAR(row.high.value(), 0.011 + half, 1e-9);
    EXPECT_EQ(row.n, 3u);
  }
  // Pooled: 60 samples.
  EXPECT_DOUBLE_EQ(row_of(analysis, "latency", "max").value.value(), 0.012);
  EXPECT_EQ(row_of(analysis, "latency", "max").n, 60u);
  EXPECT_EQ(row_of(analysis, "latency", "p90").reason, "pooled over 3 replicates");
  EXPECT_DOUBLE_EQ(row_of(analysis, "latency", "p90").value.value(), 0.012);
}

TEST(CaseMetrics, FailedReplicatesAreNotMeasured) {
  CaseRecord the_case = replicated({steady_values(20), std::vector<double>(20, 5.0)});
  the_case.replicates[1].status = Status::kCrashed;
  the_case.replicates[1].status_reason = "signal 9";
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_NEAR(row_of(analysis, "latency", "median").value.value(), 0.010, 1e-12);
  EXPECT_EQ(analysis.steady_from, (std::vector<std::optional<std::size_t>>{0, std::nullopt}));
  EXPECT_EQ(detail_of(analysis.verdict.notes, "failed_replicates"), "replicate 1: crashed, signal 9");
}

TEST(CaseMetrics, MissingIsNullWithAReasonAndNeverZero) {
  const CaseAnalysis analysis = analyze_case(case_of({latency_series(steady_values(10))}));
  for (const auto name : {"peak_rss", "pss_at_end", "peak_rss_above_baseline", "cold_start", "accuracy"}) {
    const MetricRow* row = find_metric(analysis.metrics, name, "");
    ASSERT_NE(row, nullptr) << name;
    EXPECT_FALSE(row->value) << name;
    EXPECT_EQ(row->reason, "not_available_here") << name;
  }
  EXPECT_FALSE(row_of(analysis, "energy", "ratio").value);
  EXPECT_EQ(row_of(analysis, "energy", "ratio").reason, "no energy counter was read");
}

TEST(CaseMetrics, NaNSamplesAndNoSamplesGiveNullsNotNumbers) {
  for (const auto& values : {std::vector<double>{0.01, kNaN, 0.01}, std::vector<double>{}}) {
    const CaseAnalysis analysis = analyze_case(case_of({latency_series(values)}));
    EXPECT_FALSE(row_of(analysis, "latency", "median").value);
    EXPECT_FALSE(row_of(analysis, "latency", "total").value);
    EXPECT_FALSE(row_of(analysis, "throughput_samples", "ratio").value);
    EXPECT_EQ(row_of(analysis, "latency", "max").reason, values.empty() ? "no samples" : "a sample is not finite");
    EXPECT_FALSE(analysis.steady_from.at(0));
    EXPECT_THAT(names_of(analysis.verdict.reasons), testing::Contains("not_converged"));
  }
  Series nan_scalar = scalar_series("peak_rss", kNaN);
  EXPECT_FALSE(row_of(analyze_case(case_of({nan_scalar})), "peak_rss", "value").value);
}

TEST(CaseMetrics, OddColumnsAndZeroTimesDoNotThrow) {
  Series series = latency_series(steady_values(10));
  series.examples.clear();
  series.useful_tokens.resize(3);
  series.index = {-1};
  const CaseAnalysis analysis = analyze_case(case_of({series}));
  EXPECT_EQ(row_of(analysis, "throughput_samples", "ratio").reason, "not_available_here");
  EXPECT_EQ(row_of(analysis, "padding_share", "ratio").reason, "not_available_here");
  EXPECT_NO_THROW(analyze_case(case_of({latency_series(std::vector<double>(30, 0.0))})));
  EXPECT_NO_THROW(analyze_case(case_of({latency_series(std::vector<double>(30, 0.0), 0, 3)})));
  CaseRecord odd = case_of({latency_series(steady_values(10))});
  odd.effective = Json::array({1, 2});
  odd.requested = nullptr;
  EXPECT_NO_THROW(analyze_case(odd));
}

TEST(CaseMetrics, TheFirstForwardIsTheFlaggedPassOrNull) {
  Series latency = latency_series({0.5, 0.02, 0.01, 0.01, 0.01}, 2);
  latency.flags[0] = kSampleWarmup | kSampleFirst;
  const CaseRecord observed = case_of({latency, scalar_series("first_forward", 0.5)});
  EXPECT_EQ(row_of(analyze_case(observed), "first_forward", "value").value, 0.5);

  latency.flags[0] = kSampleWarmup;  // as in the warm-up of a later slice, or after passes while loading
  CaseRecord later = case_of({latency, scalar_series("first_forward", 0.5)});
  EXPECT_FALSE(row_of(analyze_case(later), "first_forward", "value").value) << "a later pass is no first one";
  EXPECT_EQ(row_of(analyze_case(later), "first_forward", "value").reason, "the first forward pass was not observed");
  later.effective["null_reasons"]["first_forward"] = "loading ran the model 16 times";
  EXPECT_EQ(row_of(analyze_case(later), "first_forward", "value").reason, "loading ran the model 16 times");

  CaseRecord two = observed;  // of two processes one was observed
  two.replicates.push_back(replicate_of({latency, scalar_series("first_forward", 0.1)}, 1));
  EXPECT_EQ(row_of(analyze_case(two), "first_forward", "value").value, 0.5);
}

TEST(CaseMetrics, DerivesMemoryAboveBaselineAndForeignLoad) {
  const CaseAnalysis analysis =
      analyze_case(case_of({scalar_series("peak_rss", 900), scalar_series("baseline_rss", 200),
                            scalar_series("window", 4), scalar_series("foreign_cpu_time", 2)}));
  EXPECT_DOUBLE_EQ(row_of(analysis, "peak_rss_above_baseline", "value").value.value(), 700);
  EXPECT_EQ(row_of(analysis, "peak_rss_above_baseline", "value").provenance, "derived");
  EXPECT_DOUBLE_EQ(row_of(analysis, "foreign_load", "value").value.value(), 0.5);
  EXPECT_EQ(row_of(analysis, "peak_rss", "value").provenance, "measured");
}

TEST(CaseMetrics, PageFaultsAreOfABatchAndWarmUpIsNone) {
  const CaseAnalysis analysis =
      analyze_case(case_of({latency_series(std::vector<double>(10, 0.1), 2), scalar_series("minor_faults", 4000)}));
  EXPECT_DOUBLE_EQ(row_of(analysis, "page_faults", "value").value.value(), 500) << "4,000 over 8 measured batches";
  EXPECT_EQ(row_of(analysis, "page_faults", "value").provenance, "derived");
  const CaseAnalysis without = analyze_case(case_of({latency_series(std::vector<double>(10, 0.1))}));
  EXPECT_FALSE(row_of(without, "page_faults", "value").value) << "the kernel did not say: null, not 0";
}

TEST(CaseMetrics, ScalarsOfReplicatesBecomeTheirMean) {
  CaseRecord the_case;
  for (const double peak : {100.0, 110.0, 120.0}) {
    const auto index = static_cast<int>(the_case.replicates.size());
    the_case.replicates.push_back(replicate_of({scalar_series("peak_rss", peak)}, index));
  }
  CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_DOUBLE_EQ(row_of(analysis, "peak_rss", "mean").value.value(), 110);
  EXPECT_EQ(row_of(analysis, "peak_rss", "mean").interval, IntervalKind::kBetweenReplicates);
  the_case.replicates.pop_back();
  analysis = analyze_case(the_case);
  EXPECT_DOUBLE_EQ(row_of(analysis, "peak_rss", "mean").value.value(), 105);
  EXPECT_EQ(row_of(analysis, "peak_rss", "mean").reason, "an interval needs 3 replicates");
}

TEST(CaseMetrics, AccuracyHasWilsonsIntervalAndIsCountedOnceForReplicates) {
  CaseRecord the_case = case_of({scalar_series("correct", 80), scalar_series("evaluated", 100)});
  the_case.replicates.push_back(the_case.replicates[0]);
  const CaseAnalysis analysis = analyze_case(the_case);
  const MetricRow& row = row_of(analysis, "accuracy", "ratio");
  EXPECT_DOUBLE_EQ(row.value.value(), 0.8);
  EXPECT_EQ(row.n, 100u);
  // Wilson with z = 1.96: (0.8 + 0.019208 ± 1.96 √(0.0016 + 0.00009604)) / 1.038416
  EXPECT_NEAR(row.low.value(), 0.7112, 1e-4);
  EXPECT_NEAR(row.high.value(), 0.8666, 1e-4);
}

TEST(CaseMetrics, MacroF1ComesFromTheAnswersOnceForReplicates) {
  std::vector<double> labels;
  std::vector<double> predicted;
  for (int i = 0; i < 100; ++i) {
    labels.push_back(i % 2);
    predicted.push_back(i < 20 ? 1 - i % 2 : i % 2);  // 10 of each class are taken for the other
  }
  CaseRecord the_case = case_of({value_series("true_class", labels), value_series("predicted_class", predicted)});
  the_case.replicates.push_back(the_case.replicates[0]);
  const CaseAnalysis analysis = analyze_case(the_case);
  const MetricRow& row = row_of(analysis, "macro_f1", "ratio");
  EXPECT_DOUBLE_EQ(row.value.value(), 0.8) << "TP 40, FP 10, FN 10 for both";
  EXPECT_EQ(row.n, 100u);
  // A share of 0.8 over 100 examples has a standard deviation of 0.04; the bootstrap of macro F1 is close to it.
  EXPECT_NEAR(row.low.value(), 0.8 - 1.96 * 0.04, 0.02);
  EXPECT_NEAR(row.high.value(), 0.8 + 1.96 * 0.04, 0.02);
}

// Batches of 10 and 30 ms hold 3 and 5 seconds: the rate is of the whole cycle, 200, and no mean of 300 and 167.
TEST(CaseMetrics, SecondsOfSoundAreThoseOfACycle) {
  const auto rate = [](const Series& seconds) {
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) values.push_back(i % 2 == 0 ? 0.010 : 0.030);
    CaseRecord the_case = case_of({latency_series(values, 0, 2), seconds});
    the_case.requested = {{"task", "audio_classification"}, {"data", "sounds"}};
    return row_of(analyze_case(the_case), "throughput_audio_seconds", "ratio");
  };
  EXPECT_NEAR(rate(value_series("audio_seconds", {3, 5})).value.value(), 8 / 0.040, 1e-9);
  EXPECT_FALSE(rate(value_series("audio_seconds", {3, 5, 4})).value) << "of another cycle";
}

CaseRecord spoken_case(std::vector<Series> series) {
  CaseRecord the_case = case_of(std::move(series));
  the_case.requested = {{"task", "speech_recognition"}, {"data", "speech.tsv"}};
  return the_case;
}

// 1 of 9 words and 1 of 1 are 2 of 10; the mean of the sounds' rates would be 0.56.
TEST(CaseMetrics, ErrorRatesAreOfAllWordsTogetherAndOnceForReplicates) {
  CaseRecord the_case =
      spoken_case({value_series("word_edits", {1, 1}), value_series("reference_words", {9, 1}),
                   value_series("character_edits", {1, 3}), value_series("reference_characters", {17, 3})});
  the_case.replicates.push_back(the_case.replicates[0]);
  const CaseAnalysis analysis = analyze_case(the_case);
  const MetricRow& words = row_of(analysis, "word_error_rate", "ratio");
  EXPECT_DOUBLE_EQ(words.value.value(), 0.2);
  EXPECT_EQ(words.n, 10U);
  EXPECT_EQ(words.reason, "fewer than 10 sounds");
  EXPECT_DOUBLE_EQ(row_of(analysis, "character_error_rate", "ratio").value.value(), 0.2);
  EXPECT_EQ(row_of(analysis, "accuracy", "ratio").reason, "transcripts have error rates");
}

TEST(CaseMetrics, ErrorRatesHaveAnIntervalOverSounds) {
  std::vector<double> edits, words;
  for (int i = 0; i < 100; ++i) {
    edits.push_back(i % 4 == 0 ? 1 : 0);
    words.push_back(4);
  }
  const CaseRecord the_case = spoken_case({value_series("word_edits", edits), value_series("reference_words", words)});
  const CaseAnalysis analysis = analyze_case(the_case);
  const MetricRow& row = row_of(analysis, "word_error_rate", "ratio");
  EXPECT_DOUBLE_EQ(row.value.value(), 0.0625);
  EXPECT_NEAR(row.low.value(), 0.0625 - 1.96 * 0.0108, 0.006);
  EXPECT_NEAR(row.high.value(), 0.0625 + 1.96 * 0.0108, 0.006);
  EXPECT_EQ(row.interval, IntervalKind::kWithinProcess);
}

TEST(CaseMetrics, SaysWhyThereIsNoErrorRate) {
  const auto reason = [](const std::vector<Series>& series, const Json& effective = Json::object()) {
    CaseRecord the_case = spoken_case(series);
    the_case.effective = effective;
    return row_of(analyze_case(the_case), "word_error_rate", "ratio").reason;
  };
  EXPECT_EQ(reason({}, {{"data", {{"labelled", false}}}}), "the data set has no transcripts");
  EXPECT_EQ(reason({}, {{"model", {{"trained", false}}}}), "seeded random weights have no vocabulary");
  EXPECT_EQ(reason({value_series("word_edits", {1}), value_series("reference_words", {0})}),
            "the data set's transcripts are empty");
  EXPECT_EQ(reason({value_series("word_edits", {1}), value_series("reference_words", {1, 2})}), "not_available_here");
  EXPECT_EQ(reason({value_series("word_edits", {0.5}), value_series("reference_words", {1})}), "not_available_here");
  const CaseAnalysis texts = analyze_case(case_of({}));
  EXPECT_EQ(find_metric(texts.metrics, "word_error_rate", ""), nullptr) << "of speech alone";
}

TEST(CaseMetrics, SaysWhyThereIsNoMacroF1) {
  const auto row = [](const std::vector<Series>& series, const Json& effective = Json::object()) {
    CaseRecord the_case = case_of(series);
    the_case.effective = effective;
    return row_of(analyze_case(the_case), "macro_f1", "ratio");
  };
  const Series labels = value_series("true_class", {0, 1});
  EXPECT_EQ(row({scalar_series("correct", 8), scalar_series("evaluated", 10)}).reason,
            "only the number of correct answers was stored");
  EXPECT_EQ(row({labels}).reason, "not_available_here");
  EXPECT_EQ(row({labels, value_series("predicted_class", {0})}).reason, "not_available_here");
  EXPECT_EQ(row({labels, value_series("predicted_class", {0, 0.5})}).reason, "not_available_here");
  EXPECT_EQ(row({labels, value_series("predicted_class", {0, 1e300})}).reason, "not_available_here");
  EXPECT_EQ(row({labels, labels}, {{"model", {{"trained", false}}}}).reason, "seeded random weights have no accuracy");
  const MetricRow few = row({labels, value_series("predicted_class", {0, 1})});
  EXPECT_DOUBLE_EQ(few.value.value(), 1);
  EXPECT_EQ(few.reason, "fewer than 10 examples");
}

TEST(CaseMetrics, SaysWhyThereIsNoAccuracy) {
  const auto reason = [](const Json& requested, const Json& effective, bool counted = false) {
    CaseRecord the_case = case_of({});
    if (counted) the_case = case_of({scalar_series("correct", 8), scalar_series("evaluated", 10)});
    the_case.requested = requested;
    the_case.effective = effective;
    return row_of(analyze_case(the_case), "accuracy", "ratio").reason;
  };
  EXPECT_EQ(reason({}, {{"model", {{"trained", false}}}}, true), "seeded random weights have no accuracy");
  EXPECT_EQ(reason({{"sequence_length", 128}}, {}),
            "rows of a fixed length combine several texts, so they have no label");
  EXPECT_EQ(reason({{"sequence_length", "natural"}}, {{"data", {{"labelled", false}}}}), "the data set has no labels");
  EXPECT_EQ(reason({{"task", "embedding"}}, {}), "this task is not scored");
  EXPECT_EQ(reason({{"task", "of_a_newer_version"}}, {}), "this task is not scored");
}

TEST(CaseMetrics, RowsUseDeclaredNamesAndEveryDeclaredMetricHasARow) {
  const CaseAnalysis cycles = analyze_case(case_of({partial_batch_series(4)}));
  const CaseAnalysis fixed = analyze_case(case_of({latency_series(steady_values(10))}));
  CaseRecord request = case_of({latency_series(steady_values(10))});
  request.requested = {{"scenario", "generate"}, {"new_tokens", 4}};
  const CaseAnalysis requests = analyze_case(request);
  CaseRecord step = case_of({latency_series(steady_values(10))});
  step.requested = {{"scenario", "train"}};
  const CaseAnalysis steps = analyze_case(step);
  CaseRecord heard = case_of({latency_series(steady_values(10))});
  heard.requested = {{"task", "speech_recognition"}, {"audio_seconds", 5}};
  const CaseAnalysis sounds = analyze_case(heard);
  const CaseAnalysis gpu = analyze_case(
      case_of({latency_series(steady_values(10)), value_series("device_time", steady_values(10)),
               value_series("host_to_device", steady_values(10)), value_series("device_to_host", steady_values(10))}));
  for (const CaseAnalysis* analysis : {&cycles, &fixed, &requests, &steps, &sounds, &gpu}) {
    for (const MetricRow& row : analysis->metrics) {
      EXPECT_EQ(row.unit, metric_term(row.name).unit);  // throws for an undeclared name
      EXPECT_TRUE(row.value || !row.reason.empty()) << row.name;
      EXPECT_EQ(row.provenance.empty(), !row.value) << row.name;
    }
  }
  for (const MetricTerm& term : metric_terms()) {
    const bool has_row = find_metric(cycles.metrics, term.name, "") || find_metric(requests.metrics, term.name, "") ||
                         find_metric(steps.metrics, term.name, "") || find_metric(sounds.metrics, term.name, "") ||
                         find_metric(gpu.metrics, term.name, "");
    EXPECT_TRUE(has_row) << term.name;
  }
}

}  // namespace
}  // namespace transformeter
