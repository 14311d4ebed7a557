// Operations, shares of measured peaks, and the bound, with numbers worked out by hand.
#include "metrics/efficiency_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "metrics/metrics_testing.h"
#include "metrics/roofline.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Json peak_of(double rate, double foreign_load = 0) {
  return {{"value", rate}, {"foreign_load", foreign_load}, {"reason", ""}};
}

// 60 samples of 10 ms and of 8 examples each: 6 GFLOP useful, 8 GFLOP processed of 10 in padded rows, 50 MB of weights.
CaseRecord known_case() {
  CaseRecord the_case = case_of({latency_series(steady_values(60)), scalar_series("useful_flops", 6e9),
                                 scalar_series("processed_flops", 8e9), scalar_series("padded_flops", 10e9),
                                 scalar_series("weight_bytes_read", 50e6)});
  the_case.effective["peaks"] = {{"gemm", peak_of(1e12)}, {"read_bandwidth", peak_of(25e9)}};
  return the_case;
}

TEST(Efficiency, DividesWorkByTimeAndByThePeaks) {
  const CaseAnalysis analysis = analyze_case(known_case());
  EXPECT_DOUBLE_EQ(*row_of(analysis, "flops", "ratio").value, 6e9 / 8);
  EXPECT_NEAR(*row_of(analysis, "throughput_flops", "ratio").value, 6e9 / 0.010, 1e3);
  EXPECT_NEAR(*row_of(analysis, "mfu", "ratio").value, 0.6, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "hfu", "ratio").value, 0.8, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "bandwidth_share", "ratio").value, 50e6 / 0.010 / 25e9, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "skipped_share", "ratio").value, 0.2, 1e-9);
  EXPECT_EQ(row_of(analysis, "mfu", "ratio").provenance, "derived");
}

TEST(Efficiency, OfRequestsIsNullWithItsReason) {
  CaseRecord the_case = known_case();
  the_case.requested = {{"scenario", "generate"}, {"prompt_length", 16}, {"new_tokens", 4}};
  const CaseAnalysis analysis = analyze_case(the_case);
  for (const char* name : {"flops", "throughput_flops", "mfu", "hfu", "skipped_share", "bandwidth_share"}) {
    EXPECT_FALSE(row_of(analysis, name, "ratio").value) << name;
    EXPECT_THAT(row_of(analysis, name, "ratio").reason, HasSubstr("not counted for generated text")) << name;
  }
}

// Batches of 100 and 300 operations of which 100 and 180 ran: 280 of 400, not the mean of 1 and 0.6.
TEST(Efficiency, TheSkippedShareIsOfTheWholeCycle) {
  CaseRecord the_case = case_of({latency_series(steady_values(60), 0, 2), value_series("processed_flops", {100, 180}),
                                 value_series("padded_flops", {100, 300})});
  EXPECT_NEAR(*row_of(analyze_case(the_case), "skipped_share", "ratio").value, 0.3, 1e-12);
}

TEST(Efficiency, OfAWorkerThatDoesNotTellPaddedOperationsNoShareIsSkipped) {
  CaseRecord the_case = case_of(
      {latency_series(steady_values(60)), scalar_series("useful_flops", 6e9), scalar_series("processed_flops", 8e9)});
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_FALSE(row_of(analysis, "skipped_share", "ratio").value);
  EXPECT_THAT(row_of(analysis, "skipped_share", "ratio").reason, HasSubstr("does not report it"));
}

// Of Wav2Vec2 in int8: convolutions stay in fp32, at a peak of their own.
TEST(Efficiency, APeakOfInt8IsNoneOfAPassThatRanElsewhereToo) {
  const auto type = [](const char* format, double share) {
    return Json{{"input", format}, {"weight", format}, {"small", false}, {"count", 1}, {"flop_share", share}};
  };
  CaseRecord the_case = known_case();
  the_case.effective["peaks"]["gemm"]["quantity"] = "gemm_int8";
  the_case.effective["linear_types"] = {type("int8", 0.61), type("fp32", 0.39)};
  const CaseAnalysis mixed = analyze_case(the_case);
  for (const char* name : {"mfu", "hfu"}) {
    EXPECT_FALSE(row_of(mixed, name, "ratio").value);
    EXPECT_THAT(row_of(mixed, name, "ratio").reason, AllOf(HasSubstr("39 %"), HasSubstr("int8")));
  }
  EXPECT_TRUE(row_of(mixed, "throughput_flops", "ratio").value);
  EXPECT_TRUE(row_of(mixed, "bandwidth_share", "ratio").value);
  the_case.effective["linear_types"] = {type("int8", 0.96), type("fp32", 0.04)};
  EXPECT_NEAR(*row_of(analyze_case(the_case), "mfu", "ratio").value, 0.6, 1e-9);
  the_case.effective["linear_types"] = {type("packed", 0.96), type("fp32", 0.04)};
  EXPECT_TRUE(row_of(analyze_case(the_case), "mfu", "ratio").value);
  the_case.effective.erase("linear_types");
  const CaseAnalysis unknown = analyze_case(the_case);
  EXPECT_FALSE(row_of(unknown, "mfu", "ratio").value);
  EXPECT_THAT(row_of(unknown, "mfu", "ratio").reason, HasSubstr("did not report"));
  the_case.effective["peaks"]["gemm"]["quantity"] = "gemm_fp32";
  the_case.effective["linear_types"] = Json::array({type("fp32", 1)});
  EXPECT_TRUE(row_of(analyze_case(the_case), "mfu", "ratio").value);
}

