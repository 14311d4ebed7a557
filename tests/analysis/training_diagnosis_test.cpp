// Patterns built into made-up cases are found with their figures, and are not where they were not built in.
#include "analysis/training_diagnosis.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "support/training_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<double> kBatches{1, 2, 4, 8, 16, 32, 64};

// Keeps what a diagnosis borrows.
class TrainingDiagnosisTest : public ::testing::Test {
 protected:
  const TrainingDiagnosis& diagnose() {
    analyzed_ = analyze_run(run_);
    diagnosis_ = diagnose_training(analyzed_);
    return diagnosis_;
  }

  // Of the only series.
  TrainingFinding found(std::string_view pattern) {
    diagnose();
    EXPECT_EQ(diagnosis_.series.size(), 1u);
    for (const TrainingFinding& finding : diagnosis_.series.at(0).findings) {
      if (finding.pattern == pattern) return finding;
    }
    ADD_FAILURE() << "no finding " << pattern;
    return {};
  }

  void add_line(double overhead_s, double marginal_s) {
    for (const double batch : kBatches) {
      add_training_case(run_, training_settings(batch), step_figures(overhead_s + marginal_s * batch, batch));
    }
  }

  CaseRecord& add(double batch, const KnownFigures& figures) {
    return add_training_case(run_, training_settings(batch), figures);
  }

  RunRecord run_ = training_run();
  AnalyzedRun analyzed_;
  TrainingDiagnosis diagnosis_;
};

const EvidenceFigure* figure_of(const TrainingFinding& finding, std::string_view name) {
  const auto found = std::find_if(finding.figures.begin(), finding.figures.end(),
                                  [&](const EvidenceFigure& figure) { return figure.name == name; });
  return found == finding.figures.end() ? nullptr : &*found;
}

// fixed overhead

TEST_F(TrainingDiagnosisTest, TheOverheadThatTimesWereMadeFromComesBack) {
  add_line(0.1, 0.01);
  const TrainingFinding finding = found("fixed_overhead");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  const EvidenceFigure* overhead = figure_of(finding, "overhead");
  ASSERT_TRUE(overhead);
  EXPECT_NEAR(overhead->value, 0.1, 1e-9);
  EXPECT_LT(overhead->interval->low, 0.1);
  EXPECT_GT(overhead->interval->high, 0.1);
  EXPECT_NEAR(figure_of(finding, "marginal_time")->value, 0.01 / 128, 1e-12) << "for each token";
  // 0.1 of 0.11 s at batch 1 and of 0.74 s at batch 64.
  EXPECT_NEAR(figure_of(finding, "overhead_share")->value, 0.1 / 0.11, 1e-9);
  EXPECT_THAT(finding.statement,
              AllOf(HasSubstr("100 ms"), HasSubstr("90.9 % at batch 1"), HasSubstr("13.5 % at batch 64")));
  ASSERT_EQ(finding.advice.size(), 1u);
  EXPECT_NEAR(finding.advice[0].gain->factor, 0.11 / 0.74 * 64, 1e-6);
  EXPECT_THAT(finding.advice[0].gain->formula, AllOf(HasSubstr("110 ms"), HasSubstr("740 ms")));
  EXPECT_EQ(finding.cases.size(), kBatches.size());
}

TEST_F(TrainingDiagnosisTest, TimesInProportionHaveNoOverhead) {
  add_line(0, 0.01);
  const TrainingFinding finding = found("fixed_overhead");
  EXPECT_EQ(finding.state, FindingState::kAbsent) << finding.statement << finding.reason;
  EXPECT_TRUE(finding.advice.empty());
}

TEST_F(TrainingDiagnosisTest, ALineNeedsThreeBatchSizes) {
  for (const double batch : {1, 64}) add(batch, step_figures(0.1 + 0.01 * batch, batch));
  const TrainingFinding finding = found("fixed_overhead");
  EXPECT_EQ(finding.state, FindingState::kNotDetermined);
  EXPECT_THAT(finding.reason, HasSubstr("needs 3 batch sizes; 2 can be used"));
}

TEST_F(TrainingDiagnosisTest, WideIntervalsLeaveTheOverheadOpen) {
  for (const double batch : {1, 2, 4}) add(batch, step_figures(0.002 + 0.01 * batch, batch, 128, 0, 0.3));
  const TrainingFinding finding = found("fixed_overhead");
  EXPECT_EQ(finding.state, FindingState::kNotDetermined);
  EXPECT_THAT(finding.reason, HasSubstr("its interval includes 10.0 %"));
}

