// Slices of the scenarios with the real worker: a parked worker goes on where it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/shell.h"
#include "metrics/case_metrics.h"

namespace transformeter {
namespace {

class RealSlices : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }

  CaseRecord measured(const std::string& flags) const {
    const ShellResult result = shell("$T run " + flags + " --precision fp32 --slices 3 --samples 6 --store r.db");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load().cases.at(0);
  }

  static std::vector<double> values(const CaseRecord& one, const char* series) {
    const Series* found = find_series(one.replicates.at(0).series, series);
    return found == nullptr ? std::vector<double>{} : found->value;
  }

  static std::size_t measured_count(const CaseRecord& one) {
    const Series* latency = find_series(one.replicates.at(0).series, "latency");
    return static_cast<std::size_t>(std::count_if(latency->flags.begin(), latency->flags.end(),
                                                  [](std::uint32_t flags) { return (flags & kSampleWarmup) == 0; }));
  }
};

TEST_F(RealSlices, OfBatchesWarmUpAndMeasureInTurn) {
  const CaseRecord one = measured("--model bert-tiny --batch-size 2 --sequence-length 16");
  EXPECT_EQ(measured_count(one), 6u);
  EXPECT_EQ(values(one, "slice_round"), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(values(one, "own_cpu_time").size(), 3u);
  EXPECT_EQ(values(one, "first_forward").size(), 1u);
  EXPECT_EQ(values(one, "divergence").size(), 1u);
  const Series* latency = find_series(one.replicates[0].series, "latency");
  EXPECT_TRUE(std::is_sorted(latency->start_s.begin(), latency->start_s.end())) << "starts are of one clock";
}

TEST_F(RealSlices, OfNaturalLengthsHoldWholeCycles) {
  const CaseRecord one = measured("--model bert-tiny --batch-size 4 --sequence-length natural --limit 8");
  EXPECT_EQ(one.effective.at("cycle_batches"), 2);
  EXPECT_EQ(measured_count(one), 6u) << "a cycle of two batches in each slice";
}

// 20 texts: seven batches of 3, the last of 2; three of 8, the last of 4; one of 20.
TEST_F(RealSlices, CountedCyclesMeasureTheSameTextsAtEveryBatchSize) {
  constexpr std::int64_t kCycles = 5, kTexts = 20;
  const ShellResult result = shell(
      "$T run --model bert-tiny --scenario batch,offline --batch-size 3,8,20 --sequence-length natural --limit 20 "
      "--precision fp32 --batching padded --slices 3 --cycles 5 --store r.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 6u);
  std::set<std::int64_t> tokens;
  for (const CaseRecord& one : run.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    const std::int64_t batch_size = one.requested.at("batch_size");
    const std::int64_t batches = (kTexts + batch_size - 1) / batch_size;
    const bool is_offline = one.requested.at("scenario") == "offline";
    EXPECT_EQ(one.effective.at("cycle_batches"), batches);
    EXPECT_EQ(measured_count(one), static_cast<std::size_t>(is_offline ? kCycles : kCycles * batches));
    const Series* latency = find_series(one.replicates.at(0).series, "latency");
    std::int64_t examples = 0, useful = 0;
    for (std::size_t i = 0; i < latency->value.size(); ++i) {
      if ((latency->flags.at(i) & kSampleWarmup) != 0) continue;
      examples += latency->examples.at(i);
      useful += latency->useful_tokens.at(i);
    }
    EXPECT_EQ(examples, kCycles * kTexts);
    tokens.insert(useful);
  }
  EXPECT_EQ(tokens.size(), 1u) << "the same texts, as often";
}

TEST_F(RealSlices, OfACaseWithoutCyclesAreAsManyAsPlanned) {
  const ShellResult result = shell(
      "$T run --model bert-tiny --batch-size 4 --sequence-length 16,natural --limit 8 --precision fp32 --slices 3 "
      "--cycles 1 --time-limit 4s --store r.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 2u);
  EXPECT_FALSE(run.cases[0].requested.contains("cycles"));
  EXPECT_GE(run.cases[0].effective.at("slices"), 2) << "no single window";
  EXPECT_EQ(run.cases[1].effective.at("slices"), 1);
  EXPECT_EQ(measured_count(run.cases[1]), 2u) << "one cycle of two batches";
}

TEST_F(RealSlices, OfRequestsHaveTheirTokens) {
  const CaseRecord one =
      measured("--model llama-test --task causal_lm --scenario generate --prompt-length 8 --new-tokens 3");
  EXPECT_EQ(measured_count(one), 6u);
  EXPECT_EQ(values(one, "decode_step").size(), 2 * values(one, "latency").size());
}

TEST_F(RealSlices, OfATrainingGoOnWithTheSameWeights) {
  const std::string flags =
      "--model bert-tiny --scenario train --batch-size 4 --sequence-length 16 --dropout off "
      "--learning-rate 1e-3 --loader-threads 0";
  const CaseRecord sliced = measured(flags);
  EXPECT_EQ(values(sliced, "divergence").size(), 1u) << "compared when all steps are taken";
  ASSERT_EQ(shell("$T run " + flags + " --precision fp32 --samples 20 --store w.db").exit_code, 0);
  const std::vector<double> whole = values(load("w.db").cases.at(0), "loss");
  const std::vector<double> losses = values(sliced, "loss");
  ASSERT_GT(whole.size(), losses.size());
  for (std::size_t step = 0; step < losses.size(); ++step) EXPECT_NEAR(losses[step], whole[step], 1e-4) << step;
}

}  // namespace
}  // namespace transformeter