TEST(Efficiency, CarriesTheIntervalOfTheThroughput) {
  const CaseAnalysis analysis = analyze_case(known_case());
  const MetricRow& rate = row_of(analysis, "throughput_processed_tokens", "ratio");
  const MetricRow& hfu = row_of(analysis, "hfu", "ratio");
  ASSERT_TRUE(rate.low && hfu.low);
  EXPECT_NEAR(*hfu.low / *hfu.value, *rate.low / *rate.value, 1e-9);
  EXPECT_NEAR(*hfu.high / *hfu.value, *rate.high / *rate.value, 1e-9);
  EXPECT_EQ(hfu.interval, IntervalKind::kSingleWindow);
  EXPECT_EQ(hfu.n, rate.n);
}

// Relative half-widths a of the rate and b of the peak make √(a² + b²) of the share; a higher peak makes it lower.
TEST(Efficiency, TheIntervalHoldsThatOfThePeak) {
  CaseRecord the_case = known_case();
  const MetricRow alone = row_of(analyze_case(the_case), "mfu", "ratio");
  the_case.effective["peaks"]["gemm"]["low"] = 0.98e12;
  the_case.effective["peaks"]["gemm"]["high"] = 1.04e12;
  const MetricRow both = row_of(analyze_case(the_case), "mfu", "ratio");
  ASSERT_TRUE(alone.low && both.low);
  EXPECT_EQ(both.value, alone.value);
  EXPECT_NEAR(*both.low / *both.value, 1 - std::hypot(1 - *alone.low / *alone.value, 0.04), 1e-12);
  EXPECT_NEAR(*both.high / *both.value, 1 + std::hypot(*alone.high / *alone.value - 1, 0.02), 1e-12);
  EXPECT_EQ(both.interval, alone.interval);
}

TEST(Efficiency, OfARunFromBeforeTheReadOnlyPeakTheBandwidthShareIsNull) {
  CaseRecord the_case = known_case();
  the_case.effective["peaks"] = {{"gemm", peak_of(1e12)}, {"bandwidth", peak_of(25e9)}};  // the triad's
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_FALSE(row_of(analysis, "bandwidth_share", "ratio").value);
  EXPECT_THAT(row_of(analysis, "bandwidth_share", "ratio").reason, HasSubstr("transformeter peaks"));
  EXPECT_TRUE(row_of(analysis, "mfu", "ratio").value);
}

TEST(Efficiency, SumsOverTheBatchesOfACycle) {
  std::vector<double> values;  // 30 cycles of 10 and 30 ms
  for (int i = 0; i < 30; ++i) {
    values.push_back(0.010);
    values.push_back(0.030);
  }
  CaseRecord the_case = known_case();
  the_case.replicates[0].series = case_of({latency_series(values, 0, 2), value_series("useful_flops", {2e9, 6e9}),
                                           scalar_series("weight_bytes_read", 50e6)})
                                      .replicates[0]
                                      .series;
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_DOUBLE_EQ(*row_of(analysis, "flops", "ratio").value, 8e9 / 16);
  EXPECT_NEAR(*row_of(analysis, "mfu", "ratio").value, 8e9 / 0.040 / 1e12, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "bandwidth_share", "ratio").value, 2 * 50e6 / 0.040 / 25e9, 1e-9);
}

TEST(Efficiency, OfAnotherCycleIsNoGuess) {
  CaseRecord the_case = known_case();
  for (Series& series : the_case.replicates[0].series) {
    if (series.name == "useful_flops") series.value = {6e9, 6e9};
  }
  EXPECT_FALSE(row_of(analyze_case(the_case), "mfu", "ratio").value);
}

