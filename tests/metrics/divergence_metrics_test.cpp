// The rows of divergence and the verdict on either side of each tolerance.
#include "metrics/divergence_metrics.h"

#include <gmock/gmock.h>

#include <cmath>

#include "metrics_testing.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

CaseRecord compared_case(const char* precision, double divergence) {
  CaseRecord one = case_of({latency_series(steady_values(50)), scalar_series("divergence", divergence),
                            scalar_series("divergence_max", 4 * divergence), scalar_series("compared_inputs", 64),
                            scalar_series("compared_rows", 80), scalar_series("agreed_rows", 60)});
  one.requested = {{"precision", precision}, {"task", "sequence_classification"}};
  return one;
}

TEST(DivergenceMetrics, AreThoseOfTheComparedReplicate) {
  CaseRecord one = compared_case("bf16", 0.01);
  one.replicates.insert(one.replicates.begin(), case_of({latency_series(steady_values(50))}).replicates.front());
  one.replicates.front().index = 7;
  const CaseAnalysis analysis = analyze_case(one);
  EXPECT_EQ(row_of(analysis, "divergence", "value").value, 0.01);
  EXPECT_EQ(row_of(analysis, "divergence", "value").n, 64U);
  EXPECT_EQ(row_of(analysis, "divergence_max", "value").value, 0.04);
  EXPECT_EQ(row_of(analysis, "top1_agreement", "ratio").value, 0.75);
  EXPECT_EQ(row_of(analysis, "top1_agreement", "ratio").n, 80U);
}

TEST(DivergenceMetrics, OnlyClassesHaveAMostLikelyOne) {
  for (const char* task : {"embedding", "question_answering", "of_a_newer_version"}) {
    CaseRecord one = compared_case("fp32", 0);
    one.requested["task"] = task;
    const MetricRow row = row_of(analyze_case(one), "top1_agreement", "ratio");
    EXPECT_FALSE(row.value) << task;
    EXPECT_EQ(row.reason, "the task does not predict classes");
  }
}

TEST(DivergenceMetrics, AreMissingWithTheReason) {
  CaseRecord one = case_of({latency_series(steady_values(50))});
  EXPECT_EQ(row_of(analyze_case(one), "divergence", "value").reason, "the outputs were not compared with a reference");
  EXPECT_EQ(detail_of(apart_from_window(analyze_case(one).verdict).notes, "not_compared"), "no comparison is stored");
  one.effective["reference"] = {{"absent", "disabled (--reference off)"}};
  EXPECT_EQ(row_of(analyze_case(one), "divergence", "value").reason, "no reference: disabled (--reference off)");
  EXPECT_EQ(detail_of(apart_from_window(analyze_case(one).verdict).notes, "not_compared"),
            "disabled (--reference off)");
  one.effective["reference"] = {{"key", "k"}, {"failed", "crashed: signal 11"}};
  const CaseAnalysis analysis = analyze_case(one);
  EXPECT_EQ(row_of(analysis, "divergence_max", "value").reason, "no reference: crashed: signal 11");
  EXPECT_EQ(row_of(analysis, "top1_agreement", "ratio").reason, "no reference: crashed: signal 11");
  EXPECT_EQ(detail_of(analysis.verdict.notes, "not_compared"), "crashed: signal 11");
  EXPECT_EQ(apart_from_window(analysis.verdict).level, VerdictLevel::kValid)
      << "a missing reference is no fault of the case";
}

TEST(DivergenceMetrics, EachPrecisionHasItsTolerance) {
  for (const char* precision : {"fp32", "fp16", "bf16", "int8", "int8_static", "int8_weight_only"}) {
    SCOPED_TRACE(precision);
    const double tolerance = divergence_tolerance(precision).value();
    EXPECT_THAT(names_of(apart_from_window(analyze_case(compared_case(precision, tolerance)).verdict).reasons),
                IsEmpty());
    const Verdict above = apart_from_window(analyze_case(compared_case(precision, 1.01 * tolerance)).verdict);
    EXPECT_THAT(names_of(above.reasons), UnorderedElementsAre("numerics"));
    EXPECT_EQ(above.level, VerdictLevel::kInvalid);
  }
  EXPECT_FALSE(divergence_tolerance("fp7"));
  EXPECT_THAT(apart_from_window(analyze_case(compared_case("fp7", 100)).verdict).reasons, IsEmpty());
}

// One answer for all inputs lies √((n − 1) ÷ n) of the spread between them from the reference, or more.
TEST(DivergenceMetrics, AConstantAnswerIsInvalidInEveryPrecision) {
  for (const char* precision : {"fp32", "fp16", "bf16", "int8", "int8_static", "int8_weight_only"}) {
    for (const int inputs : {2, 32}) {
      const double constant = std::sqrt((inputs - 1.0) / inputs);
      EXPECT_THAT(names_of(apart_from_window(analyze_case(compared_case(precision, constant)).verdict).reasons),
                  UnorderedElementsAre("numerics"))
          << precision << ", " << inputs;
    }
  }
}

CaseRecord controlled_case(const char* precision, double divergence, const Json& controls) {
  CaseRecord one = compared_case(precision, divergence);
  one.effective["reference"]["controls"] = controls;
  return one;
}

