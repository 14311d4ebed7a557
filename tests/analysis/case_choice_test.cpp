// Choices among cases whose figures are known.
#include "analysis/case_choice.h"

#include <gmock/gmock.h>

#include <deque>
#include <utility>

#include "analysis/next_measurement.h"
#include "base/error.h"
#include "metrics/case_summary.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Choices : public testing::Test {
 protected:
  Choices() { run_.id = "20261128-101112-aaaaaa"; }

  // A process for each time that a batch takes; `memory` in MiB.
  CaseRecord& add(const Json& requested, const std::vector<double>& levels_s, double memory_mib = 512) {
    CaseRecord& record = records_.emplace_back(measured_case(static_cast<int>(records_.size()), requested, levels_s));
    for (ReplicateRecord& replicate : record.replicates) {
      for (Series& series : replicate.series) {
        if (series.name == "peak_rss") series.value = {memory_mib * 1024 * 1024};
      }
    }
    return record;
  }

  // One process, in eight slices over more than the 36 s that an interval between them needs.
  void add_sliced(const Json& requested, double level_s) {
    std::vector<double> first;
    std::vector<double> start;
    std::vector<double> round;
    Series& latency = add(requested, {level_s}).replicates.front().series.front();
    for (std::size_t i = 0; i < 8; ++i) {
      first.push_back(static_cast<double>(i * 7));
      start.push_back(20 * static_cast<double>(i));
      round.push_back(static_cast<double>(i));
      latency.flags[i * 7] |= kSampleWarmup;
    }
    for (const auto& [name, values] :
         {std::pair("slice_first_sample", first), {"slice_start", start}, {"slice_round", round}}) {
      Series series;
      series.name = name;
      series.value = values;
      records_.back().replicates.front().series.push_back(std::move(series));
    }
  }

  // So many of 500 texts.
  static void set_correct(CaseRecord& record, int correct) {
    record.effective["model"]["trained"] = true;
    for (ReplicateRecord& replicate : record.replicates) {
      replicate.series.push_back(scalar_series("correct", correct));
      replicate.series.push_back(scalar_series("evaluated", 500));
    }
  }

  CaseChoice choice(const ChoiceOptions& options, const Price* price = nullptr) {
    analyzed_.clear();
    candidates_.clear();
    for (const CaseRecord& record : records_) {
      const std::string label = record.requested.at("precision").get<std::string>() + " b" +
                                std::to_string(record.requested.at("batch_size").get<int>());
      analyzed_.push_back({&record, analysis_of(record), label});
      candidates_.push_back({&analyzed_.back(), &run_, price, latency_p95_level(record)});
    }
    return choose_cases(candidates_, options).front();
  }

  static std::string label(const CaseChoice& made, std::size_t place) { return made.cases[place].candidate.one->label; }

  RunRecord run_;
  std::deque<CaseRecord> records_;
  std::deque<AnalyzedCase> analyzed_;
  std::vector<ChoiceCandidate> candidates_;
};

TEST_F(Choices, AreDecidedWhereOneIsFarFaster) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.041, 0.0405});
  add(requested_of(8, 128, "bf16"), {0.020, 0.0201, 0.0202});
  const CaseChoice made = choice({});
  EXPECT_EQ(label(made, 0), "bf16 b8");
  EXPECT_EQ(made.state, ChoiceState::kDecided);
  EXPECT_GT(made.confidence.value(), 0.99);
  EXPECT_FALSE(made.covers_one_process);
  EXPECT_EQ(made.runner_up, 1u);
  EXPECT_FALSE(made.next);
  EXPECT_EQ(choice({.objective = Objective::kLatency}).state, ChoiceState::kDecided);
}

TEST_F(Choices, AreUndecidedWhereProcessesDifferByMore) {
  add(requested_of(8, 128, "fp32"), {0.0200, 0.0210, 0.0220});
  add(requested_of(8, 128, "bf16"), {0.0205, 0.0195, 0.0215});
  const CaseChoice made = choice({});
  EXPECT_EQ(label(made, 0), "bf16 b8");
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_GT(made.confidence.value(), 0.5);
  EXPECT_LT(made.confidence.value(), 0.9);
  ASSERT_TRUE(made.next);
  EXPECT_THAT(made.next->cases, ElementsAre(0, 1));
  // (1.645 + 1.282)² · 2 · s² ÷ d², s = 5.1 %, by the larger side of the intervals, and d = 2.4 %.
  EXPECT_NEAR(static_cast<double>(made.next->replicates.value()), 78, 4);
}