TEST_F(TrainingDiagnosisTest, TimesOnNoLineAreNotFitted) {
  for (const double batch : kBatches) add(batch, step_figures(0.01 * std::sqrt(batch), batch));
  const TrainingFinding finding = found("fixed_overhead");
  EXPECT_EQ(finding.state, FindingState::kNotDetermined);
  EXPECT_THAT(finding.reason, HasSubstr("not linear in the batch size"));
}

TEST_F(TrainingDiagnosisTest, AFallBeyondTheBestBatchDoesNotHideTheOverheadBeforeIt) {
  add_line(0.1, 0.01);
  run_.cases.back().summary = summary_of(step_figures(3 * 0.74, 64));
  const TrainingFinding finding = found("fixed_overhead");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  EXPECT_NEAR(figure_of(finding, "overhead")->value, 0.1, 1e-9);
  EXPECT_THAT(finding.statement, HasSubstr("over batch 1 to 32"));
}

// Natural lengths: steps grow faster than batches because of padding.
TEST_F(TrainingDiagnosisTest, StepsOfNaturalLengthsAreFittedByProcessedTokens) {
  for (const double batch : kBatches) {
    const double length = 40 + 8 * std::log2(batch);
    add(batch, step_figures(0.1 + 0.0002 * batch * length, batch, length, 1 - 30 / length));
  }
  const TrainingFinding finding = found("fixed_overhead");
  EXPECT_EQ(finding.state, FindingState::kPresent) << finding.reason;
  EXPECT_NEAR(figure_of(finding, "overhead")->value, 0.1, 1e-9);
  EXPECT_NEAR(figure_of(finding, "marginal_time")->value, 0.0002, 1e-12);
}

// A fifth of the larger batch is padding: its useful tokens grow less than its examples.
TEST_F(TrainingDiagnosisTest, TheGainOfALargerBatchIsMeasuredInExamples) {
  for (const auto& [batch, padding] : {std::pair(1.0, 0.0), {2.0, 0.1}, {4.0, 0.2}}) {
    add(batch, step_figures(0.1 + 0.01 * batch, batch, 128, padding, 0));
  }
  const TrainingFinding finding = found("fixed_overhead");
  // 4 examples in 0.14 s, 1 in 0.11 s.
  EXPECT_NEAR(finding.advice.at(0).gain->factor, 0.11 / 0.14 * 4, 1e-9);
  EXPECT_THAT(finding.advice[0].text,
              HasSubstr("3.14 times the examples per second by the fit, 3.14 times as measured"));
}

// saturation and decline

TEST_F(TrainingDiagnosisTest, SaturationIsTheSmallestBatchNearTheBest) {
  // 50, 90, 98, 100 per s: 90 is 10 % off, 98 is 2 % off.
  for (const auto& [batch, rate] : {std::pair(8.0, 50.0), {16.0, 90.0}, {32.0, 98.0}, {64.0, 100.0}}) {
    add(batch, step_figures(batch / rate, batch));
  }
  const TrainingFinding finding = found("saturation");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  EXPECT_THAT(finding.statement, AllOf(HasSubstr("from batch 32 to 64 "), Not(HasSubstr("may be too"))));
  EXPECT_EQ(found("decline").state, FindingState::kAbsent);
}

TEST_F(TrainingDiagnosisTest, SaturationEndsWhereThroughputFalls) {
  for (const auto& [batch, rate] : {std::pair(8.0, 50.0), {16.0, 100.0}, {32.0, 70.0}, {64.0, 70.0}}) {
    add(batch, step_figures(batch / rate, batch));
  }
  EXPECT_THAT(found("saturation").statement,
              AllOf(HasSubstr("at batch 16 throughput is within"), Not(HasSubstr("from batch 16"))));
  run_.cases[2].summary = summary_of(step_figures(32 / 98.0, 32));
  EXPECT_THAT(found("saturation").statement, HasSubstr("from batch 16 to 32 throughput is within"));
}

