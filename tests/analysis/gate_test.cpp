// Conditions as they are typed, and what they say of cases whose figures are known.
#include "analysis/gate.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Gate, ReadsMetricRelationAndThreshold) {
  const Gate change = parse_gate(" latency.p99 > +3% ");
  EXPECT_EQ(change.text, "latency.p99 > +3%");
  EXPECT_EQ(change.metric, "latency");
  EXPECT_EQ(change.statistic, "p99");
  EXPECT_EQ(change.relation, GateRelation::kAbove);
  EXPECT_EQ(change.subject, GateSubject::kChange);
  EXPECT_DOUBLE_EQ(change.threshold, 0.03);
  EXPECT_EQ(parse_gate("latency:p99.9>20ms").statistic, "p99.9");
  EXPECT_DOUBLE_EQ(parse_gate("latency>20ms").threshold, 0.02);
  EXPECT_EQ(parse_gate("latency>20ms").subject, GateSubject::kValue);
  EXPECT_DOUBLE_EQ(parse_gate("throughput_samples < -5 %").threshold, -0.05);
  EXPECT_DOUBLE_EQ(parse_gate("peak_rss > 2GiB").threshold, 2.0 * (1 << 30));
  EXPECT_EQ(parse_gate("accuracy < -0.01").subject, GateSubject::kDifference);
  EXPECT_DOUBLE_EQ(parse_gate("accuracy < 90%").threshold, 0.9);
  EXPECT_DOUBLE_EQ(parse_gate("latency > -5ms").threshold, -0.005);
  EXPECT_DOUBLE_EQ(parse_gate("latency > 5us").threshold, 5e-6);
  EXPECT_DOUBLE_EQ(parse_gate("throughput_samples < 500 sample/s").threshold, 500);
}

// What is said of a condition, and the mark below it.
std::pair<std::string, std::string> fault_of(const std::string& text) {
  try {
    parse_gate(text);
  } catch (const GateFault& fault) {
    return {fault.what(), fault.marked};
  }
  return {};
}

TEST(Gate, MarksWhatIsWrong) {
  EXPECT_THAT(fault_of("latncy.median > +3%").first, HasSubstr("did you mean 'latency'?"));
  EXPECT_EQ(fault_of("latncy.median > +3%").second, "^~~~~~");
  EXPECT_THAT(fault_of("latency +3%").first, HasSubstr("no '<' or '>'"));
  EXPECT_EQ(fault_of("latency > 3%").second, "          ^~");
  EXPECT_THAT(fault_of("latency > 3%").first, HasSubstr("without a sign"));
  for (const char* text :
       {"", ">", "> 3", "latency >", "latency > +", "latency > +%", "latency > 1e", "latency > 3 miles", "latency > +3",
        "peak_rss > 5", "peak_rss > 5ms", "latency > --3%", "latency > nan", "latency > > 3", "latency >= +3%",
        "latency. > +3%", "latency.medain > +3%", "latency.p50 > +3%"}) {
    EXPECT_THAT(fault_of(text).first, StartsWith("the condition")) << text;
    EXPECT_THAT(fault_of(text).second, HasSubstr("^")) << text;
  }
}

TEST(Gate, TheWorstAnswerIsThatOfAll) {
  EXPECT_EQ(worst_of({}), GateAnswer::kPass);
  EXPECT_EQ(worst_of({GateAnswer::kPass, GateAnswer::kUndecided}), GateAnswer::kUndecided);
  EXPECT_EQ(worst_of({GateAnswer::kUndecided, GateAnswer::kFail, GateAnswer::kPass}), GateAnswer::kFail);
}

// Cases of processes with the given times.
class GateAnswers : public ::testing::Test {
 protected:
  void measure(const std::vector<double>& before_s, const std::vector<double>& after_s) {
    records_[0] = measured_case(0, requested_of(8, 128, "fp32"), before_s);
    records_[1] = measured_case(0, requested_of(8, 128, "fp32"), after_s);
    pair_ = {"b8", analyzed(records_[0], "b8 before"), analyzed(records_[1], "b8 after")};
  }

  static AnalyzedCase analyzed(const CaseRecord& record, const std::string& label) {
    return {&record, analyze_case(record), label};
  }

  // With the interval of other texts.
  void set_score(const std::string& name, double before, double after) {
    const auto set = [&](AnalyzedCase& one, double value) {
      for (MetricRow& row : one.analysis.metrics) {
        if (row.name != name) continue;
        row.value = value;
        row.low = value / 2;
        row.high = 1;
        row.interval = IntervalKind::kSingleWindow;
      }
    };
    set(*pair_.before, before);
    set(*pair_.after, after);
  }

