// Answers come from cases that differ in one setting alone, and say what the figures do not tell.
#include "analysis/training_recommendation.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "support/training_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RecommendTraining : public ::testing::Test {
 protected:
  CaseRecord& add(const Json& changes, const KnownFigures& figures) {
    Json settings = training_settings(8);
    settings.update(changes);
    return add_training_case(run_, settings, figures);
  }

  // Of the only workload.
  Recommendation about(std::string_view subject) {
    const auto workloads = recommend_training({analyze_run(run_)});
    EXPECT_EQ(workloads.size(), 1u);
    for (const Recommendation& one : workloads.at(0).recommendations) {
      if (one.subject == subject) return one;
    }
    ADD_FAILURE() << "nothing about " << subject;
    return {};
  }

  static KnownFigures learning(double convergence_rate, double half_width = 0.1, double step_s = 0.1) {
    KnownFigures figures = step_figures(step_s, 8);
    figures["loss_convergence_rate"] = {convergence_rate, half_width};
    return figures;
  }

  RunRecord run_ = training_run();
};

TEST_F(RecommendTraining, TheFasterPrecisionIsSupportedByReplicates) {
  add({{"precision", "fp32"}}, step_figures(0.2, 8));
  add({{"precision", "bf16"}}, step_figures(0.1, 8));
  const Recommendation one = about("precision");
  EXPECT_EQ(one.state, RecommendationState::kSupported);
  EXPECT_THAT(one.options, ElementsAre("bf16"));
  // 8 examples of 128 tokens in 0.1 s.
  EXPECT_THAT(one.statement, AllOf(HasSubstr("throughput_useful_tokens"), HasSubstr("bf16: 10240 per s"),
                                   HasSubstr("20261122-101112-aaaaaa c02")));
  EXPECT_EQ(one.agreeing, 1u);
  ASSERT_EQ(one.sets.size(), 1u);
  EXPECT_THAT(one.sets[0].options[1].why_not, HasSubstr("50.0 % of the best"));
}

TEST_F(RecommendTraining, IntervalsWithinProcessesAreTentative) {
  for (const auto& [precision, step] : {std::pair("fp32", 0.2), {"bf16", 0.1}}) {
    KnownFigures figures = step_figures(step, 8);
    for (auto& [name, figure] : figures) figure.replicates = 1;
    add({{"precision", precision}}, figures);
  }
  const Recommendation one = about("precision");
  EXPECT_EQ(one.state, RecommendationState::kTentative);
  EXPECT_THAT(one.options, ElementsAre("bf16"));
  EXPECT_THAT(one.reason, HasSubstr("--replicates 3"));
}

TEST_F(RecommendTraining, OverlappingIntervalsAreNotToldApart) {
  add({{"precision", "fp32"}}, step_figures(0.1, 8, 128, 0, 0.05));
  add({{"precision", "bf16"}}, step_figures(0.105, 8, 128, 0, 0.05));
  add({{"precision", "fp16"}}, step_figures(0.3, 8, 128, 0, 0.05));
  const Recommendation one = about("precision");
  EXPECT_EQ(one.state, RecommendationState::kNotDistinguishable);
  EXPECT_THAT(one.options, ElementsAre("fp32", "bf16"));
  EXPECT_THAT(one.reason, HasSubstr("not told apart"));
}

TEST_F(RecommendTraining, WithoutIntervalsNothingIsToldApart) {
  add({{"precision", "fp32"}}, step_figures(0.2, 8, 128, 0, -1));
  add({{"precision", "bf16"}}, step_figures(0.1, 8, 128, 0, -1));
  EXPECT_EQ(about("precision").state, RecommendationState::kNotDistinguishable);
}

TEST_F(RecommendTraining, CasesThatDifferInTwoThingsAreNotCompared) {
  add({{"precision", "fp32"}, {"batch_size", 8}}, step_figures(0.2, 8));
  add({{"precision", "bf16"}, {"batch_size", 16}}, step_figures(0.1, 16));
  for (const auto& [subject, other] : {std::pair("precision", "batch_size"), {"batch_size", "precision"}}) {
    const Recommendation one = about(subject);
    EXPECT_EQ(one.state, RecommendationState::kNotCompared);
    EXPECT_THAT(one.options, IsEmpty());
    EXPECT_THAT(one.reason, AllOf(HasSubstr("were measured"), HasSubstr(other)));
  }
  EXPECT_EQ(about("optimizer").reason, "only adamw was measured");
}