TEST_F(Choices, OfOneProcessHaveNoConfidence) {
  add(requested_of(8, 128, "fp32"), {0.040});
  add(requested_of(8, 128, "bf16"), {0.020});
  const CaseChoice made = choice({});
  EXPECT_EQ(label(made, 0), "bf16 b8");
  EXPECT_FALSE(made.confidence);
  EXPECT_THAT(made.why_no_confidence, HasSubstr("single_window"));
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_EQ(made.next.value().replicates, kReplicatesForUnknownSpread);
}

// Slices of one process say nothing of another, however far apart the cases are.
TEST_F(Choices, OfSlicesOfOneProcessAreUndecided) {
  add_sliced(requested_of(8, 128, "fp32"), 0.040);
  add_sliced(requested_of(8, 128, "bf16"), 0.020);
  const CaseChoice made = choice({});
  EXPECT_EQ(label(made, 0), "bf16 b8");
  EXPECT_GT(made.confidence.value(), 0.99);
  EXPECT_TRUE(made.covers_one_process);
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_EQ(made.next.value().replicates, kReplicatesForUnknownSpread);
  EXPECT_THAT(made.next.value().why, HasSubstr("how much processes differ"));
}

// Two that may be the best show how far processes lie apart; one far behind need not be measured again.
TEST_F(Choices, TakeTheSpreadBetweenProcessesForCasesFarBehind) {
  add(requested_of(8, 128, "fp32"), {0.0300, 0.0303, 0.0302});
  add(requested_of(8, 128, "bf16"), {0.0200, 0.0202, 0.0201});
  add_sliced(requested_of(8, 128, "int8"), 0.040);
  add(requested_of(8, 128, "fp16"), {0.045});
  const CaseChoice made = choice({});
  EXPECT_EQ(label(made, 0), "bf16 b8");
  EXPECT_EQ(made.state, ChoiceState::kDecided);
  EXPECT_FALSE(made.covers_one_process);
  EXPECT_EQ(made.borrowed_spreads, 2u);
}

TEST_F(Choices, NeedTheProcessesOfARival) {
  add(requested_of(8, 128, "fp32"), {0.0300, 0.0303, 0.0302});
  add(requested_of(8, 128, "bf16"), {0.0200, 0.0204, 0.0202});
  add_sliced(requested_of(8, 128, "int8"), 0.0204);
  add_sliced(requested_of(8, 128, "fp16"), 0.040);
  const CaseChoice made = choice({});
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_TRUE(made.covers_one_process);
  EXPECT_EQ(made.borrowed_spreads, 2u);
  ASSERT_TRUE(made.next);
  ASSERT_THAT(made.next->cases, ElementsAre(0, 1));
  EXPECT_EQ(label(made, 1), "int8 b8");
}

TEST_F(Choices, AValueOfOneProcessMayBeTheBestWithinTheSpreadOfOthers) {
  add(requested_of(8, 128, "bf16"), {0.0200, 0.0204, 0.0202});
  add(requested_of(8, 128, "fp32"), {0.0300, 0.0303, 0.0302});
  add(requested_of(8, 128, "int8"), {0.02021});
  const CaseChoice made = choice({});
  EXPECT_EQ(label(made, 0), "bf16 b8");
  EXPECT_EQ(label(made, 1), "int8 b8");
  EXPECT_NEAR(made.cases[1].win_share.value(), 0.49, 0.05);
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_THAT(made.next.value().cases, ElementsAre(0, 1));
}

// Where processes are all alike their spread is known to be none.
TEST_F(Choices, OfProcessesThatAreAllAlikeNeedNoMore) {
  add(requested_of(8, 128, "bf16"), {0.020, 0.020, 0.020});
  add(requested_of(8, 128, "fp32"), {0.030, 0.030, 0.030});
  add(requested_of(8, 128, "int8"), {0.040});
  const CaseChoice made = choice({});
  EXPECT_EQ(made.state, ChoiceState::kDecided);
  EXPECT_EQ(made.borrowed_spreads, 1u);
}

// Until then the two first are measured alone, so that few of many cases are.
TEST_F(Choices, OfManyCasesOfOneProcessAreBetweenTheFirstTwo) {
  for (const char* precision : {"fp32", "bf16", "int8", "fp16"}) {
    add(requested_of(8, 128, precision), {0.02 + 0.002 * static_cast<double>(records_.size())});
  }
  EXPECT_THAT(choice({}).next.value().cases, ElementsAre(0, 1));
}

