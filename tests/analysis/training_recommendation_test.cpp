// Answers come from cases that differ in one setting alone, and say what the figures do not tell.
#include "analysis/training_recommendation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "schema/divergence.h"
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
    CaseRecord& one = add_training_case(run_, settings, figures);
    // Of figures of losses the steps are known.
    if (figures.count("loss_convergence_rate") != 0) set_losses(one, std::vector<double>(40, 0.5));
    return one;
  }

  static void set_losses(CaseRecord& one, std::vector<double> losses) {
    one.replicates.at(0).series = {value_series("loss", std::move(losses))};
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
  EXPECT_THAT(one.statement, AllOf(HasSubstr("throughput_useful_tokens"), HasSubstr("bf16: 10240 token/s"),
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
  EXPECT_THAT(one.reason, HasSubstr("cannot be distinguished"));
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
  EXPECT_THAT(one.not_compared, Contains(HasSubstr("its own best learning rate")));
}

TEST_F(RecommendTraining, AnOptimizerThatDoesNotLearnIsNoAnswer) {
  add({{"optimizer", "sgd"}}, learning(-0.002));
  add({{"optimizer", "adamw"}}, learning(0.001, 2));
  const Recommendation one = about("optimizer");
  EXPECT_EQ(one.state, RecommendationState::kNonePasses);
  EXPECT_THAT(one.options, IsEmpty());
}

TEST_F(RecommendTraining, AnOptimizerWhoseLearningHasNoIntervalIsNoAnswer) {
  add({{"optimizer", "sgd"}}, learning(0.02, -1));
  add({{"optimizer", "adamw"}}, learning(0.01));
  const Recommendation one = about("optimizer");
  EXPECT_THAT(one.options, ElementsAre("adamw"));
  EXPECT_EQ(one.sets.at(0).options.at(0).why_not, "its loss_convergence_rate ÷ latency has no interval");
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
  add_note(add({{"learning_rate", 1e-3}}, skipping), "steps_skipped",
           "3 of 40 steps were skipped after the first successful one");
  const Recommendation one = about("learning_rate");
  EXPECT_EQ(one.state, RecommendationState::kSupported);
  EXPECT_THAT(one.options, ElementsAre("5e-05", "0.0001"));
  ASSERT_EQ(one.sets.at(0).options.size(), 5u);
  EXPECT_EQ(one.sets[0].options[0].why_not, "its loss may not have fallen");
  EXPECT_EQ(one.sets[0].options[1].why_not, "slower than 0.0001");
  EXPECT_EQ(one.sets[0].options[4].why_not, "3 of 40 steps were skipped after the first successful one");
  EXPECT_THAT(one.not_compared, Not(Contains(HasSubstr("range may continue"))));
}

// The loss scale of fp16 begins too high, and no note says so.
TEST_F(RecommendTraining, ARateWhoseFirstStepsWereSkippedLearns) {
  add({{"precision", "fp16"}, {"learning_rate", 5e-5}}, learning(0.004));
  KnownFigures skipping = learning(0.010);
  skipping["skipped_steps"] = {2, -1};
  add({{"precision", "fp16"}, {"learning_rate", 1e-4}}, skipping);
  EXPECT_THAT(about("learning_rate").options, ElementsAre("0.0001"));
}

TEST_F(RecommendTraining, ARangeDoesNotReachAcrossARateThatFails) {
  add({{"learning_rate", 1e-5}}, learning(0.0099));
  Json diverged = training_settings(8);
  diverged["learning_rate"] = 5e-5;
  add_failed_training_case(run_, diverged, Status::kFailed,
                           fmt::format("step 12: {}nan, the gradient norm is nan; a lower learning_rate, a longer "
                                       "warm-up or a smaller max_gradient_norm may help",
                                       kDivergedLoss));
  add({{"learning_rate", 1e-4}}, learning(0.010));
  const Recommendation one = about("learning_rate");
  EXPECT_THAT(one.options, ElementsAre("0.0001"));
  EXPECT_THAT(one.statement, HasSubstr(fmt::format("5e-05: failed: step 12: {}nan", kDivergedLoss)));
  EXPECT_THAT(one.sets.at(0).options.at(0).why_not, HasSubstr("a rate between it and"));
  EXPECT_THAT(one.not_compared, ElementsAre(HasSubstr("rates above 0.0001")));
}

// Both learn in their first 40 steps, the second faster; it then goes on for 360 more, in which nothing is left to
// learn.
TEST_F(RecommendTraining, LearningIsComparedOverAsManySteps) {
  const auto falling = [](double rate, int steps) {
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) losses.push_back(std::exp(-rate * std::min(i, 39)));
    return losses;
  };
  set_losses(add({{"learning_rate", 5e-5}}, learning(0.02)), falling(0.02, 40));
  KnownFigures slowed = learning(0.0001);
  slowed["loss"] = {std::exp(-0.03 * 39)};
  set_losses(add({{"learning_rate", 1e-4}}, slowed), falling(0.03, 400));
  const Recommendation one = about("learning_rate");
  EXPECT_THAT(one.options, ElementsAre("0.0001"));
  EXPECT_THAT(one.statement, HasSubstr("by loss_convergence_rate over the first 40 steps of each"));
  const ComparedSet& set = one.sets.at(0);
  EXPECT_EQ(set.first_steps, 40U);
  EXPECT_NEAR(set.options.at(0).figure.value, 0.02, 1e-9);
  EXPECT_NEAR(set.options.at(1).figure.value, 0.03, 1e-9);
  // Of the last 10 of 40 steps.
  double last = 0;
  for (int i = 30; i < 40; ++i) last += std::exp(-0.03 * i) / 10;
  const auto loss = std::find_if(set.options[1].beside.begin(), set.options[1].beside.end(),
                                 [](const EvidenceFigure& figure) { return figure.name == "loss"; });
  ASSERT_NE(loss, set.options[1].beside.end());
  EXPECT_NEAR(loss->value, last, 1e-12);
}

TEST_F(RecommendTraining, ACaseWhoseStepsAreNotKnownIsNotComparedByWhatItLearned) {
  add({{"learning_rate", 5e-5}}, learning(0.01));
  add({{"learning_rate", 1e-4}}, learning(0.02)).replicates.at(0).series.clear();
  const Recommendation one = about("learning_rate");
  ASSERT_EQ(one.sets.at(0).without_figure.size(), 1U);
  EXPECT_THAT(one.sets[0].without_figure[0].why, HasSubstr("its losses are not stored"));
}

TEST_F(RecommendTraining, ARateThatWasCutShortIsNotKnownToFail) {
  add({{"learning_rate", 1e-5}}, learning(0.0099));
  Json slow = training_settings(8);
  slow["learning_rate"] = 5e-5;
  add_failed_training_case(run_, slow, Status::kTimeout, "no response from the worker for 300 s during measure");
  add({{"learning_rate", 1e-4}}, learning(0.010));
  slow["learning_rate"] = 1e-3;
  add_failed_training_case(run_, slow, Status::kCrashed, "signal 11");
  const Recommendation one = about("learning_rate");
  EXPECT_THAT(one.options, ElementsAre("1e-05", "0.0001"));
  EXPECT_THAT(one.not_compared,
              AllOf(Contains(HasSubstr("rates above 0.0001")), Contains(HasSubstr("5e-05: unknown whether it learns")),
                    Contains(HasSubstr("0.001: unknown whether it learns: crashed"))));
}

TEST_F(RecommendTraining, ACaseInDoubtMakesTheAnswerTentative) {
  add({{"precision", "fp32"}}, step_figures(0.2, 8));
  CaseRecord& doubtful = add({{"precision", "bf16"}}, step_figures(0.1, 8));
  doubtful.summary->document = "level\t1\nreason\tdrift\tby 3 %\n" + doubtful.summary->document.substr(8);
  const Recommendation one = about("precision");
  EXPECT_EQ(one.state, RecommendationState::kTentative);
  EXPECT_THAT(one.options, ElementsAre("bf16"));
  EXPECT_THAT(one.reason, HasSubstr("bf16 (20261122-101112-aaaaaa c02) is doubtful (drift)"));
  EXPECT_THAT(one.statement, HasSubstr("c02, doubtful (drift))"));
}

TEST_F(RecommendTraining, NoRateThatLearnsIsNoAnswer) {
  add({{"learning_rate", 1e-5}}, learning(0.001, 2));
  add({{"learning_rate", 1e-4}}, learning(-0.010));
  const Recommendation one = about("learning_rate");
  EXPECT_EQ(one.state, RecommendationState::kNonePasses);
  EXPECT_THAT(one.options, IsEmpty());
}

RunRecord run_of_another_machine() {
  RunRecord other = training_run();
  other.id = "20261122-101112-bbbbbb";
  other.host = {{"fingerprint", "machine-b"}, {"cpu", {{"model", "Fake CPU 1"}}}};
  return other;
}

TEST_F(RecommendTraining, MachinesAreHardwareAndNothingElse) {
  RunRecord other = run_of_another_machine();
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

TEST_F(RecommendTraining, MachinesWithPricesOfTheirOwnAreCompared) {
  RunRecord other = run_of_another_machine();
  add({{"price_per_hour", 2}}, step_figures(0.2, 8));
  Json settings = training_settings(8);
  settings["price_per_hour"] = 5;
  add_training_case(other, settings, step_figures(0.1, 8));
  const auto workloads = recommend_training({analyze_run(run_), analyze_run(other)});
  const Recommendation& hardware = workloads.at(0).recommendations.at(0);
  EXPECT_EQ(hardware.state, RecommendationState::kSupported);
  EXPECT_THAT(hardware.options, ElementsAre("cpu (Fake CPU 1)"));
}

// They are not compared because of their batch sizes alone.
TEST_F(RecommendTraining, APriceIsNothingInWhichCasesDiffer) {
  add({{"precision", "fp32"}, {"price_per_hour", 2}}, step_figures(0.2, 8));
  add({{"precision", "bf16"}, {"price_per_hour", 5}, {"batch_size", 16}}, step_figures(0.1, 16));
  EXPECT_THAT(about("precision").reason, AllOf(HasSubstr("also differ in batch_size"), Not(HasSubstr("price"))));
}

TEST_F(RecommendTraining, OfACaseMeasuredTwiceTheFirstRunCounts) {
  RunRecord older = training_run();
  older.id = "20261121-101112-bbbbbb";
  add(Json::object(), step_figures(0.2, 8));
  add_training_case(older, training_settings(8), step_figures(0.1, 8));
  const auto workloads = recommend_training({analyze_run(run_), analyze_run(older)});
  EXPECT_THAT(workloads.at(0).cases, ElementsAre("20261122-101112-aaaaaa c01"));
  EXPECT_THAT(workloads[0].left_out, ElementsAre(HasSubstr("duplicate of 20261122-101112-aaaaaa c01")));
}

TEST_F(RecommendTraining, MachinesAreComparedWhateverTheirThreads) {
  RunRecord other = run_of_another_machine();
  add({{"threads", 2}}, step_figures(0.2, 8));
  add({{"threads", 4}}, step_figures(0.15, 8));
  Json settings = training_settings(8);
  settings["threads"] = 16;
  add_training_case(other, settings, step_figures(0.1, 8));
  const auto workloads = recommend_training({analyze_run(run_), analyze_run(other)});
  const Recommendation& hardware = workloads.at(0).recommendations.at(0);
  EXPECT_THAT(hardware.options, ElementsAre("cpu (Fake CPU 1)"));
  ASSERT_EQ(hardware.sets.at(0).options.size(), 2U) << "of 2 and 4 threads the faster";
  EXPECT_THAT(hardware.statement, AllOf(HasSubstr("threads 16 (20261122-101112-bbbbbb c01)"),
                                        HasSubstr("threads 4 (20261122-101112-aaaaaa c02)")));
  EXPECT_THAT(hardware.not_compared, Contains(HasSubstr("same number of threads")));
}

TEST_F(RecommendTraining, AGoodMeasurementIsNotHiddenByALaterFailure) {
  RunRecord latest = training_run();
  latest.id = "20261123-101112-bbbbbb";
  add_failed_training_case(latest, training_settings(8), Status::kTimeout, "no response from the worker");
  add(Json::object(), step_figures(0.2, 8));
  const auto workloads = recommend_training({analyze_run(latest), analyze_run(run_)});
  EXPECT_THAT(workloads.at(0).cases, ElementsAre("20261122-101112-aaaaaa c01"));
  EXPECT_THAT(workloads[0].left_out, ElementsAre(AllOf(HasSubstr("20261123-101112-bbbbbb c01: timeout"),
                                                       HasSubstr("duplicate of 20261122-101112-aaaaaa c01"))));
}

Json workload_of(const char* data_sha256) {
  return {{"model", {{"preset", "distilbert-base"}, {"weights", "seeded"}}}, {"data", {{"sha256", data_sha256}}}};
}

TEST_F(RecommendTraining, ContentMakesTheWorkloadAndNamesDoNot) {
  add({{"precision", "fp32"}, {"data", "a/train.tsv"}}, step_figures(0.2, 8)).effective["workload"] = workload_of("1");
  add({{"precision", "bf16"}, {"data", "b/train.tsv"}}, step_figures(0.1, 8)).effective["workload"] = workload_of("1");
  Json failed = training_settings(8);
  failed["data"] = "a/train.tsv";
  failed["precision"] = "fp16";
  add_failed_training_case(run_, failed, Status::kOutOfMemory, "the limit is 8 GiB");
  RunRecord edited = training_run();
  edited.id = "20261123-101112-bbbbbb";
  Json settings = training_settings(8);
  settings["data"] = "a/train.tsv";
  add_training_case(edited, settings, step_figures(0.01, 8)).effective["workload"] = workload_of("2");
  const auto workloads = recommend_training({analyze_run(run_), analyze_run(edited)});
  ASSERT_EQ(workloads.size(), 2U) << "the file was edited between the runs";
  EXPECT_NE(workloads[0].content, workloads[1].content);
  const Recommendation& precision = workloads[0].recommendations.at(1);
  ASSERT_EQ(precision.sets.size(), 1U);
  EXPECT_EQ(precision.sets[0].options.size(), 2U);
  EXPECT_EQ(precision.sets[0].without_figure.size(), 1U)
      << "what its run knows of the names holds for a case that failed";
}

TEST_F(RecommendTraining, WorkloadsAreAnsweredApart) {
  add(Json::object(), step_figures(0.2, 8));
  add({{"data", "other/dev.tsv"}}, step_figures(0.2, 8));
  EXPECT_EQ(recommend_training({analyze_run(run_)}).size(), 2u);
  EXPECT_TRUE(recommend_training({}).empty());
}

}  // namespace
}  // namespace transformeter