TEST_F(RecommendTraining, AnAnswerThatOtherSettingsTurnRoundDepends) {
  add({{"precision", "fp32"}}, step_figures(0.2, 8));
  add({{"precision", "bf16"}}, step_figures(0.1, 8));
  add({{"precision", "fp32"}, {"sequence_length", 16}}, step_figures(0.2, 8));
  add({{"precision", "bf16"}, {"sequence_length", 16}}, step_figures(0.4, 8));
  const Recommendation one = about("precision");
  EXPECT_EQ(one.state, RecommendationState::kDepends);
  EXPECT_THAT(one.options, ElementsAre("bf16"));
  EXPECT_THAT(one.reason, AllOf(HasSubstr("fp32 with"), HasSubstr("sequence_length 16")));
  EXPECT_EQ(one.agreeing, 1u);
  EXPECT_EQ(one.sets.size(), 2u);
}

TEST_F(RecommendTraining, TheBatchIsTheSmallestNearTheBest) {
  for (const auto& [batch, rate] : {std::pair(8, 50.0), {16, 90.0}, {32, 98.0}, {64, 100.0}}) {
    add({{"batch_size", batch}}, step_figures(batch / rate, batch));
  }
  Json too_large = training_settings(128);
  add_failed_training_case(run_, too_large, Status::kOutOfMemory, "the limit is 8 GiB");
  const Recommendation one = about("batch_size");
  EXPECT_EQ(one.state, RecommendationState::kSupported);
  EXPECT_THAT(one.options, ElementsAre("32"));
  EXPECT_THAT(one.statement, HasSubstr("128: out_of_memory: the limit is 8 GiB"));
}

TEST_F(RecommendTraining, OptimizersAreComparedByWhatTheyLearnInASecond) {
  add({{"optimizer", "sgd"}}, learning(0.001, 0.1, 0.05));   // 0.02 a second
  add({{"optimizer", "adamw"}}, learning(0.010, 0.1, 0.1));  // 0.1 a second
  const Recommendation one = about("optimizer");
  EXPECT_EQ(one.state, RecommendationState::kSupported);
  EXPECT_THAT(one.options, ElementsAre("adamw"));
  EXPECT_EQ(one.sets.at(0).criterion, "loss_convergence_rate ÷ latency");
  EXPECT_NEAR(one.sets[0].options[0].figure.value, 0.1, 1e-12);
  EXPECT_NEAR(one.sets[0].options[0].figure.interval->low, 0.009 / 0.1005, 1e-12);
  EXPECT_THAT(one.not_compared, Contains(HasSubstr("learning rate of its own")));
}

TEST_F(RecommendTraining, AnOptimizerThatDoesNotLearnIsNoAnswer) {
  add({{"optimizer", "sgd"}}, learning(-0.002));
  add({{"optimizer", "adamw"}}, learning(0.001, 2));
  const Recommendation one = about("optimizer");
  EXPECT_EQ(one.state, RecommendationState::kNonePasses);
  EXPECT_THAT(one.options, IsEmpty());
}

TEST_F(RecommendTraining, WithoutConvergenceOptimizersAreComparedBySpeedAndItIsSaid) {
  add({{"optimizer", "sgd"}}, step_figures(0.05, 8));
  add({{"optimizer", "adamw"}}, step_figures(0.1, 8));
  const Recommendation one = about("optimizer");
  EXPECT_THAT(one.options, ElementsAre("sgd"));
  EXPECT_THAT(one.not_compared, Contains(HasSubstr("how far the loss falls")));
}

