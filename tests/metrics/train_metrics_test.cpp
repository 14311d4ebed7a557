// Phases, memory, loss and cost of steps that are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "metrics/metrics_testing.h"
#include "metrics/train_metrics.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

// Steps of which each phase takes its share; the rest is other.
CaseRecord steps(const std::vector<double>& totals, std::vector<Series> more = {}) {
  std::vector<Series> series = {latency_series(totals)};
  for (const auto& [name, share] : {std::pair("data_wait", 0.1), std::pair("forward_time", 0.2),
                                    std::pair("backward_time", 0.5), std::pair("optimizer_time", 0.15)}) {
    std::vector<double> values;
    for (const double total : totals) values.push_back(total * share);
    series.push_back(value_series(name, std::move(values)));
  }
  for (Series& one : more) series.push_back(std::move(one));
  CaseRecord one = case_of(std::move(series));
  one.requested = {{"scenario", "train"}, {"batch_size", 8}, {"task", "sequence_classification"}};
  return one;
}

TEST(TrainMetrics, PhasesAndTheRestSumUpToTheStep) {
  const CaseAnalysis analysis = analyze_case(steps(steady_values(40)));
  const double step = *row_of(analysis, "latency", "mean").value;
  double sum = 0;
  for (const char* phase : {"data_wait", "forward_time", "backward_time", "optimizer_time", "other_time"}) {
    ASSERT_TRUE(row_of(analysis, phase, "mean").value) << phase;
    sum += *row_of(analysis, phase, "mean").value;
  }
  EXPECT_NEAR(sum, step, 1e-12);
  EXPECT_NEAR(*row_of(analysis, "other_time", "median").value, 0.05 * 0.01, 1e-9);
  EXPECT_TRUE(row_of(analysis, "backward_time", "median").low);
}

TEST(TrainMetrics, MemoryIsWhatTheWorkerWeighed) {
  const CaseAnalysis analysis = analyze_case(
      steps(steady_values(20), {scalar_series("peak_allocated", 1000), scalar_series("weight_bytes", 200),
                                scalar_series("optimizer_bytes", 400), scalar_series("activation_bytes", 90)}));
  EXPECT_EQ(*row_of(analysis, "activation_bytes", "value").value, 90);
  EXPECT_EQ(*row_of(analysis, "optimizer_bytes", "value").value, 400);
  EXPECT_FALSE(row_of(analysis, "gradient_bytes", "value").value.has_value());
}

TEST(TrainMetrics, AForecastIsComputedOrHasItsReason) {
  const auto forecast_of = [](const CaseRecord& one) {
    return row_of(analyze_case(one), "peak_allocated_forecast", "value");
  };
  const MetricRow row = forecast_of(steps(steady_values(20), {scalar_series("peak_allocated_forecast", 1100)}));
  EXPECT_EQ(*row.value, 1100);
  EXPECT_EQ(row.provenance, "derived");
  CaseRecord without = steps(steady_values(20));
  EXPECT_EQ(forecast_of(without).reason, "not_available_here") << "of an older worker";
  without.effective["memory_forecast"]["reason"] = "no formula";
  EXPECT_EQ(forecast_of(without).reason, "no formula");
}

// e^(-0.02 i): the logarithm falls by 0.02 a step. Of 40 steps the last quarter are i = 30 to 39.
TEST(TrainMetrics, LossAndItsRateAreOfAllSteps) {
  std::vector<double> losses;
  double last = 0;
  for (int i = 0; i < 40; ++i) {
    losses.push_back(std::exp(-0.02 * i));
    if (i >= 30) last += losses.back() / 10;
  }
  const CaseAnalysis analysis = analyze_case(steps(steady_values(40), {value_series("loss", losses)}));
  EXPECT_NEAR(*row_of(analysis, "loss", "mean").value, last, 1e-12);
  const MetricRow& rate = row_of(analysis, "loss_convergence_rate", "value");
  EXPECT_NEAR(*rate.value, 0.02, 1e-9);
  EXPECT_TRUE(rate.low && rate.high);
}

TEST(TrainMetrics, NoRateOfALossThatIsNotPositive) {
  std::vector<double> losses(40, 0.0);
  const CaseAnalysis analysis = analyze_case(steps(steady_values(40), {value_series("loss", losses)}));
  EXPECT_FALSE(row_of(analysis, "loss_convergence_rate", "value").value);
  EXPECT_THAT(row_of(analysis, "loss_convergence_rate", "value").reason, HasSubstr("positive"));
}

TEST(TrainMetrics, SkippedStepsAndNormsAreCounted) {
  std::vector<double> skipped(20, 0.0);
  skipped[3] = skipped[4] = 1;
  const CaseAnalysis analysis =
      analyze_case(steps(steady_values(20), {value_series("skipped_step", skipped),
                                             value_series("gradient_norm", std::vector<double>(20, 3))}));
  EXPECT_EQ(*row_of(analysis, "skipped_steps", "total").value, 2);
  EXPECT_EQ(*row_of(analysis, "gradient_norm", "median").value, 3);
}