TEST_F(Choices, OfScoresAreNotTested) {
  set_correct(add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402}), 451);
  set_correct(add(requested_of(8, 128, "bf16"), {0.020, 0.0201, 0.0202}), 450);
  const CaseChoice made = choice({.objective = Objective::kAccuracy});
  EXPECT_EQ(label(made, 0), "fp32 b8");
  EXPECT_FALSE(made.confidence);
  EXPECT_THAT(made.why_no_confidence, HasSubstr("of these texts only"));
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_EQ(made.runner_up, 1u);
  EXPECT_FALSE(made.next.value().replicates) << "replicates score the same texts again";
  const ChoiceOptions within{.objective = Objective::kAccuracy, .limits = {{LimitKind::kLatencyP95, 0.030}}};
  EXPECT_EQ(label(choice(within), 0), "bf16 b8");
}

TEST_F(Choices, WithinALimitOnAScoreAreDecidedByTheOtherFigure) {
  set_correct(add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402}), 451);
  set_correct(add(requested_of(8, 128, "bf16"), {0.020, 0.0201, 0.0202}), 450);
  const CaseChoice both = choice({.limits = {{LimitKind::kAccuracy, 0.9}}});
  EXPECT_EQ(both.state, ChoiceState::kDecided);
  EXPECT_FALSE(both.cases[0].limits[0].level) << "held against the value";
  const CaseChoice one = choice({.limits = {{LimitKind::kAccuracy, 0.901}}});
  EXPECT_EQ(label(one, 0), "fp32 b8");
  EXPECT_EQ(one.state, ChoiceState::kOnlyOne);
}

// One process has a value of its memory, and no interval.
TEST_F(Choices, ThatKeepALimitByAValueAloneAreUndecided) {
  add(requested_of(8, 128, "fp32"), {0.040}, 300);
  const CaseChoice made = choice({.limits = {{LimitKind::kMemory, 1e9}}});
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_EQ(made.next.value().replicates, kReplicatesForUnknownSpread);
}

TEST_F(Choices, OfMemoryAreTheSmallest) {
  add(requested_of(8, 128, "fp32"), {0.02, 0.0201, 0.0202}, 800);
  add(requested_of(1, 128, "fp32"), {0.01, 0.0101, 0.0102}, 300);
  const CaseChoice made = choice({.objective = Objective::kMemory});
  EXPECT_EQ(label(made, 0), "fp32 b1");
  EXPECT_EQ(made.state, ChoiceState::kDecided);
}

TEST_F(Choices, KeepLimits) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402}, 900);
  add(requested_of(1, 128, "fp32"), {0.010, 0.0101, 0.0102}, 300);
  EXPECT_EQ(label(choice({}), 0), "fp32 b8") << "200 samples per second rather than 100";
  const CaseChoice within = choice({.limits = {{LimitKind::kLatencyP95, 0.020}}});
  EXPECT_EQ(label(within, 0), "fp32 b1");
  EXPECT_EQ(within.state, ChoiceState::kOnlyOne);
  EXPECT_THAT(within.cases[1].why_not, HasSubstr("its latency_p95 of 40"));
  ASSERT_EQ(within.exclusions.size(), 1u);
  EXPECT_EQ(within.exclusions[0].broken, 1u);
  EXPECT_EQ(within.exclusions[0].nearest, 1u);
  const CaseChoice none = choice({.limits = {{LimitKind::kLatencyP95, 0.020}, {LimitKind::kMemory, 1e8}}});
  EXPECT_EQ(none.state, ChoiceState::kNone);
  EXPECT_EQ(none.exclusions.size(), 2u);
  EXPECT_FALSE(none.confidence);
}

TEST_F(Choices, WithoutAFigureOfALimitAreNone) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402});
  const CaseChoice made = choice({.limits = {{LimitKind::kAccuracy, 0.9}}});
  EXPECT_EQ(made.state, ChoiceState::kNone);
  EXPECT_THAT(made.cases[0].why_not, HasSubstr("no accuracy"));
  EXPECT_EQ(made.exclusions.at(0).unknown, 1u);
  EXPECT_FALSE(made.exclusions.at(0).nearest);
}