  GateResult answer(const std::string& condition) const {
    const bool has_both = pair_.before && pair_.after;
    return judge(parse_gate(condition), pair_,
                 has_both ? compare_times(*pair_.before, *pair_.after) : SpeedComparison{});
  }
  GateAnswer word(const std::string& condition) const { return answer(condition).answer; }

  CaseRecord records_[2];
  CasePair pair_;
};

TEST_F(GateAnswers, FollowFromTheWholeInterval) {
  measure({0.2, 0.2004, 0.1996}, {0.21, 0.2104, 0.2096});  // + 5 %
  EXPECT_EQ(word("latency.median > +3%"), GateAnswer::kFail);
  EXPECT_EQ(word("latency.median > +8%"), GateAnswer::kPass);
  EXPECT_EQ(word("latency.median > +5%"), GateAnswer::kUndecided);
  EXPECT_EQ(word("throughput_samples < -3%"), GateAnswer::kFail);
  EXPECT_EQ(word("throughput_samples < -8%"), GateAnswer::kPass);
  EXPECT_EQ(word("latency.median > 250ms"), GateAnswer::kPass);
  EXPECT_EQ(word("latency.median > 200ms"), GateAnswer::kFail);
  EXPECT_EQ(word("latency.median > +5ms"), GateAnswer::kFail);
  EXPECT_EQ(word("latency.median > +20ms"), GateAnswer::kPass);
  EXPECT_EQ(word("peak_rss > 2GiB"), GateAnswer::kPass);
  EXPECT_EQ(word("peak_allocated > +1%"), GateAnswer::kPass);
  EXPECT_EQ(word("latency.p99 > +3%"), GateAnswer::kUndecided);
  EXPECT_THAT(answer("latency.median > +3%").why, StartsWith("+5"));
}

TEST_F(GateAnswers, NeedAnIntervalOverProcesses) {
  measure({0.2}, {0.4});
  EXPECT_EQ(word("latency.median > +3%"), GateAnswer::kUndecided);
  EXPECT_THAT(answer("latency.median > +3%").why, HasSubstr("--replicates 3"));
  for (const char* condition : {"latency.median > +5ms", "latency.median > 1ms", "throughput_samples < -1",
                                "throughput_samples < -3%", "peak_allocated > +1%", "peak_allocated > 5MiB"}) {
    EXPECT_EQ(word(condition), GateAnswer::kUndecided) << condition;
  }
  EXPECT_EQ(word("accuracy < -0.01"), GateAnswer::kUndecided) << "there is none";
}

TEST_F(GateAnswers, TakeScoresOfTheSameTextsAsTheyAre) {
  measure({0.2}, {0.2});
  set_score("accuracy", 0.9, 0.88);
  EXPECT_EQ(word("accuracy < -0.01"), GateAnswer::kFail);
  EXPECT_EQ(word("accuracy < -0.05"), GateAnswer::kPass);
  EXPECT_EQ(word("accuracy < 85%"), GateAnswer::kPass);
}

TEST_F(GateAnswers, AreUndecidedForADoubtfulCaseButForItsMemory) {
  measure({0.2, 0.2004, 0.1996}, {0.21, 0.2104, 0.2096});
  pair_.after->analysis.verdict.level = VerdictLevel::kDoubtful;
  pair_.after->analysis.verdict.reasons = {{"preempted", ""}};
  for (const char* condition :
       {"latency.median > +3%", "latency.median > +5ms", "latency.median > 1ms", "throughput_samples < -3%"}) {
    EXPECT_EQ(word(condition), GateAnswer::kUndecided) << condition;
    EXPECT_THAT(answer(condition).why, HasSubstr("preempted")) << condition;
  }
  EXPECT_EQ(word("peak_rss > 2GiB"), GateAnswer::kPass);
  pair_.after->analysis.verdict.level = VerdictLevel::kInvalid;
  EXPECT_EQ(word("peak_rss > 2GiB"), GateAnswer::kFail) << "it was valid before";
}