TEST_F(TrainingDiagnosisTest, OverlappingIntervalsAreSaidOfTheSaturation) {
  // ± 2 %: 94.5 of 100 may be more than 95 %, but need not be.
  for (const auto& [batch, rate] : {std::pair(8.0, 50.0), {16.0, 94.5}, {32.0, 100.0}, {64.0, 100.0}}) {
    add(batch, step_figures(batch / rate, batch, 128, 0, 0.02));
  }
  EXPECT_THAT(found("saturation").statement,
              AllOf(HasSubstr("from batch 32 to 64 "), HasSubstr("batch 16 may be too")));
}

// ± 2 %: batch 32 may be within 5 % of batch 64, and throughput may as well rise by more.
TEST_F(TrainingDiagnosisTest, ARiseThatIsNotExcludedIsNotDetermined) {
  for (const auto& [batch, rate] : {std::pair(8.0, 50.0), {32.0, 94.5}, {64.0, 100.0}}) {
    add(batch, step_figures(batch / rate, batch, 128, 0, 0.02));
  }
  const TrainingFinding finding = found("saturation");
  EXPECT_EQ(finding.state, FindingState::kNotDetermined) << finding.statement;
  EXPECT_THAT(finding.reason, HasSubstr("the intervals overlap too much"));
}

TEST_F(TrainingDiagnosisTest, ARisingThroughputIsNotSaturated) {
  add_line(1, 0.001);
  const TrainingFinding finding = found("saturation");
  EXPECT_EQ(finding.state, FindingState::kAbsent);
  EXPECT_THAT(finding.statement, HasSubstr("still rises"));
}

TEST_F(TrainingDiagnosisTest, OneBatchSizeShowsNothingOfBatchSizes) {
  add(8, step_figures(0.2, 8));
  for (const char* pattern : {"fixed_overhead", "saturation", "decline"}) {
    const TrainingFinding finding = found(pattern);
    EXPECT_EQ(finding.state, FindingState::kNotDetermined) << pattern;
    EXPECT_THAT(finding.reason, HasSubstr("1 can be used"));
    EXPECT_TRUE(finding.statement.empty());
  }
}

// Rates that are one number and noise, with intervals as wide as the noise.
TEST_F(TrainingDiagnosisTest, NoiseIsNoPattern) {
  RandomStream random(11, "noise");
  for (int trial = 0; trial < 20; ++trial) {
    run_ = training_run();
    for (const double batch : kBatches) {
      const double rate = 100 * (1 + 0.1 * random.normal());
      add(batch, step_figures(batch / rate, batch, 128, 0, 0.25));
    }
    EXPECT_EQ(found("saturation").state, FindingState::kNotDetermined);
    EXPECT_EQ(found("decline").state == FindingState::kPresent, false) << found("decline").statement;
    EXPECT_EQ(found("fixed_overhead").state == FindingState::kPresent, false) << found("fixed_overhead").statement;
  }
}

// A step whose backward takes 60 % longer than in proportion at batch 64, all else in proportion.
TEST_F(TrainingDiagnosisTest, ADeclineNamesThePhaseThatGrows) {
  for (const double batch : {16.0, 32.0, 64.0}) {
    const double forward = 0.01 * batch;
    const double backward = 0.02 * batch * (batch == 64 ? 1.6 : 1);
    KnownFigures figures = step_figures(forward + backward, batch);
    figures["forward_time"] = {forward};
    figures["backward_time"] = {backward};
    figures["page_faults"] = {10 * batch, -1};
    add(batch, figures);
  }
  const TrainingFinding finding = found("decline");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  EXPECT_THAT(finding.statement,
              AllOf(HasSubstr("backward_time grows"), HasSubstr("100.0 %"), Not(HasSubstr("forward_time")),
                    Not(HasSubstr("padding")), Not(HasSubstr("page faults"))));
  // From 0.03 s to 0.042 s an example.
  EXPECT_NEAR(finding.advice.at(0).gain->factor, 1.4, 1e-9);
}

TEST_F(TrainingDiagnosisTest, APhaseWithoutAnIntervalIsNoCauseOfADecline) {
  for (const double batch : {16.0, 32.0}) {
    const double backward = 0.02 * batch * (batch == 32 ? 1.6 : 1);
    KnownFigures figures = step_figures(0.01 * batch + backward, batch);
    figures["backward_time"] = {backward, batch == 32 ? -1 : 0.005};
    add(batch, figures);
  }
  EXPECT_THAT(found("decline").statement, HasSubstr("no measurement explains it"));
}

