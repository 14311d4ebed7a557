// Outputs beside a reference's: matched by input, told in the reference's spread.
#include "metrics/output_comparison.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace transformeter {
namespace {

using testing::HasSubstr;

// Columns of mean 0, squares 4 · 9 = 36 over (2 − 1) · 2.
const Outputs kReference{2, {10, 20}, {1, 1}, {3, -3, -3, 3}};
const double kSpread = std::sqrt(18.0);

double value_of(const OutputComparison& comparison, const char* name) {
  const Series* found = find_series(comparison.series, name);
  return found == nullptr ? std::nan("") : found->value.at(0);
}

TEST(OutputComparison, FindsNoDifferenceInTheSame) {
  const OutputComparison same = compare_outputs(kReference, kReference);
  EXPECT_EQ(value_of(same, "divergence"), 0);
  EXPECT_EQ(value_of(same, "divergence_max"), 0);
  EXPECT_EQ(value_of(same, "compared_inputs"), 2);
  EXPECT_EQ(value_of(same, "compared_rows"), 2);
  EXPECT_EQ(value_of(same, "agreed_rows"), 2);
  EXPECT_EQ(same.why_none, "");
}

TEST(OutputComparison, MatchesByInputWhateverTheOrder) {
  // Input 20 is exact, 10 off by 1 and by 8; its largest value moves to the other place.
  const OutputComparison comparison = compare_outputs(kReference, {2, {20, 10}, {1, 1}, {-3, 3, 4, 5}});
  EXPECT_DOUBLE_EQ(value_of(comparison, "divergence"), std::sqrt((1.0 + 64.0) / 4) / kSpread);
  EXPECT_DOUBLE_EQ(value_of(comparison, "divergence_max"), 8 / kSpread);
  EXPECT_EQ(value_of(comparison, "agreed_rows"), 1);
}

TEST(OutputComparison, ScalesAFewInputsByTheWholeReference) {
  const OutputComparison one = compare_outputs(kReference, {2, {20, 99}, {1, 1}, {-3, 4, 0, 0}});
  EXPECT_DOUBLE_EQ(value_of(one, "divergence"), std::sqrt(0.5) / kSpread);
  EXPECT_EQ(value_of(one, "compared_inputs"), 1);
}

TEST(OutputComparison, WhatAllAnswersShareIsNoScale) {
  // Classes 100 apart, answers 2 apart: one of them wrong by 1 is half as wrong as the other's answer would be.
  const Outputs reference{2, {10, 20}, {1, 1}, {100, 0, 102, 0}};
  const double spread = std::sqrt((1.0 + 1.0) / 2);
  const OutputComparison comparison = compare_outputs(reference, {2, {10, 20}, {1, 1}, {101, 0, 102, 0}});
  EXPECT_DOUBLE_EQ(value_of(comparison, "divergence"), std::sqrt(1.0 / 4) / spread);
}

TEST(OutputComparison, ComparesEveryTokenOfAnInput) {
  const Outputs reference{1, {10, 20}, {3, 1}, {0, 1, 2, 3}};  // squares 2.25 + 0.25 + 0.25 + 2.25 = 5 over 3
  const OutputComparison comparison = compare_outputs(reference, {1, {10}, {3}, {0, 1, 5}});
  EXPECT_DOUBLE_EQ(value_of(comparison, "divergence"), std::sqrt(9.0 / 3) / std::sqrt(5.0 / 3));
  EXPECT_EQ(find_series(comparison.series, "compared_rows"), nullptr) << "rows of one value have no class";
}

TEST(OutputComparison, SaysWhyThereIsNone) {
  const auto why = [](const Outputs& reference, const Outputs& outputs) {
    const OutputComparison comparison = compare_outputs(reference, outputs);
    EXPECT_TRUE(comparison.series.empty());
    return comparison.why_none;
  };
  EXPECT_THAT(why(kReference, {}), HasSubstr("shares no inputs with the reference"));
  EXPECT_THAT(why(kReference, {2, {30}, {1}, {0, 0}}), HasSubstr("shares no inputs with the reference"));
  EXPECT_THAT(why(kReference, {2, {10}, {2}, {0, 0, 0, 0}}), HasSubstr("shares no inputs with the reference"));
  EXPECT_THAT(why(kReference, {3, {10}, {1}, {0, 0, 0}}), HasSubstr("rows have 3 values"));
  EXPECT_THAT(why({2, {10, 20}, {1, 1}, {1, 2, 1, 2}}, kReference), HasSubstr("the same for every input"));
  EXPECT_THAT(why(kReference, {2, {10}, {1}, {std::numeric_limits<float>::infinity(), 0}}), HasSubstr("not finite"));
}

}  // namespace
}  // namespace transformeter