// Of twelve samples each there is no p95, and the faster case may keep the limit after all.
TEST_F(Choices, AreUndecidedWhereABetterCaseLacksAFigureOfALimit) {
  add(requested_of(1, 128, "fp32"), {0.010, 0.0101, 0.0102});
  for (ReplicateRecord& replicate : add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402}).replicates) {
    replicate = steady_replicate(replicate.index, 0.040 + 0.0001 * replicate.index, 8, 12);
  }
  const CaseChoice made = choice({.limits = {{LimitKind::kLatencyP95, 0.050}}});
  EXPECT_EQ(label(made, 0), "fp32 b1");
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_THAT(made.unknown_rivals, ElementsAre(1));
  EXPECT_THAT(made.next.value().cases, ElementsAre(0, 1));
  EXPECT_EQ(made.next->replicates, 8u) << "of 12 samples, for 90";
  const CaseChoice above = choice({.limits = {{LimitKind::kLatencyP95, 0.030}}});
  EXPECT_EQ(above.state, ChoiceState::kOnlyOne) << "the median of the other is above the limit already";
  EXPECT_THAT(above.unknown_rivals, IsEmpty());
  records_.pop_front();
  const CaseChoice none = choice({.limits = {{LimitKind::kLatencyP95, 0.050}}});
  EXPECT_EQ(none.state, ChoiceState::kNone);
  EXPECT_THAT(none.next.value().cases, ElementsAre(0)) << "more samples may tell";
}

// 36 samples of three processes, and a fourth that crashed: 8 good ones have 96.
TEST_F(Choices, DoNotCountOnSamplesOfProcessesThatCrashed) {
  CaseRecord& one = add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402});
  for (ReplicateRecord& replicate : one.replicates) {
    replicate = steady_replicate(replicate.index, 0.040 + 0.0001 * replicate.index, 8, 12);
  }
  ReplicateRecord& crashed = one.replicates.emplace_back();
  crashed.index = 3;
  crashed.status = Status::kCrashed;
  const CaseChoice made = choice({.limits = {{LimitKind::kLatencyP95, 0.050}}});
  EXPECT_EQ(made.next.value().replicates, 8u);
}

// By its value it misses the limit by less than its processes differ.
TEST_F(Choices, ThatNearlyKeepALimitAreNoneAndNamed) {
  add(requested_of(8, 128, "fp32"), {0.039, 0.040, 0.041});
  add(requested_of(8, 128, "bf16"), {0.080, 0.081, 0.082});
  const CaseChoice made = choice({.limits = {{LimitKind::kLatencyP95, 0.0405}}});
  EXPECT_EQ(made.state, ChoiceState::kNone);
  EXPECT_FALSE(made.cases[0].can_be_chosen());
  ASSERT_TRUE(made.next);
  ASSERT_THAT(made.next->cases, ElementsAre(0));
  EXPECT_EQ(label(made, 0), "fp32 b8");
  EXPECT_EQ(made.next->replicates, kReplicatesForUnknownSpread);
  EXPECT_THAT(made.next->why, HasSubstr("may keep its limits"));
  EXPECT_FALSE(choice({.limits = {{LimitKind::kLatencyP95, 0.005}}}).next) << "far above it";
}

// Memory of one process is drawn with what the processes of the other show.
TEST_F(Choices, DrawLimitsOfOneProcessWithTheSpreadOfOthers) {
  CaseRecord& first = add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402}, 500);
  for (ReplicateRecord& replicate : first.replicates) {
    for (Series& series : replicate.series) {
      if (series.name == "peak_rss") series.value[0] *= 1 + 0.02 * replicate.index;
    }
  }
  add(requested_of(8, 128, "bf16"), {0.020}, 495);
  const CaseChoice made = choice({.limits = {{LimitKind::kMemory, 500.0 * 1024 * 1024}}});
  EXPECT_EQ(label(made, 0), "bf16 b8");
  EXPECT_FALSE(made.cases[0].limits[0].level) << "of one process";
  ASSERT_TRUE(made.cases[0].limits[0].drawn);
  EXPECT_GT(made.cases[0].limits[0].drawn->log_error, 0);
  EXPECT_LT(made.confidence.value(), 0.95) << "another process may be above the limit";
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
}

TEST_F(Choices, AreUndecidedWhereABetterCaseHasNoScore) {
  set_correct(add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402}), 451);
  set_correct(add(requested_of(1, 128, "fp32"), {0.020, 0.0201, 0.0202}), 455);
  add(requested_of(8, 128, "bf16"), {0.020, 0.0201, 0.0202});
  const CaseChoice made = choice({.limits = {{LimitKind::kAccuracy, 0.9}}});
  EXPECT_EQ(label(made, 0), "fp32 b8");
  EXPECT_EQ(made.runner_up, 1u);
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_THAT(made.unknown_rivals, ElementsAre(2));
  ASSERT_TRUE(made.next);
  EXPECT_FALSE(made.next->replicates) << "more processes do not score it";
  EXPECT_THAT(made.next->why, HasSubstr("bf16 b8"));
}