// The processed rate stays while padding grows from 20 % to 50 %.
TEST_F(TrainingDiagnosisTest, ADeclineNamesPaddingThatGrows) {
  for (const auto& [batch, padding] : {std::pair(16.0, 0.2), {32.0, 0.5}}) {
    const double length = 40 / (1 - padding);
    KnownFigures figures = step_figures(0.001 * batch * length, batch, length, padding);
    figures["forward_time"] = {0.0003 * batch * length};
    figures["backward_time"] = {0.0007 * batch * length};
    add(batch, figures);
  }
  const TrainingFinding finding = found("decline");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  EXPECT_THAT(finding.statement, AllOf(HasSubstr("padding grows from 20.0 % to 50.0 %"),
                                       HasSubstr("100.0 % of the drop"), Not(HasSubstr("backward_time"))));
}

TEST_F(TrainingDiagnosisTest, ADeclineNamesPageFaultsAndMemory) {
  for (const auto& [batch, step] : {std::pair(16.0, 0.16), {32.0, 0.5}}) {
    KnownFigures figures = step_figures(step, batch);
    figures["page_faults"] = {batch == 32 ? 200000.0 : 20.0, -1};
    figures["peak_anonymous"] = {batch == 32 ? 9.5e9 : 5e9};
    add(batch, figures).effective["memory_limit"] = 10000000000;
  }
  EXPECT_THAT(found("decline").statement,
              AllOf(HasSubstr("page faults grow from 20.0 to 200000"), HasSubstr("95.0 % of the memory limit")));
}

TEST_F(TrainingDiagnosisTest, ADeclineWithoutEvidenceHasNoCause) {
  add(16, step_figures(0.16, 16));
  add(32, step_figures(0.5, 32));
  EXPECT_THAT(found("decline").statement, HasSubstr("no measurement explains it"));
}

TEST_F(TrainingDiagnosisTest, OverlappingRatesAreNoDecline) {
  add(16, step_figures(16 / 100.0, 16, 128, 0, 0.05));
  add(32, step_figures(32 / 95.0, 32, 128, 0, 0.05));
  const TrainingFinding finding = found("decline");
  EXPECT_EQ(finding.state, FindingState::kNotDetermined);
  EXPECT_THAT(finding.reason, HasSubstr("the intervals overlap"));
}

// shares

TEST_F(TrainingDiagnosisTest, WaitingForDataIsToldWithItsGain) {
  KnownFigures figures = step_figures(0.2, 8);
  figures["data_wait"] = {0.05};
  add(8, figures);
  const TrainingFinding finding = found("data_bound");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  EXPECT_THAT(finding.statement, HasSubstr("25.0 %"));
  EXPECT_NEAR(finding.advice.at(0).gain->factor, 1 / 0.75, 1e-9);
  EXPECT_TRUE(finding.advice[0].gain->is_upper_bound);
  // 0.995 and 1.005 of both figures.
  EXPECT_NEAR(finding.advice[0].gain->interval->low, 1 / (1 - 0.25 * 0.995 / 1.005), 1e-9);
}

TEST_F(TrainingDiagnosisTest, AdviceOnDataIsOfTheCasesOwnSettings) {
  const auto advice_of = [&](const char* batching, int threads, double padding) {
    run_ = training_run();
    Json settings = training_settings(8);
    settings["batching"] = batching;
    settings["loader_threads"] = threads;
    KnownFigures figures = step_figures(0.2, 8, 128, padding);
    figures["data_wait"] = {0.05};
    add_training_case(run_, settings, figures);
    return found("data_bound").advice.at(0).text;
  };
  EXPECT_THAT(advice_of("padded", 2, 0.5),
              AllOf(HasSubstr("bucketed or packed and sequence_length natural instead of padded: 50.0 %"),
                    HasSubstr("besides 2: no metric tells"),
                    HasSubstr("copying them to the device, which are not measured separately")));
  EXPECT_THAT(advice_of("padded", 2, 0), Not(HasSubstr("bucketed")));
  EXPECT_THAT(advice_of("bucketed", 0, 0.5),
              AllOf(Not(HasSubstr("bucketed")), HasSubstr("set loader_threads to 1 or more: now each step")));
}