TEST(Efficiency, WithoutAFormulaIsNullWithTheReason) {
  CaseRecord the_case = known_case();
  std::erase_if(the_case.replicates[0].series, [](const Series& series) {
    return series.name == "useful_flops" || series.name == "processed_flops" || series.name == "weight_bytes_read";
  });
  const CaseAnalysis analysis = analyze_case(the_case);
  for (const char* name : {"flops", "throughput_flops", "mfu", "hfu", "bandwidth_share"}) {
    EXPECT_FALSE(row_of(analysis, name, "ratio").value) << name;
    EXPECT_THAT(row_of(analysis, name, "ratio").reason, HasSubstr("no FLOP formula")) << name;
  }
}

TEST(Efficiency, WithoutPeaksKeepsTheOperationsAndSaysHowToGetThem) {
  CaseRecord the_case = known_case();
  the_case.effective["peaks"] = {{"gemm", {{"reason", "no peaks: --peaks off"}}}};
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_TRUE(row_of(analysis, "throughput_flops", "ratio").value);
  EXPECT_EQ(row_of(analysis, "mfu", "ratio").reason, "no peaks: --peaks off");
  EXPECT_THAT(row_of(analysis, "bandwidth_share", "ratio").reason, HasSubstr("transformeter peaks"));
  for (const std::string& note : names_of(analysis.verdict.notes)) EXPECT_THAT(note, Not(HasSubstr("_bound")));
}

TEST(Efficiency, NamesTheBoundWithItsShares) {
  const CaseAnalysis analysis = analyze_case(known_case());
  EXPECT_THAT(detail_of(analysis.verdict.notes, "compute_bound"), AllOf(HasSubstr("80 %"), HasSubstr("20 %")));
  EXPECT_EQ(detail_of(analysis.verdict.notes, "disturbed_peaks"), "(absent)");
}

TEST(Efficiency, ADisturbedPeakGivesNoShare) {
  CaseRecord the_case = known_case();
  the_case.effective["peaks"]["read_bandwidth"] = peak_of(25e9, 0.7);
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_THAT(detail_of(analysis.verdict.notes, "disturbed_peaks"), HasSubstr("0.70 CPUs"));
  EXPECT_FALSE(row_of(analysis, "bandwidth_share", "ratio").value);
  EXPECT_EQ(row_of(analysis, "bandwidth_share", "ratio").reason,
            "disturbed_peaks: read_bandwidth was measured while background load kept 0.70 CPUs busy");
  EXPECT_TRUE(row_of(analysis, "mfu", "ratio").value) << "of another peak";
  the_case.effective["peaks"]["read_bandwidth"] = peak_of(25e9, 0.05);
  EXPECT_TRUE(row_of(analyze_case(the_case), "bandwidth_share", "ratio").value) << "so much a valid case may have";
}

TEST(Efficiency, WhatUsesNoPeakHasNoNoteOfOne) {
  CaseRecord the_case = known_case();
  the_case.requested = {{"scenario", "generate"}, {"prompt_length", 16}, {"new_tokens", 4}};
  the_case.effective["peaks"] = {{"gemm", peak_of(1e12, 0.7)}, {"read_bandwidth", peak_of(25e9, 0.7)}};
  EXPECT_EQ(detail_of(analyze_case(the_case).verdict.notes, "disturbed_peaks"), "(absent)");
}

TEST(Efficiency, APeakThatAnotherCaseExceededGivesNoShare) {
  CaseRecord the_case = known_case();
  the_case.effective["peaks"]["gemm"]["exceeded"] = true;
  const CaseAnalysis analysis = analyze_case(the_case);
  for (const char* name : {"mfu", "hfu"}) {
    EXPECT_FALSE(row_of(analysis, name, "ratio").value) << name;
    EXPECT_THAT(row_of(analysis, name, "ratio").reason, HasSubstr("peak_below_achieved: another case")) << name;
  }
}

TEST(Efficiency, AShareOfOneIsTheMost) {
  CaseRecord the_case = known_case();
  std::erase_if(the_case.replicates[0].series, [](const Series& series) { return series.name == "processed_flops"; });
  const double achieved = *row_of(analyze_case(the_case), "throughput_flops", "ratio").value;
  const auto mfu_against = [&](double peak) {
    the_case.effective["peaks"]["gemm"] = peak_of(peak);
    return row_of(analyze_case(the_case), "mfu", "ratio");
  };
  EXPECT_NEAR(*mfu_against(1.001 * achieved).value, 1 / 1.001, 1e-9);
  EXPECT_EQ(mfu_against(achieved).value, 1.0);
  EXPECT_FALSE(mfu_against(0.999 * achieved).value);
  EXPECT_FALSE(mfu_against(0.999 * achieved).low);
}

