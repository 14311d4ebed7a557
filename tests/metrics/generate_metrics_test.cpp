// Times and rates of requests whose parts are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/metrics_testing.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

// Request i of `new_tokens` tokens takes firsts[i], and each of its steps steps[i].
CaseRecord requests(const std::vector<double>& firsts, const std::vector<double>& steps, std::int64_t new_tokens,
                    std::size_t warmup = 0) {
  std::vector<double> totals;
  Series first = value_series("time_to_first_token", firsts);
  Series decode = value_series("decode_step", {});
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    totals.push_back(firsts[i] + steps[i] * static_cast<double>(new_tokens - 1));
    first.useful_tokens.push_back(100);
    for (std::int64_t step = 1; step < new_tokens; ++step) decode.value.push_back(steps[i]);
  }
  Series latency = latency_series(totals, warmup);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    latency.index[i] = static_cast<std::int64_t>(i % 8);  // the prompt
    latency.examples[i] = 1;
  }
  CaseRecord one = case_of({latency, first, decode, scalar_series("cache_bytes", 4096)});
  one.requested = {{"scenario", "generate"}, {"task", "causal_lm"}, {"prompt_length", 100}, {"new_tokens", new_tokens}};
  one.effective = {{"cycle_batches", 1}};
  return one;
}

std::vector<double> times(const std::vector<double>& values, double factor) {
  std::vector<double> result;
  for (const double value : values) result.push_back(value * factor);
  return result;
}

TEST(GenerateMetrics, TakeEachRequestsOwnPhases) {
  const std::vector<double> wave = steady_values(40);  // around 10 ms
  const CaseAnalysis analysis = analyze_case(requests(times(wave, 5), times(wave, 0.2), 11));
  EXPECT_NEAR(*row_of(analysis, "time_to_first_token", "median").value, 0.050, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "time_per_output_token", "median").value, 0.002, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "latency", "median").value, 0.050 + 10 * 0.002, 1e-9);
  const MetricRow& per_token = row_of(analysis, "time_per_output_token", "median");
  EXPECT_EQ(per_token.n, 40U) << "requests, not steps";
  EXPECT_TRUE(per_token.low && per_token.high);
  EXPECT_EQ(per_token.interval, IntervalKind::kSingleWindow);
  EXPECT_EQ(*row_of(analysis, "cache_bytes", "value").value, 4096);
  EXPECT_EQ(apart_from_window(analysis.verdict).level, VerdictLevel::kValid);
}

// The mean of the requests' rates would be (1/1 ms + 1/3 ms) / 2 = 667 per second.
TEST(GenerateMetrics, RatesAreTotalTokensOverTotalTime) {
  const std::vector<double> firsts(20, 0.05);
  std::vector<double> steps;
  for (int i = 0; i < 20; ++i) steps.push_back(i % 2 == 0 ? 0.001 : 0.003);
  const CaseAnalysis analysis = analyze_case(requests(firsts, steps, 5));
  EXPECT_NEAR(*row_of(analysis, "throughput_decode_tokens", "ratio").value, 1 / 0.002, 1e-6);
  EXPECT_NEAR(*row_of(analysis, "throughput_prefill_tokens", "ratio").value, 100 / 0.05, 1e-6);
  EXPECT_EQ(row_of(analysis, "throughput_useful_tokens", "ratio").name, "") << "batches have it, requests do not";
}

TEST(GenerateMetrics, PromptsOfOneLengthAreOneShape) {
  const CaseAnalysis analysis = analyze_case(requests(steady_values(30), times(steady_values(30), 0.1), 4));
  EXPECT_EQ(row_of(analysis, "cycle_time", "mean").name, "") << "eight prompts make no cycle of eight inputs";
  EXPECT_TRUE(row_of(analysis, "time_to_first_token", "median").low.has_value());
}

TEST(GenerateMetrics, WarmUpIsCutFromEveryPhaseAlike) {
  std::vector<double> firsts = steady_values(22);
  std::vector<double> steps = times(firsts, 0.1);
  firsts[0] = firsts[1] = 9;
  steps[0] = steps[1] = 9;
  const CaseAnalysis analysis = analyze_case(requests(firsts, steps, 4, 2));
  EXPECT_LT(*row_of(analysis, "time_to_first_token", "max").value, 0.011);
  EXPECT_LT(*row_of(analysis, "time_per_output_token", "max").value, 0.0011);
  EXPECT_LT(*row_of(analysis, "inter_token_latency", "max").value, 0.0011);
  EXPECT_EQ(row_of(analysis, "inter_token_latency", "max").n, 60U) << "20 requests of 3 steps";
}

TEST(GenerateMetrics, OneNewTokenHasNoTimeBetweenTokens) {
  const CaseAnalysis analysis = analyze_case(requests(steady_values(20), std::vector<double>(20, 1), 1));
  EXPECT_TRUE(row_of(analysis, "time_to_first_token", "median").value);
  for (const char* name : {"time_per_output_token", "inter_token_latency", "throughput_decode_tokens"}) {
    const MetricRow* row = find_metric(analysis.metrics, name, "");
    ASSERT_NE(row, nullptr) << name;
    EXPECT_FALSE(row->value) << name;
    EXPECT_THAT(row->reason, HasSubstr("one new token")) << name;
  }
}

TEST(GenerateMetrics, StepsAreDescribedWithoutAnInterval) {
  const CaseAnalysis analysis = analyze_case(requests(steady_values(40), times(steady_values(40), 0.1), 21));
  const MetricRow& p99 = row_of(analysis, "inter_token_latency", "p99");
  EXPECT_FALSE(p99.low);
  const MetricRow& median = row_of(analysis, "inter_token_latency", "median");
  EXPECT_TRUE(median.value);
  EXPECT_THAT(median.reason, HasSubstr("steps of a request differ"));
}

TEST(GenerateMetrics, ListsThatDoNotFitTheirRequestsAreMissing) {
  CaseRecord one = requests(steady_values(20), steady_values(20), 4);
  for (Series& series : one.replicates[0].series) {
    if (series.name == "decode_step") series.value.pop_back();
  }
  const CaseAnalysis analysis = analyze_case(one);
  EXPECT_FALSE(row_of(analysis, "time_per_output_token", "median").value);
  EXPECT_FALSE(row_of(analysis, "throughput_decode_tokens", "ratio").value);
  EXPECT_TRUE(row_of(analysis, "time_to_first_token", "median").value);
}

TEST(GenerateMetrics, AWrongKernelInEitherPhaseIsInvalid) {
  for (const char* phase : {"attention_kernel_prefill", "attention_kernel_decode"}) {
    CaseRecord one = requests(steady_values(20), steady_values(20), 4);
    one.requested["attention"] = "sdpa";
    one.effective["attention_kernel_prefill"] = "flash";
    one.effective["attention_kernel_decode"] = "math";
    EXPECT_EQ(detail_of(apart_from_window(analyze_case(one).verdict).reasons, "wrong_kernel"), "(absent)");
    one.effective[phase] = "eager";
    EXPECT_NE(detail_of(apart_from_window(analyze_case(one).verdict).reasons, "wrong_kernel"), "(absent)") << phase;
  }
}

}  // namespace
}  // namespace transformeter