TEST_F(TrainingDiagnosisTest, AWaitAroundTheThresholdIsNotDetermined) {
  KnownFigures figures = step_figures(0.2, 8);
  figures["data_wait"] = {0.02, 0.2};
  add(8, figures);
  EXPECT_EQ(found("data_bound").state, FindingState::kNotDetermined);
  figures["data_wait"] = {0.001};
  run_.cases[0].summary = summary_of(figures);
  EXPECT_EQ(found("data_bound").state, FindingState::kAbsent);
  figures["data_wait"] = {0.03, -1};
  run_.cases[0].summary = summary_of(figures);
  EXPECT_EQ(found("data_bound").state, FindingState::kNotDetermined) << "without an interval 15 % is too close to 10 %";
  figures["data_wait"] = {0.05, -1};
  run_.cases[0].summary = summary_of(figures);
  EXPECT_EQ(found("data_bound").state, FindingState::kPresent);
}

TEST_F(TrainingDiagnosisTest, WithoutAFigureNothingIsSaid) {
  add(8, step_figures(0.2, 8));
  const TrainingFinding finding = found("data_bound");
  EXPECT_EQ(finding.state, FindingState::kNotDetermined);
  EXPECT_EQ(finding.reason, "no case has a value for data_wait");
}

TEST_F(TrainingDiagnosisTest, AnOptimizerThatTakesLongGainsByAccumulation) {
  KnownFigures figures = step_figures(0.2, 8);
  figures["optimizer_time"] = {0.08};
  add(8, figures);
  const TrainingFinding finding = found("optimizer_bound");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  // 0.2 s for 8 examples; with 4 micro-batches of 0.12 s and one update of 0.08 s, 0.56 s for 32.
  EXPECT_NEAR(finding.advice.at(0).gain->factor, (32 / 0.56) / (8 / 0.2), 1e-9);
  EXPECT_THAT(finding.advice[0].text,
              AllOf(HasSubstr("32 examples instead of 8"), HasSubstr("no accumulation can exceed 1.67 times")));
}

// Each pair is compared with the others of its batch, whatever a step accumulates.
TEST_F(TrainingDiagnosisTest, AccumulationOfImagesAndCaptionsComparesWithinBatches) {
  KnownFigures figures = step_figures(0.2, 8);
  figures["optimizer_time"] = {0.08};
  Json settings = training_settings(8);
  settings["task"] = "contrastive_image_text";
  add_training_case(run_, settings, figures);
  EXPECT_THAT(found("optimizer_bound").advice.at(0).text,
              HasSubstr("32 examples instead of 8, but each pair is still compared only with the others of its own"));
}

TEST_F(TrainingDiagnosisTest, PaddingIsToldWithWhatItsTokensWouldGain) {
  add(8, step_figures(0.2, 8, 128, 0.6));
  const TrainingFinding finding = found("padding_bound");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  EXPECT_NEAR(finding.advice.at(0).gain->factor, 2.5, 1e-9);
  EXPECT_FALSE(finding.advice[0].gain->is_upper_bound) << "the time per processed token may change";
  EXPECT_THAT(finding.advice[0].text,
              AllOf(HasSubstr("bucketed or packed and sequence_length natural instead of padded"),
                    HasSubstr("about 2.50 times the useful tokens")));
  run_.cases[0].summary = summary_of(step_figures(0.2, 8, 128, 0.1));
  EXPECT_EQ(found("padding_bound").state, FindingState::kAbsent);
}

// Captions are padded, but their batches are neither bucketed nor packed.
TEST_F(TrainingDiagnosisTest, PaddingOfCaptionsIsLeftOutByNaturalLengthsAlone) {
  KnownFigures figures = step_figures(0.2, 8, 128, 0.6);
  figures["data_wait"] = {0.05};
  Json settings = training_settings(8);
  settings["task"] = "contrastive_image_text";
  settings.erase("batching");
  add_training_case(run_, settings, figures);
  EXPECT_THAT(found("padding_bound").advice.at(0).text, StartsWith("use sequence_length natural: about 2.50 times"));
  EXPECT_THAT(found("data_bound").advice.at(0).text, StartsWith("use sequence_length natural: 60.0 % of the tokens"));
  run_.cases[0].requested["sequence_length"] = "natural";
  EXPECT_EQ(found("padding_bound").state, FindingState::kPresent);
  EXPECT_TRUE(found("padding_bound").advice.empty());
  EXPECT_THAT(found("data_bound").advice.at(0).text, StartsWith("no setting of the case is known to be the cause"));
}