// The p95 of its processes lies around the limit: in some draws the slower case is the best one that keeps it.
TEST_F(Choices, NearALimitAreLessSure) {
  add(requested_of(8, 128, "fp32"), {0.0480, 0.0490, 0.0500});
  add(requested_of(8, 128, "bf16"), {0.0700, 0.0701, 0.0702});
  const ChoiceOptions near{.limits = {{LimitKind::kLatencyP95, 0.0505}}};
  const CaseChoice made = choice(near);
  EXPECT_EQ(label(made, 0), "fp32 b8");
  EXPECT_LT(made.confidence.value(), 0.95);
  EXPECT_EQ(made.state, ChoiceState::kUndecided);
  EXPECT_GT(made.next.value().replicates.value(), 3u);
  EXPECT_EQ(choice({.limits = {{LimitKind::kLatencyP95, 0.069}}}).state, ChoiceState::kOnlyOne);
}

// The difference is plain; the limit is not, and why says so.
TEST_F(Choices, MeasureNextWhatNeedsMost) {
  add(requested_of(8, 128, "fp32"), {0.0300, 0.0301, 0.0302});
  add(requested_of(8, 128, "bf16"), {0.0190, 0.0200, 0.0212});
  const CaseChoice near = choice({.limits = {{LimitKind::kLatencyP95, 0.0217}}});
  ASSERT_EQ(near.state, ChoiceState::kUndecided);
  EXPECT_THAT(near.next.value().why, HasSubstr("limit on latency_p95 bf16 b8 is"));
}

TEST_F(Choices, ThatFailedAreNeverTaken) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402});
  add(requested_of(8, 128, "bf16"), {0.020, 0.0201, 0.0202}).status = Status::kCrashed;
  const CaseChoice made = choice({});
  EXPECT_EQ(label(made, 0), "fp32 b8");
  EXPECT_EQ(made.cases[1].why_not, "crashed");
  EXPECT_EQ(made.state, ChoiceState::kOnlyOne);
  EXPECT_FALSE(made.confidence);
}

TEST_F(Choices, TellTheFrontAndWhatItLeavesOut) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402}, 900);  // the most samples per second
  add(requested_of(1, 128, "fp32"), {0.010, 0.0101, 0.0102}, 300);  // the lowest latency and memory
  add(requested_of(4, 128, "fp32"), {0.050, 0.0501, 0.0502}, 950);  // beaten by the first
  const CaseChoice made = choice({});
  EXPECT_TRUE(made.cases[0].is_on_front);
  EXPECT_TRUE(made.cases[1].is_on_front);
  EXPECT_FALSE(made.cases[2].is_on_front);
  EXPECT_THAT(made.front_objectives, ElementsAre(Objective::kThroughput, Objective::kLatency, Objective::kMemory));
  EXPECT_THAT(made.not_on_front, testing::Contains(HasSubstr("cost: no price")));
}

TEST_F(Choices, OfCostFollowThePrice) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402});
  add(requested_of(8, 128, "bf16"), {0.020, 0.0201, 0.0202});
  const Price price{"", 3.6, "USD", "", ""};
  const CaseChoice made = choice({.objective = Objective::kCost}, &price);
  EXPECT_EQ(label(made, 0), "bf16 b8");
  EXPECT_EQ(made.cost_unit, CostUnit::kMillionTokens);
  // A thousandth of a USD a second, 8 · 100 useful tokens in 20.1 ms.
  EXPECT_NEAR(*made.cases[0].figure(Objective::kCost).value, 1e6 / (800 / 0.0201) * 0.001, 0.001);
  EXPECT_EQ(made.state, ChoiceState::kDecided);
}

// The lower end of its rate is 0, so that its cost has no upper end; the spread is known all the same.
TEST_F(Choices, OfCostKnowTheSpreadOfARateThatMayBeZero) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402});
  add(requested_of(8, 128, "bf16"), {0.005, 0.1, 0.01});
  const Price price{"", 3.6, "USD", "", ""};
  const CaseChoice made = choice({.objective = Objective::kCost}, &price);
  EXPECT_EQ(label(made, 0), "bf16 b8");
  EXPECT_FALSE(made.cases[0].figure(Objective::kCost).high);
  EXPECT_LT(made.confidence.value(), 0.9);
  EXPECT_NEAR(made.confidence.value(), choice({}).confidence.value(), 0.03) << "as by throughput, which it follows";
}

