// The rows of divergence and the verdict on either side of each tolerance.
#include "metrics/divergence_metrics.h"

#include <gmock/gmock.h>

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
  for (const char* task : {"embedding", "question_answering"}) {
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
  one.effective["reference"] = {{"absent", "disabled (--reference off)"}};
  EXPECT_EQ(row_of(analyze_case(one), "divergence", "value").reason, "no reference: disabled (--reference off)");
  EXPECT_EQ(detail_of(analyze_case(one).verdict.notes, "not_compared"), "(absent)") << "as the user wished";
  one.effective["reference"] = {{"key", "k"}, {"failed", "crashed: signal 11"}};
  const CaseAnalysis analysis = analyze_case(one);
  EXPECT_EQ(row_of(analysis, "divergence_max", "value").reason, "no reference: crashed: signal 11");
  EXPECT_EQ(row_of(analysis, "top1_agreement", "ratio").reason, "no reference: crashed: signal 11");
  EXPECT_EQ(detail_of(analysis.verdict.notes, "not_compared"), "crashed: signal 11");
  EXPECT_EQ(analysis.verdict.level, VerdictLevel::kValid) << "a missing reference is no fault of the case";
}

TEST(DivergenceMetrics, EachPrecisionHasItsTolerance) {
  for (const char* precision : {"fp32", "fp16", "bf16", "int8", "int8_static", "int8_weight_only"}) {
    SCOPED_TRACE(precision);
    const double tolerance = divergence_tolerance(precision).value();
    EXPECT_THAT(names_of(analyze_case(compared_case(precision, tolerance)).verdict.reasons), IsEmpty());
    const Verdict above = analyze_case(compared_case(precision, 1.01 * tolerance)).verdict;
    EXPECT_THAT(names_of(above.reasons), UnorderedElementsAre("numerics"));
    EXPECT_EQ(above.level, VerdictLevel::kInvalid);
  }
  EXPECT_FALSE(divergence_tolerance("fp7"));
  EXPECT_THAT(analyze_case(compared_case("fp7", 100)).verdict.reasons, IsEmpty());
}

TEST(DivergenceMetrics, SeededWeightsAreAllowedThreeTimesAsMuch) {
  CaseRecord one = compared_case("bf16", 0.29);
  one.effective["model"]["trained"] = false;
  EXPECT_THAT(analyze_case(one).verdict.reasons, IsEmpty());
  one = compared_case("bf16", 0.31);
  one.effective["model"]["trained"] = false;
  EXPECT_THAT(detail_of(analyze_case(one).verdict.reasons, "numerics"), HasSubstr("bf16 with seeded weights"));
}

// Zeros lie √(Σ r²) from the reference, which is the scale of seeded weights: a divergence of 1.
TEST(DivergenceMetrics, AnswersThatAreAllZeroAreInvalidInEveryPrecision) {
  for (const char* precision : {"fp32", "fp16", "bf16", "int8", "int8_static", "int8_weight_only"}) {
    for (const bool is_trained : {true, false}) {
      for (const double divergence : {1.0, 0.51}) {
        CaseRecord one = compared_case(precision, divergence);
        one.effective["model"]["trained"] = is_trained;
        EXPECT_THAT(names_of(analyze_case(one).verdict.reasons), UnorderedElementsAre("numerics"))
            << precision << (is_trained ? ", trained, " : ", seeded, ") << divergence;
      }
    }
  }
}

TEST(DivergenceMetrics, SeededWeightsAreNeverAllowedMoreThanHalfOfTheirScale) {
  CaseRecord one = compared_case("int8_static", 0.49);
  one.effective["model"]["trained"] = false;
  EXPECT_THAT(analyze_case(one).verdict.reasons, IsEmpty()) << "3 times 0.4 is capped at 0.5";
}

TEST(DivergenceMetrics, TheReasonHasTheFiguresAndNamesAMissingMask) {
  CaseRecord one = compared_case("bf16", 0.5);
  const std::string text = detail_of(analyze_case(one).verdict.reasons, "numerics");
  EXPECT_THAT(text, AllOf(HasSubstr("by 0.5 of its spread"), HasSubstr("bf16"), testing::Not(HasSubstr("padding"))));
  one.effective["attention_mask"] = "off";
  EXPECT_THAT(detail_of(analyze_case(one).verdict.reasons, "numerics"), HasSubstr("attend to padding"));
}

}  // namespace
}  // namespace transformeter
