// The self-test's judgements on runs made by hand: right answers pass, wrong ones do not.
#include "doctor/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/result_records.h"

namespace transformeter {
namespace {

// 400 samples around 10 ms: constant, spread evenly, or slower all the time.
CaseRecord case_of(int batch_size, double spread, double drift) {
  CaseRecord one = measured_case(batch_size - 1, requested_of(batch_size, 16, "fp32"), {0.01});
  Series& latency = one.replicates[0].series[0];
  double start_s = 0;
  latency.value.clear();
  latency.start_s.clear();
  for (int i = 0; i < 400; ++i) {
    const double wave = ((i * 7 + 3) % 11 - 5) / 5.0;  // -1 to 1, without trend
    latency.value.push_back(0.01 * (1 + spread * wave) * (1 + drift * i));
    latency.start_s.push_back(start_s);
    start_s += latency.value.back();
  }
  latency.index.assign(400, 0);
  latency.flags.assign(400, 0);
  for (auto* sizes : {&latency.examples, &latency.useful_tokens, &latency.processed_tokens}) {
    sizes->assign(400, batch_size);
  }
  return one;
}

RunRecord right_run() {
  RunRecord run;
  run.cases = {case_of(1, 0, 0), case_of(2, 0.1, 0), case_of(3, 0.01, 0.005), case_of(4, 0, 0)};
  run.cases[3].status = Status::kCrashed;
  return run;
}

TEST(SelfTest, KnownAnswersPass) {
  for (const Check& one : judge_known_answers(right_run())) {
    EXPECT_EQ(one.level, CheckLevel::kOk) << one.what << ": " << one.state;
  }
}

TEST(SelfTest, WrongAnswersAreProblems) {
  RunRecord run = right_run();
  run.cases[0].replicates[0].series[0].value.assign(400, 0.01001);  // a thousandth off
  for (double& value : run.cases[1].replicates[0].series[0].value) value *= 1.05;
  run.cases[2] = case_of(3, 0.01, 0);
  run.cases[3].status = Status::kOk;
  for (const Check& one : judge_known_answers(run)) {
    EXPECT_EQ(one.level, CheckLevel::kProblem) << one.what << ": " << one.state;
    EXPECT_FALSE(one.advice.empty());
  }
}

TEST(SelfTest, MissingCasesAreProblems) {
  for (const Check& one : judge_known_answers(RunRecord())) EXPECT_EQ(one.level, CheckLevel::kProblem);
}

TEST(SelfTest, AnAnswerThatNobodyGaveIsNotCalledWrong) {
  RunRecord run = right_run();
  run.cases[1].status = Status::kFailed;
  run.cases[1].status_reason = "no space left on device";
  const Check failed = judge_known_answers(run)[1];
  EXPECT_EQ(failed.level, CheckLevel::kProblem);
  EXPECT_EQ(failed.state, "no space left on device");
  EXPECT_THAT(failed.advice, testing::Not(testing::HasSubstr("wrong")));
}

TEST(SelfTest, TheHarnessMayCostAMicrosecond) {
  EXPECT_EQ(judge_harness(Seconds(1e-6)).level, CheckLevel::kOk);
  const Check costly = judge_harness(Seconds(2e-6));
  EXPECT_EQ(costly.level, CheckLevel::kLimited);
  EXPECT_THAT(costly.state, testing::HasSubstr("0.1 % of a 2.00 ms sample")) << "0.1 % of 2 ms is 2 us";
}

TEST(SelfTest, AClockThatStandsStillIsAProblem) {
  EXPECT_EQ(judge_timer(measure_timer(FakeClock())).level, CheckLevel::kProblem);
  EXPECT_EQ(judge_timer(measure_timer(SystemClock())).level, CheckLevel::kOk);
}

}  // namespace
}  // namespace transformeter