TEST_F(Choices, AreTheSameEachTime) {
  add(requested_of(8, 128, "fp32"), {0.0200, 0.0210, 0.0220});
  add(requested_of(8, 128, "bf16"), {0.0205, 0.0195, 0.0215});
  EXPECT_EQ(choice({}).confidence, choice({}).confidence);
}

class Effects : public Choices {
 protected:
  // One pair of cases is compared, and its answer is open.
  void expect_none_of_one_pair() {
    const SettingEffects effects = choice({}).effects;
    EXPECT_EQ(effects.pairs, 1u);
    EXPECT_THAT(effects.told_apart, IsEmpty());
  }
};

TEST_F(Effects, OfABatchSizeAreSamplesPerSecondWithTheLatency) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402});
  add(requested_of(1, 128, "fp32"), {0.010, 0.0101, 0.0102});
  const SettingEffects effects = choice({}).effects;
  EXPECT_EQ(effects.pairs, 1u);
  ASSERT_EQ(effects.told_apart.size(), 1u);
  const SettingEffect& one = effects.told_apart[0];
  EXPECT_EQ(one.setting, "batch_size");
  EXPECT_EQ(one.better, "8");
  EXPECT_EQ(one.other, "1");
  EXPECT_NEAR(one.gain.value, 2.015, 0.01);
  EXPECT_LT(one.gain.low, one.gain.value);
  EXPECT_GT(one.gain.low, 1.9);
  ASSERT_EQ(one.beside.size(), 1u);
  EXPECT_NEAR(*one.beside[0].better.value, 0.0401, 0.0005);
}

TEST_F(Effects, NeedPairsThatDifferInOneSetting) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402});
  add(requested_of(1, 128, "bf16"), {0.010, 0.0101, 0.0102});
  EXPECT_EQ(choice({}).effects.pairs, 0u);
}

TEST_F(Effects, OfPairsThatAreNotToldApartAreNone) {
  add(requested_of(8, 128, "fp32"), {0.0200, 0.0210, 0.0220});
  add(requested_of(8, 128, "bf16"), {0.0205, 0.0195, 0.0215});
  expect_none_of_one_pair();
}

TEST_F(Effects, OfPrecisionsAreSpeeds) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402});
  add(requested_of(8, 128, "bf16"), {0.020, 0.0201, 0.0202});
  const SettingEffects effects = choice({}).effects;
  ASSERT_EQ(effects.told_apart.size(), 1u);
  EXPECT_EQ(effects.told_apart[0].better, "bf16");
  EXPECT_EQ(effects.told_apart[0].quantity, "speed");
  EXPECT_NEAR(effects.told_apart[0].gain.value, 1.995, 0.01);
  EXPECT_EQ(effects.told_apart[0].compared_by, "replicates");
}

TEST_F(Effects, OfBatchSizesInSlicesOfOneProcessAreNone) {
  add_sliced(requested_of(8, 128, "fp32"), 0.040);
  add_sliced(requested_of(1, 128, "fp32"), 0.010);
  expect_none_of_one_pair();
}

TEST_F(Effects, SayOfHowManyPairsTheyAreTheLargest) {
  add(requested_of(8, 128, "fp32"), {0.040, 0.0401, 0.0402});
  add(requested_of(4, 128, "fp32"), {0.030, 0.0301, 0.0302});
  add(requested_of(1, 128, "fp32"), {0.010, 0.0101, 0.0102});
  const SettingEffects effects = choice({}).effects;
  EXPECT_EQ(effects.pairs, 3u);
  ASSERT_EQ(effects.told_apart.size(), 2u);
  EXPECT_EQ(effects.told_apart[0].better, "8");
  EXPECT_EQ(effects.told_apart[0].other, "1");
  EXPECT_EQ(effects.told_apart[0].pairs, 2u) << "against 4 and against 1";
}

TEST_F(Effects, OfOneProcessAreNone) {
  add(requested_of(8, 128, "fp32"), {0.040});
  add(requested_of(1, 128, "fp32"), {0.010});
  EXPECT_THAT(choice({}).effects.told_apart, IsEmpty());
}

}  // namespace
}  // namespace transformeter