// memory

KnownFigures with_account(KnownFigures figures, double kept, double activations) {
  figures["weight_bytes"] = {kept / 4, -1};
  figures["gradient_bytes"] = {kept / 4, -1};
  figures["optimizer_bytes"] = {kept / 2, -1};
  figures["activation_bytes"] = {activations, -1};
  return figures;
}

TEST_F(TrainingDiagnosisTest, ABatchThatDidNotFitIsAnsweredFromTheAccount) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  add(16, with_account(step_figures(0.16, 16), kGiB, 3 * kGiB));
  add_failed_training_case(run_, training_settings(64), Status::kOutOfMemory, "the limit is 8 GiB");
  const TrainingFinding finding = found("memory_bound");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  EXPECT_THAT(finding.statement, HasSubstr("batch 64 is out_of_memory: the limit is 8 GiB"));
  ASSERT_EQ(finding.advice.size(), 2u);
  // Batch 64 would take 1 + 12 GiB; four times batch 16 takes 1 + 3.
  EXPECT_NEAR(finding.advice[0].gain->factor, 13.0 / 4, 1e-9);
  EXPECT_TRUE(finding.advice[0].gain->is_upper_bound);
  EXPECT_THAT(finding.advice[0].text,
              AllOf(HasSubstr("use batch 16 and 4 times the gradient accumulation instead of 64"),
                    HasSubstr("at most 3.25 times less by measured tensor sizes")));
  EXPECT_NEAR(finding.advice[1].gain->factor, 4, 1e-9);
  EXPECT_TRUE(finding.advice[1].gain->is_upper_bound);
  EXPECT_THAT(finding.advice[1].text, HasSubstr("75.0 % of tensor memory"));
  EXPECT_THAT(diagnosis_.series[0].series.left_out.at(0).why, HasSubstr("out_of_memory"));
}

TEST_F(TrainingDiagnosisTest, BatchesOfImagesAndCaptionsAreNotDivided) {
  Json settings = training_settings(16);
  settings["task"] = "contrastive_image_text";
  add_training_case(run_, settings, with_account(step_figures(0.16, 16), 1e9, 3e9));
  settings["batch_size"] = 64;
  add_failed_training_case(run_, settings, Status::kOutOfMemory, "the limit is 8 GiB");
  const auto advice = [&] { return found("memory_bound").advice; };
  ASSERT_EQ(advice().size(), 1U);
  EXPECT_THAT(advice()[0].text, AllOf(HasSubstr("set gradient_checkpointing on"), Not(HasSubstr("accumulation"))));
  for (CaseRecord& one : run_.cases) one.requested["gradient_checkpointing"] = "on";
  ASSERT_EQ(advice().size(), 1U);
  EXPECT_THAT(advice()[0].text, HasSubstr("use an optimizer with less state (adafactor, sgd) or a smaller model"));
}

TEST_F(TrainingDiagnosisTest, ABatchOfImagesAndCaptionsNearTheLimitIsNotHalved) {
  KnownFigures figures = with_account(step_figures(0.16, 16), 2e9, 6e9);
  figures["peak_anonymous"] = {9.2e9};
  CaseRecord& one = add(16, figures);
  one.requested["task"] = "contrastive_image_text";
  one.effective["memory_limit"] = 10000000000;
  const std::vector<Advice> advice = found("memory_bound").advice;
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_THAT(advice[0].text, AllOf(HasSubstr("set gradient_checkpointing on"), Not(HasSubstr("accumulation"))));
}

TEST_F(TrainingDiagnosisTest, APeakCloseToItsLimitIsMemoryBound) {
  KnownFigures figures = with_account(step_figures(0.16, 16), 2e9, 6e9);
  figures["peak_anonymous"] = {9.2e9};
  add(16, figures).effective["memory_limit"] = 10000000000;
  EXPECT_EQ(found("memory_bound").state, FindingState::kPresent);
  // Half of 6 GB of activations: 8 ÷ 5.
  EXPECT_NEAR(diagnosis_.series[0].findings.back().advice.at(0).gain->factor, 1.6, 1e-9);
  figures["peak_anonymous"] = {5e9};
  run_.cases[0].summary = summary_of(figures);
  EXPECT_EQ(found("memory_bound").state, FindingState::kAbsent);
  run_.cases[0].effective = Json::object();
  EXPECT_EQ(found("memory_bound").state, FindingState::kNotDetermined);
}