TEST_F(GateAnswers, HoldTheThroughputsOwnChange) {
  measure({0.2, 0.2004, 0.1996}, {0.2, 0.2004, 0.1996});
  for (MetricRow& row : pair_.after->analysis.metrics) {
    if (row.name != "throughput_samples" || !row.value) continue;
    row.value = *row.value / 2;  // stalls that the median does not see
    row.low = *row.low / 2;
    row.high = *row.high / 2;
  }
  EXPECT_EQ(word("throughput_samples < -40%"), GateAnswer::kFail);
  EXPECT_EQ(word("latency.median > +3%"), GateAnswer::kPass);
}

TEST_F(GateAnswers, AreUndecidedForMemoryOfSeveralWorkers) {
  measure({0.2, 0.2004, 0.1996}, {0.2, 0.2004, 0.1996});
  EXPECT_EQ(word("peak_rss > +3%"), GateAnswer::kPass);
  for (ReplicateRecord& replicate : records_[1].replicates) replicate.ranks = 2;
  EXPECT_EQ(word("peak_rss > +3%"), GateAnswer::kUndecided);
  EXPECT_THAT(answer("peak_rss > +3%").why, HasSubstr("single worker"));
}

TEST_F(GateAnswers, AreUndecidedForOtherWork) {
  measure({0.2, 0.2004, 0.1996}, {0.21, 0.2104, 0.2096});
  records_[1].workload_key = "other";
  for (const char* condition : {"latency.median > +3%", "latency.median > +5ms", "peak_rss > +3%", "flops > +3%"}) {
    EXPECT_EQ(word(condition), GateAnswer::kUndecided) << condition;
  }
}

TEST_F(GateAnswers, OfZeroBefore) {
  measure({0.2}, {0.2});
  set_score("divergence", 0, 0.1);
  EXPECT_EQ(word("divergence > +10%"), GateAnswer::kFail);
  EXPECT_EQ(word("divergence > 0.2"), GateAnswer::kPass);
}

TEST(GateDecided, ByTheTimesOfALiveComparison) {
  CaseRecord one;
  const auto decided = [&](const std::string& condition, const Quotient& speed_up) {
    return is_decided({parse_gate(condition)}, one, speed_up);
  };
  EXPECT_TRUE(decided("latency > +3%", {1.0, 0.98, 1.02})) << "none of it is so slow, whatever else it is";
  EXPECT_TRUE(decided("latency.median > +3%", {0.9, 0.88, 0.92})) << "all of it is slower";
  EXPECT_FALSE(decided("latency > +3%", {0.97, 0.95, 0.99}));
  for (const char* other : {"peak_rss > +3%", "latency > 3ms", "latency.p99 > +3%", "cycle_time > +3%"}) {
    EXPECT_FALSE(decided(other, {1.0, 0.98, 1.02})) << "no condition on the headline: " << other;
    EXPECT_TRUE(decided(other, {1.0, 0.995, 1.005})) << "the comparison has an answer: " << other;
  }
  one.effective["cycle_batches"] = 4;
  EXPECT_TRUE(decided("cycle_time > +3%", {1.0, 0.98, 1.02}));
  EXPECT_FALSE(decided("latency > +3%", {1.0, 0.98, 1.02})) << "the headline is another";
}

TEST_F(GateAnswers, OfACaseThatFailedIsFail) {
  measure({0.2, 0.2, 0.2}, {0.2, 0.2, 0.2});
  records_[1].status = Status::kCrashed;
  records_[1].status_reason = "the worker died by SIGSEGV";
  EXPECT_EQ(word("latency > +3%"), GateAnswer::kFail);
  EXPECT_THAT(answer("latency > +3%").why, HasSubstr("SIGSEGV"));
  records_[0].status = Status::kCrashed;
  EXPECT_EQ(word("latency > +3%"), GateAnswer::kUndecided) << "it was no better before";
  records_[1].status = Status::kOk;
  EXPECT_EQ(word("latency > +3%"), GateAnswer::kUndecided) << "nothing to compare with";
  EXPECT_EQ(word("peak_rss > 2GiB"), GateAnswer::kPass) << "a value needs no side before";
  records_[0].status = Status::kOk;
  records_[1].status.reset();
  EXPECT_EQ(word("latency > +3%"), GateAnswer::kUndecided) << "not measured is no regression";
  records_[1].status = Status::kInterrupted;
  EXPECT_EQ(word("latency > +3%"), GateAnswer::kUndecided);
  pair_.after.reset();
  EXPECT_EQ(answer("latency > +3%").why, "there is no such case after");
  EXPECT_EQ(answer("latency > +3%").answer, GateAnswer::kUndecided);
}

}  // namespace
}  // namespace transformeter