TEST_F(RecommendTraining, LearningRatesThatLearnMakeARange) {
  add({{"learning_rate", 1e-6}}, learning(0.0001, 2));  // from below 0 on
  add({{"learning_rate", 1e-5}}, learning(0.004));      // clearly slower than the best
  add({{"learning_rate", 5e-5}}, learning(0.0095));
  add({{"learning_rate", 1e-4}}, learning(0.010));
  KnownFigures skipping = learning(0.0098);
  skipping["skipped_steps"] = {3, -1};
  add({{"learning_rate", 1e-3}}, skipping);
  const Recommendation one = about("learning_rate");
  EXPECT_EQ(one.state, RecommendationState::kSupported);
  EXPECT_THAT(one.options, ElementsAre("5e-05", "0.0001"));
  ASSERT_EQ(one.sets.at(0).options.size(), 5u);
  EXPECT_EQ(one.sets[0].options[0].why_not, "its loss did not certainly fall");
  EXPECT_EQ(one.sets[0].options[1].why_not, "slower than 0.0001");
  EXPECT_EQ(one.sets[0].options[4].why_not, "steps were skipped");
  EXPECT_THAT(one.not_compared, Not(Contains(HasSubstr("range may go on"))));
}

TEST_F(RecommendTraining, ARangeDoesNotReachAcrossARateThatFails) {
  add({{"learning_rate", 1e-5}}, learning(0.0099));
  Json diverged = training_settings(8);
  diverged["learning_rate"] = 5e-5;
  add_failed_training_case(run_, diverged, Status::kFailed, "the loss is NaN at step 12");
  add({{"learning_rate", 1e-4}}, learning(0.010));
  const Recommendation one = about("learning_rate");
  EXPECT_THAT(one.options, ElementsAre("0.0001"));
  EXPECT_THAT(one.statement, HasSubstr("5e-05: failed: the loss is NaN at step 12"));
  EXPECT_THAT(one.sets.at(0).options.at(0).why_not, HasSubstr("a rate fails"));
  EXPECT_THAT(one.not_compared, ElementsAre(HasSubstr("rates above 0.0001")));
}

TEST_F(RecommendTraining, NoRateThatLearnsIsNoAnswer) {
  add({{"learning_rate", 1e-5}}, learning(0.001, 2));
  add({{"learning_rate", 1e-4}}, learning(-0.010));
  const Recommendation one = about("learning_rate");
  EXPECT_EQ(one.state, RecommendationState::kNonePasses);
  EXPECT_THAT(one.options, IsEmpty());
}

TEST_F(RecommendTraining, MachinesAreHardwareAndNothingElse) {
  RunRecord other = training_run();
  other.id = "20261122-101112-bbbbbb";
  other.host = {{"fingerprint", "machine-b"}, {"cpu", {{"model", "Fake CPU 1"}}}};
  add({{"precision", "fp32"}}, step_figures(0.2, 8));
  Json settings = training_settings(8);
  add_training_case(other, settings, step_figures(0.1, 8));
  settings["precision"] = "bf16";
  add_training_case(other, settings, step_figures(0.05, 8));
  const auto workloads = recommend_training({analyze_run(run_), analyze_run(other)});
  ASSERT_EQ(workloads.size(), 1u);
  const Recommendation& hardware = workloads[0].recommendations[0];
  EXPECT_EQ(hardware.subject, "hardware");
  EXPECT_THAT(hardware.options, ElementsAre("cpu (Fake CPU 1)"));
  const Recommendation& precision = workloads[0].recommendations[1];
  ASSERT_EQ(precision.sets.size(), 1u) << "bf16 there and fp32 here differ in the machine too";
  EXPECT_EQ(precision.sets[0].options.size(), 2u);
}

TEST_F(RecommendTraining, OfACaseMeasuredTwiceTheFirstRunCounts) {
  RunRecord older = training_run();
  older.id = "20261121-101112-bbbbbb";
  add(Json::object(), step_figures(0.2, 8));
  add_training_case(older, training_settings(8), step_figures(0.1, 8));
  const auto workloads = recommend_training({analyze_run(run_), analyze_run(older)});
  EXPECT_THAT(workloads.at(0).cases, ElementsAre("20261122-101112-aaaaaa c01"));
  EXPECT_THAT(workloads[0].left_out, ElementsAre(HasSubstr("the same case as 20261122-101112-aaaaaa c01")));
}

TEST_F(RecommendTraining, WorkloadsAreAnsweredApart) {
  add(Json::object(), step_figures(0.2, 8));
  add({{"data", "other/dev.tsv"}}, step_figures(0.2, 8));
  EXPECT_EQ(recommend_training({analyze_run(run_)}).size(), 2u);
  EXPECT_TRUE(recommend_training({}).empty());
}

}  // namespace
}  // namespace transformeter