class MemoryForecastAdvice : public TrainingDiagnosisTest {
 protected:
  // Of a case that uses 9.2 of 10 GB.
  std::vector<Advice> advice_of(KnownFigures figures, Json forecast) {
    figures["peak_anonymous"] = {9.2e9};
    add(16, figures).effective = {{"memory_limit", 10000000000}, {"memory_forecast", std::move(forecast)}};
    return found("memory_bound").advice;
  }
};

TEST_F(MemoryForecastAdvice, GoesBeforeTheAccount) {
  const std::vector<Advice> advice =
      advice_of(with_account(step_figures(0.16, 16), 2e9, 6e9),
                {{"peak_bytes", 9e9}, {"gradient_checkpointing_bytes", 3e9}, {"accumulation_doubled_bytes", 6e9}});
  ASSERT_EQ(advice.size(), 2U);
  EXPECT_NEAR(advice[0].gain->factor, 1.5, 1e-9);
  EXPECT_TRUE(advice[0].gain->is_upper_bound) << "tensors are not all that a process holds";
  EXPECT_THAT(advice[0].text,
              AllOf(HasSubstr("batch 8 and twice"), HasSubstr("at most 1.50 times less memory, by forecast")));
  EXPECT_NEAR(advice[1].gain->factor, 3, 1e-9);
  EXPECT_THAT(advice[1].text, HasSubstr("3.00 times less memory, by forecast"));
}

// With checkpointing on, a second micro-batch begins with all gradients there.
TEST_F(MemoryForecastAdvice, OfWhatSavesNothingIsNotGiven) {
  const std::vector<Advice> advice =
      advice_of(with_account(step_figures(0.16, 16), 8e9, 1e8),
                {{"peak_bytes", 8e9}, {"gradient_checkpointing_bytes", 7.9e9}, {"accumulation_doubled_bytes", 9e9}});
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_THAT(advice[0].text, HasSubstr("use an optimizer with less state (adafactor, sgd) or a smaller model"));
  EXPECT_FALSE(advice[0].gain);
}

// 9.2 of 10 GB, of which files that are mapped may be the most.
TEST_F(TrainingDiagnosisTest, MappedFilesAreNoMemoryThatIsMissing) {
  KnownFigures figures = with_account(step_figures(0.16, 16), 2e9, 6e9);
  figures["peak_rss"] = {9.2e9};
  add(16, figures).effective["memory_limit"] = 10000000000;
  EXPECT_EQ(found("memory_bound").state, FindingState::kNotDetermined);
  figures["peak_anonymous"] = {4e9};
  run_.cases[0].summary = summary_of(figures);
  const TrainingFinding finding = found("memory_bound");
  EXPECT_EQ(finding.state, FindingState::kAbsent);
  EXPECT_THAT(finding.statement, HasSubstr("40.0 % of the memory limit"));
}

TEST_F(TrainingDiagnosisTest, TheHostsMemorySaysNothingOfAGpu) {
  KnownFigures figures = with_account(step_figures(0.16, 16), 2e9, 6e9);
  figures["peak_rss"] = figures["peak_anonymous"] = {1e9};
  CaseRecord& one = add(16, figures);
  one.effective = {{"device", "cuda:0"}, {"memory_limit", 10000000000}, {"device_facts", {{"memory_bytes", 20e9}}}};
  EXPECT_EQ(found("memory_bound").state, FindingState::kNotDetermined);
  figures["device_process_memory"] = {19e9};
  one.summary = summary_of(figures);
  const TrainingFinding finding = found("memory_bound");
  EXPECT_EQ(finding.state, FindingState::kPresent);
  EXPECT_THAT(finding.statement, HasSubstr("95.0 % of the device memory"));
  figures["device_process_memory"] = {5e9};
  one.summary = summary_of(figures);
  EXPECT_EQ(found("memory_bound").state, FindingState::kAbsent);
}

// series and devices