TEST(DivergenceMetrics, SeededWeightsAreAllowedThreeTimesAsMuchButLessThanWrongModels) {
  const auto reasons = [](const char* precision, double divergence, double control) {
    CaseRecord one =
        controlled_case(precision, divergence, {{"rolled", 1.4}, {"constant", 0.95}, {"unmasked", control}});
    one.effective["model"]["trained"] = false;
    return apart_from_window(analyze_case(one).verdict).reasons;
  };
  EXPECT_THAT(reasons("bf16", 0.44, 2), IsEmpty());
  EXPECT_THAT(detail_of(reasons("bf16", 0.46, 2), "numerics"), HasSubstr("bf16 with seeded weights: 0.45"));
  EXPECT_THAT(reasons("int8_static", 0.75, 2), IsEmpty());
  EXPECT_THAT(names_of(reasons("int8_static", 0.77, 2)), UnorderedElementsAre("numerics")) << "0.8 of 0.95";
  EXPECT_THAT(reasons("int8", 0.39, 0.5), IsEmpty());
  EXPECT_THAT(names_of(reasons("int8", 0.41, 0.5)), UnorderedElementsAre("numerics")) << "0.8 of 0.5";
  EXPECT_THAT(reasons("int8", 0.24, 0.1), IsEmpty()) << "never less than with trained weights";
  CaseRecord unknown = compared_case("int8", 0.74);
  unknown.effective["model"]["trained"] = false;
  EXPECT_THAT(apart_from_window(analyze_case(unknown).verdict).reasons, IsEmpty());
}

TEST(DivergenceMetrics, AFilesOwnProductsInInt8AreAllowedWhatInt8Is) {
  CaseRecord one = compared_case("fp32", 0.24);
  EXPECT_THAT(names_of(apart_from_window(analyze_case(one).verdict).reasons), UnorderedElementsAre("numerics"));
  one.effective["model"]["quantized"] = true;
  EXPECT_THAT(apart_from_window(analyze_case(one).verdict).reasons, IsEmpty());
  CaseRecord far = compared_case("fp32", 0.26);
  far.effective["model"]["quantized"] = true;
  EXPECT_THAT(detail_of(apart_from_window(analyze_case(far).verdict).reasons, "numerics"),
              HasSubstr("fp32 with the file's products in int8: 0.25"));
}

TEST(DivergenceMetrics, ADivergenceNearThatOfAWrongModelProvesLittle) {
  const auto note = [](const CaseRecord& one) {
    const Verdict verdict = apart_from_window(analyze_case(one).verdict);
    EXPECT_EQ(verdict.level, VerdictLevel::kValid);
    return detail_of(verdict.notes, "numerics_untestable");
  };
  const Json far = {{"rolled", 1.4}, {"constant", 0.98}, {"unmasked", 0.3}};
  EXPECT_EQ(note(controlled_case("bf16", 0.075, far)), "(absent)") << "a quarter";
  EXPECT_THAT(note(controlled_case("bf16", 0.076, far)),
              AllOf(HasSubstr("diverge by 0.076"), HasSubstr("a model attending to padding would diverge by 0.3"),
                    HasSubstr("4 times")));
  const Json near = {{"rolled", 1.4}, {"constant", 0.98}, {"unmasked", 0.15}};
  EXPECT_THAT(note(controlled_case("bf16", 0.001, near)),
              HasSubstr("a model attending to padding would diverge by only 0.15, within the tolerance of bf16"));
  EXPECT_EQ(note(controlled_case("fp32", 1e-6, near)), "(absent)") << "more than fp32 is allowed";
  const Json none = {{"rolled", 1.4}, {"constant", 0.98}, {"unmasked", nullptr}};
  EXPECT_EQ(note(controlled_case("bf16", 0.076, none)), "(absent)") << "no padding, no such control";
  EXPECT_EQ(note(compared_case("bf16", 0.076)), "(absent)") << "of a program that knew no controls";
  EXPECT_EQ(note(controlled_case("bf16", 0.076, {{"rolled", "far"}})), "(absent)") << "of another program";
}

TEST(DivergenceMetrics, AnInvalidDivergenceNeedsNoFurtherNote) {
  const Json controls = {{"rolled", 1.4}, {"constant", 0.98}, {"unmasked", 0.3}};
  const Verdict verdict = apart_from_window(analyze_case(controlled_case("bf16", 0.2, controls)).verdict);
  EXPECT_THAT(names_of(verdict.reasons), UnorderedElementsAre("numerics"));
  EXPECT_EQ(detail_of(verdict.notes, "numerics_untestable"), "(absent)");
}

TEST(DivergenceMetrics, TheReasonHasTheFiguresAndNamesAMissingMask) {
  CaseRecord one = compared_case("bf16", 0.5);
  const std::string text = detail_of(apart_from_window(analyze_case(one).verdict).reasons, "numerics");
  EXPECT_THAT(text, AllOf(HasSubstr("by 0.5 of its spread"), HasSubstr("bf16"), testing::Not(HasSubstr("padding"))));
  one.effective["attention_mask"] = "off";
  EXPECT_THAT(detail_of(apart_from_window(analyze_case(one).verdict).reasons, "numerics"),
              HasSubstr("attend to padding"));
}

}  // namespace
}  // namespace transformeter
