// The sentences that lead a report, vs. numbers worked out by hand from the samples.
#include "report/answers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::ElementsAre;

// Every sample of a replicate takes the same time, so that its median and its mean are that time.
CaseRecord constant_case(int position, const std::string& precision, const std::vector<double>& levels_s) {
  CaseRecord one = measured_case(position, requested_of(8, 128, precision), levels_s);
  for (std::size_t i = 0; i < levels_s.size(); ++i) {
    Series& latency = one.replicates[i].series[0];
    latency.value.assign(latency.value.size(), levels_s[i]);
  }
  return one;
}

RunRecord run_of(std::vector<CaseRecord> cases) {
  RunRecord run = mixed_run();
  run.cases = std::move(cases);
  return run;
}

// Of three replicates the interval is mean ∓ 4.303 · s ÷ √3 (t with two degrees of freedom, 97.5 %).
// Latency, bf16: mean 10 ms, s = 0.1 ms: ∓ 0.2484 ms, which is 2.5 %.
// Latency, fp32: mean 20 ms, s = 0.2 ms: ∓ 0.4968 ms, the same share.
// Samples, bf16: 24 in 30 ms are 800 per s. In 9.9, 10 and 10.1 ms 800 per s make 0.08 less than 8, 8 and 0.08 more, by
// 10 ms: s = 8, ∓ 19.873, so 780.127 to 819.873. Each sample has 100 useful tokens: a hundred times that.
// Speed-up: 20 ÷ 10 = 2. Each log time has the standard error 0.01 ÷ √3, their difference 0.0081650, with four degrees
// of freedom: ∓ 2.7764 · 0.0081650 = 0.022669; 2 · exp(∓ 0.022669) is 1.955 to 2.046.
TEST(Answers, SayWhatTheSamplesComeTo) {
  const RunRecord run =
      run_of({constant_case(0, "fp32", {0.0198, 0.02, 0.0202}), constant_case(1, "bf16", {0.0099, 0.01, 0.0101})});
  EXPECT_THAT(
      answers(analyze_run(run)),
      ElementsAre("Lowest median latency: 10.0 ms at bf16 (95 % interval 9.75 ms to 10.2 ms, between replicates).",
                  "Highest throughput in samples: 800 sample/s at bf16 (95 % interval 780 sample/s to 820 sample/s, "
                  "between replicates).",
                  "Highest throughput in useful tokens: 80000 token/s at bf16 (95 % interval 78013 token/s to 81987 "
                  "token/s, between replicates).",
                  "precision bf16 vs. fp32: 10.0 ms ± 2.5 % vs. 20.0 ms ± 2.5 %; speed-up 2.000 (95 % interval "
                  "1.955 to 2.046); faster."));
}

// Half the samples of one process take 10 ms and half 30 ms: together 60 samples of 8 in 1.2 s.
TEST(Answers, RatesAreWorkOverTimeAndNotAMeanOfRates) {
  CaseRecord one = constant_case(0, "fp32", {0.01, 0.01, 0.01});
  for (ReplicateRecord& replicate : one.replicates) {
    std::vector<double>& values = replicate.series[0].value;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 0.03 : 0.01;
  }
  const RunRecord run = run_of({one});
  EXPECT_THAT(answers(analyze_run(run)), testing::Contains(testing::HasSubstr("in samples: 400 sample/s at")))
      << "the mean of 800 and 266.7 per s would be 533";
}

// As `make benchmark` runs them: engines that each choose their own, by precision too.
RunRecord engines_run(std::size_t replicates) {
  std::vector<CaseRecord> cases;
  for (const char* precision : {"fp32", "bf16"}) {
    for (const char* engine : {"pytorch", "fast"}) {
      const bool is_fast = engine == std::string("fast");
      const double level_s = is_fast ? 0.01 : 0.02;
      CaseRecord one =
          constant_case(static_cast<int>(cases.size()), precision, std::vector<double>(replicates, level_s));
      one.requested["engine"] = engine;
      one.requested["batching"] = is_fast ? "packed" : "padded";
      one.requested["streams"] = is_fast ? 2 : 1;
      if (is_fast) one.requested["weights"] = precision == std::string("bf16") ? "plain" : "prepacked";
      one.requested["allocator"] = is_fast ? "glibc_raised" : "glibc";
      cases.push_back(one);
    }
  }
  return run_of(std::move(cases));
}

TEST(Answers, EnginesAreComparedWhateverElseTheyChoose) {
  const RunRecord run = engines_run(3);
  const std::vector<std::string> sentences = answers(analyze_run(run));
  for (const char* precision : {"fp32", "bf16"}) {
    EXPECT_THAT(sentences, testing::Contains(testing::AllOf(
                               testing::StartsWith(fmt::format("engine fast vs. pytorch (fast {})", precision)),
                               testing::HasSubstr("speed-up 2.000"), testing::EndsWith("; faster."))));
  }
  for (const char* engine : {"pytorch", "fast"}) {
    EXPECT_THAT(sentences,
                testing::Contains(testing::StartsWith(fmt::format("precision bf16 vs. fp32 ({} bf16)", engine))))
        << "though the layout of the weights follows the precision";
  }
  EXPECT_EQ(sentences.size(), 3U + 4U) << "three extremes, two pairs of engines, two of precisions";
}

TEST(Answers, PairsWithoutFiguresAreNamedOnceForEachReason) {
  const RunRecord run = engines_run(1);
  const std::vector<std::string> sentences = answers(analyze_run(run));
  const std::string why =
      "(2 pairs): undecided: a comparison needs at least 3 replicates of each case (--replicates 3; if time "
      "ran out, a longer --time-budget).";
  EXPECT_THAT(sentences, testing::Contains("engine fast vs. pytorch " + why));
  EXPECT_THAT(sentences, testing::Contains("precision bf16 vs. fp32 " + why));
  EXPECT_EQ(sentences.size(), 3U + 2U) << "three extremes, one sentence on engines, one on precisions";
}

TEST(Answers, EndsThatReadTheSameAreGivenOnce) {
  const RunRecord run = run_of({constant_case(0, "fp32", {0.01, 0.01, 0.01})});
  EXPECT_THAT(answers(analyze_run(run)).front(), testing::HasSubstr("(95 % interval 10.0 ms, between replicates)"));
}

}  // namespace
}  // namespace transformeter