TEST_F(TrainingDiagnosisTest, AStepHasTheExamplesOfItsMicroBatches) {
  Json settings = training_settings(64);
  settings["gradient_accumulation"] = 4;
  KnownFigures figures = step_figures(0.2, 256);
  figures["optimizer_time"] = {0.08};
  add_training_case(run_, settings, figures);
  EXPECT_THAT(found("optimizer_bound").advice.at(0).text, HasSubstr("1024 examples instead of 256"));
  EXPECT_EQ(diagnosis_.series.at(0).series.points.at(0).examples, 256);
  EXPECT_NEAR(diagnosis_.series[0].series.points[0].size, 256 * 128, 1e-6) << "processed tokens";
}

TEST_F(TrainingDiagnosisTest, CasesThatDifferInMoreThanTheBatchAreSeriesOfTheirOwn) {
  for (const char* precision : {"fp32", "bf16"}) {
    for (const double batch : {1, 8}) {
      Json settings = training_settings(batch);
      settings["precision"] = precision;
      add_training_case(run_, settings, step_figures(0.1, batch));
    }
  }
  Json other = training_settings(8);
  other["scenario"] = "batch";
  add_training_case(run_, other, step_figures(0.1, 8));
  diagnose();
  ASSERT_EQ(diagnosis_.series.size(), 2u);
  EXPECT_EQ(diagnosis_.series[0].series.points.size(), 2u);
  EXPECT_TRUE(diagnosis_.devices.empty());
}

TEST_F(TrainingDiagnosisTest, APriceMakesNoSeriesOfItsOwn) {
  for (const double batch : {1.0, 8.0}) {
    Json settings = training_settings(batch);
    settings["price_per_hour"] = 1 + batch;
    add_training_case(run_, settings, step_figures(0.1, batch));
  }
  ASSERT_EQ(diagnose().series.size(), 1u);
  EXPECT_EQ(diagnosis_.series[0].series.points.size(), 2u);
}

TEST_F(TrainingDiagnosisTest, InvalidCasesAreLeftOutAndDoubtfulOnesTold) {
  add(1, step_figures(0.1, 1));
  add(2, step_figures(0.2, 2));
  run_.cases[0].summary->document = "level\t2\nreason\tnumerics\tall NaN\n" + run_.cases[0].summary->document.substr(8);
  run_.cases[1].summary->document = "level\t1\nreason\tdrift\tby 3 %\n" + run_.cases[1].summary->document.substr(8);
  diagnose();
  const TrainingSeries& series = diagnosis_.series.at(0).series;
  ASSERT_EQ(series.left_out.size(), 1u);
  EXPECT_THAT(series.left_out[0].why, HasSubstr("invalid (numerics)"));
  ASSERT_EQ(series.remarks.size(), 1u);
  EXPECT_THAT(series.remarks[0], HasSubstr("doubtful (drift)"));
}

TEST_F(TrainingDiagnosisTest, ADeviceThatOvertakesIsNamedWithTheBatches) {
  for (const double batch : {1.0, 8.0, 64.0}) {
    add(batch, step_figures(0.02 * batch, batch));
    Json settings = training_settings(batch);
    settings["device"] = "cuda:0";
    add_training_case(run_, settings, step_figures(0.1 + 0.001 * batch, batch));
  }
  diagnose();
  ASSERT_EQ(diagnosis_.devices.size(), 1u);
  const TrainingFinding& finding = diagnosis_.devices[0].finding;
  EXPECT_EQ(finding.state, FindingState::kPresent);
  EXPECT_THAT(finding.statement, HasSubstr("cpu is faster up to batch 1, cuda:0 from 8"));
}

TEST_F(TrainingDiagnosisTest, DevicesThatAreNotToldApartAreNotDetermined) {
  for (const char* device : {"cpu", "cuda:0"}) {
    Json settings = training_settings(8);
    settings["device"] = device;
    add_training_case(run_, settings, step_figures(std::string(device) == "cpu" ? 0.1 : 0.102, 8, 128, 0, 0.05));
  }
  EXPECT_EQ(diagnose().devices.at(0).finding.state, FindingState::kNotDetermined);
}

TEST_F(TrainingDiagnosisTest, IntervalsWithinAProcessAreSaid) {
  KnownFigures figures = step_figures(0.1, 8);
  for (auto& [name, figure] : figures) figure.replicates = 1;
  add(8, figures);
  EXPECT_THAT(diagnose().series.at(0).series.remarks, ElementsAre(HasSubstr("variance between processes")));
}

}  // namespace
}  // namespace transformeter