TEST(Efficiency, AnIntervalEndsAtOne) {
  CaseRecord the_case = known_case();
  the_case.effective["peaks"]["gemm"] = peak_of(8.001e11);
  const CaseAnalysis of_higher_peak = analyze_case(known_case());
  ASSERT_GT(*row_of(of_higher_peak, "hfu", "ratio").high * 1e12 / 8.001e11, 1)
      << "the rate's interval reaches beyond this peak";
  EXPECT_EQ(row_of(analyze_case(the_case), "hfu", "ratio").high, 1.0);
}

TEST(Efficiency, APeakBelowWhatTheCaseReachedIsNoPeak) {
  CaseRecord the_case = known_case();
  the_case.effective["peaks"]["gemm"] = peak_of(7e11);  // below hfu's rate, above mfu's
  the_case.effective["peaks"]["gemm"]["quantity"] = "gemm_fp32";
  const CaseAnalysis analysis = analyze_case(the_case);
  const char* reason = "peak_below_achieved: 800 GFLOP/s is above the measured peak of 700 GFLOP/s";
  EXPECT_FALSE(row_of(analysis, "hfu", "ratio").value);
  EXPECT_EQ(row_of(analysis, "hfu", "ratio").reason, reason);
  EXPECT_FALSE(row_of(analysis, "mfu", "ratio").value) << "a share of the same wrong peak";
  EXPECT_EQ(row_of(analysis, "mfu", "ratio").reason, reason);
  EXPECT_TRUE(is_below_achieved(row_of(analysis, "mfu", "ratio")));
  EXPECT_TRUE(row_of(analysis, "bandwidth_share", "ratio").value) << "of another peak";
  EXPECT_TRUE(row_of(analysis, "throughput_flops", "ratio").value);
  EXPECT_EQ(detail_of(analysis.verdict.notes, "peak_below_achieved"),
            "800 GFLOP/s is above the measured peak of 700 GFLOP/s");
  EXPECT_EQ(detail_of(analysis.verdict.notes, "compute_bound"), "(absent)");
  EXPECT_EQ(detail_of(analyze_case(known_case()).verdict.notes, "peak_below_achieved"), "(absent)");
}

TEST(Efficiency, SaysWhyAPeakIsTooLowWhereItIsKnown) {
  CaseRecord the_case = known_case();  // 50 MB in 10 ms: 5 GB/s
  the_case.effective["peaks"] = {{"gemm", peak_of(1e11, 0.7)}, {"read_bandwidth", peak_of(4e9)}};
  the_case.effective["peaks"]["read_bandwidth"]["quantity"] = "read_bandwidth";
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_THAT(row_of(analysis, "mfu", "ratio").reason, HasSubstr("while background load kept 0.70 CPUs busy"));
  EXPECT_THAT(row_of(analysis, "bandwidth_share", "ratio").reason,
              AllOf(HasSubstr("peak_below_achieved: 5.00 GB/s"), HasSubstr("4.00 GB/s"), HasSubstr("cache")));
}

// 8 GFLOP in 10 ms and in 5 ms are 1.07 TFLOP/s together, and the second alone is faster than the peak.
TEST(Efficiency, OneReplicateAboveThePeakIsEnough) {
  CaseRecord the_case = known_case();
  the_case.effective["peaks"]["gemm"] = peak_of(1.3e12);
  CaseRecord fast = known_case();
  for (Series& series : fast.replicates[0].series) {
    if (series.name != "latency") continue;
    for (double& value : series.value) value /= 2;
  }
  fast.replicates[0].index = 1;
  the_case.replicates.push_back(fast.replicates[0]);
  EXPECT_THAT(row_of(analyze_case(the_case), "mfu", "ratio").reason, HasSubstr("1.60 TFLOP/s"));
}

// The larger share names the bound where it explains half; else the rest, 1 − the larger, is the largest part.
TEST(Roofline, TheLargestPartOfTheTimeNamesTheBound) {
  EXPECT_EQ(bound_of(0.8, 0.2, std::nullopt), Bound::kCompute);
  EXPECT_EQ(bound_of(0.1, 0.7, std::nullopt), Bound::kMemory);
  EXPECT_EQ(bound_of(0.5, 0.1, 0.9), Bound::kCompute);
  EXPECT_EQ(bound_of(0.49, 0.48, std::nullopt), Bound::kHost);
  EXPECT_EQ(bound_of(0.49, 0.48, 0.9), Bound::kLaunch);
  EXPECT_EQ(bound_of(0.49, 0.48, 0.5), Bound::kDevice);
  EXPECT_EQ(bound_of(0.9, 1.7, std::nullopt), Bound::kMemory) << "weights in a cache are read faster than from memory";
}

}  // namespace
}  // namespace transformeter