// 1, 2, ..., 18 and two that overflowed: the median of the finite ones is 9.5.
TEST(TrainMetrics, NormsOfStepsThatOverflowedAreLeftOut) {
  std::vector<double> norms{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  for (int i = 1; i <= 18; ++i) norms.push_back(i);
  const CaseAnalysis analysis = analyze_case(steps(steady_values(20), {value_series("gradient_norm", norms)}));
  const MetricRow& norm = row_of(analysis, "gradient_norm", "median");
  EXPECT_EQ(*norm.value, 9.5);
  EXPECT_EQ(norm.n, 18U);
  const std::vector<double> none(20, std::numeric_limits<double>::quiet_NaN());
  const CaseAnalysis overflowed = analyze_case(steps(steady_values(20), {value_series("gradient_norm", none)}));
  EXPECT_FALSE(row_of(overflowed, "gradient_norm", "median").value);
  EXPECT_EQ(row_of(overflowed, "gradient_norm", "median").reason, "no step had a finite gradient");
}

// Every second step is skipped; its optimizer takes a tenth of the 1.5 ms of the others.
TEST(TrainMetrics, TheOptimizersTimeIsThatOfStepsThatChangedWeights) {
  CaseRecord one = steps(std::vector<double>(40, 0.01));
  std::vector<double> skipped;
  for (Series& series : one.replicates[0].series) {
    if (series.name != "optimizer_time") continue;
    for (std::size_t i = 0; i < series.value.size(); ++i) {
      skipped.push_back(i % 2 == 0 ? 1 : 0);
      if (i % 2 == 0) series.value[i] = 0.00015;
    }
  }
  one.replicates[0].series.push_back(value_series("skipped_step", skipped));
  const CaseAnalysis analysis = analyze_case(one);
  EXPECT_NEAR(*row_of(analysis, "optimizer_time", "mean").value, 0.0015, 1e-9);
  EXPECT_EQ(row_of(analysis, "latency", "median").n, 2 * row_of(analysis, "optimizer_time", "median").n);
}

TEST(TrainMetrics, SkippedStepsAreNotedUnlessTheyAreTheFirstOnes) {
  const auto note_of = [](const std::vector<double>& skipped) {
    const CaseAnalysis analysis = analyze_case(steps(steady_values(20), {value_series("skipped_step", skipped)}));
    return detail_of(analysis.verdict.notes, "steps_skipped");
  };
  std::vector<double> skipped(20, 0.0);
  EXPECT_EQ(note_of(skipped), "(absent)");
  skipped[0] = skipped[1] = 1;
  EXPECT_EQ(note_of(skipped), "(absent)") << "a loss scale that begins too high";
  skipped[7] = 1;
  EXPECT_EQ(note_of(skipped), "1 of 20 steps were skipped after the first successful one");
  EXPECT_EQ(note_of(std::vector<double>(20, 1.0)), "all 20 steps were skipped: the weights never changed");
}

// e^(-0.02 i) over 40 steps, then flat: over all 80 steps the slope is less.
TEST(TrainMetrics, LossOverTheFirstStepsLeavesOutTheOthers) {
  std::vector<double> losses;
  for (int i = 0; i < 80; ++i) losses.push_back(std::exp(-0.02 * std::min(i, 39)));
  const ReplicateRecord replicate = replicate_of({value_series("loss", losses)});
  const std::vector<MetricRow> first = loss_metrics({&replicate}, 40);
  EXPECT_NEAR(*find_metric(first, "loss_convergence_rate", "")->value, 0.02, 1e-9);
  EXPECT_LT(*find_metric(loss_metrics({&replicate}), "loss_convergence_rate", "")->value, 0.019);
  double last = 0;
  for (int i = 30; i < 40; ++i) last += std::exp(-0.02 * i) / 10;
  EXPECT_NEAR(*find_metric(first, "loss", "")->value, last, 1e-12);
}

// 10 ms at 3.60 dollars an hour are 1e-5 dollars.
TEST(TrainMetrics, CostNeedsAPrice) {
  CaseRecord one = steps(steady_values(40));
  EXPECT_FALSE(row_of(analyze_case(one), "cost_per_step", "mean").value);
  EXPECT_THAT(row_of(analyze_case(one), "cost_per_step", "mean").reason, HasSubstr("--price-per-hour"));
  one.requested["price_per_hour"] = 3.6;
  const MetricRow cost = row_of(analyze_case(one), "cost_per_step", "mean");
  EXPECT_NEAR(*cost.value, 1e-5, 1e-12);
  EXPECT_EQ(cost.unit, "USD");
  EXPECT_TRUE(cost.low);
}

// 1e9 operations in 10 ms are 1e11 a second: half of a peak of 2e11.
// 1e9 in 10 ms and 6e9 in 30 ms by turns: 7e9 in 40 ms are 1.75e11 a second; the mean of both rates would be 1.5e11.
TEST(TrainMetrics, UtilizationIsOfEachStepsOwnOperations) {
  std::vector<double> times;
  std::vector<double> useful;
  std::vector<double> processed;
  for (int i = 0; i < 20; ++i) {
    times.push_back(i % 2 == 0 ? 0.01 : 0.03);
    useful.push_back(i % 2 == 0 ? 1e9 : 6e9);
    processed.push_back(1.5 * useful.back());
  }
  std::vector<double> padded;
  for (const double flops : processed) padded.push_back(flops * 1.25);
  CaseRecord one =
      steps(times, {value_series("useful_step_flops", useful), value_series("processed_step_flops", processed),
                    value_series("padded_step_flops", padded)});
  one.effective = {{"peaks", {{"gemm", {{"value", 3.5e11}}}}}};
  const CaseAnalysis analysis = analyze_case(one);
  EXPECT_NEAR(*row_of(analysis, "mfu", "ratio").value, 1.75e11 / 3.5e11, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "hfu", "ratio").value, 1.5 * 1.75e11 / 3.5e11, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "skipped_share", "ratio").value, 0.2, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "flops", "ratio").value, 3.5e9 / 8, 1);
}

}  // namespace
}  // namespace transformeter
