// Wrong outputs beside their reference, worked out by hand.
#include "metrics/negative_controls.h"

#include <gtest/gtest.h>

#include <cmath>

namespace transformeter {
namespace {

// Columns of mean 0, squares 4 · 9 = 36 over (2 − 1) · 2: a spread of √18.
const Outputs kFourValues{2, {10, 20}, {1, 1}, {3, -3, -3, 3}};

TEST(NegativeControls, AreTheDivergencesOfWrongAnswers) {
  const NegativeControls controls = negative_controls(kFourValues, Outputs{2, {20, 10}, {1, 1}, {-3, 3, 3, 3}});
  EXPECT_DOUBLE_EQ(controls.rolled.value(), 6 / std::sqrt(18.0)) << "each value is off by 6";
  EXPECT_DOUBLE_EQ(controls.constant.value(), 3 / std::sqrt(18.0)) << "each is off by 3";
  EXPECT_DOUBLE_EQ(controls.unmasked.value(), 3 / std::sqrt(18.0)) << "one of four is off by 6";
}

TEST(NegativeControls, RollByInputsWhateverTheirTokens) {
  // Inputs 0 2 | 10 | 20 22 30 get 20 22 | 0 | 10 10 10: off by 20 20 | 10 | 10 12 20. Mean 14.
  const NegativeControls controls = negative_controls({1, {1, 2, 3}, {2, 1, 3}, {0, 2, 10, 20, 22, 30}}, std::nullopt);
  const double spread = std::sqrt((196 + 144 + 16 + 36 + 64 + 256) / 5.0);
  EXPECT_DOUBLE_EQ(controls.rolled.value(), std::sqrt((400 + 400 + 100 + 100 + 144 + 400) / 6.0) / spread);
  EXPECT_FALSE(controls.unmasked);
}

TEST(NegativeControls, AFaultThatChangesNothingIsNone) {
  Outputs rounded = kFourValues;
  rounded.values[0] += 5e-5F;  // ÷ 2 · √18
  const NegativeControls controls = negative_controls(kFourValues, rounded);
  EXPECT_FALSE(controls.unmasked) << "without padding a mask is not needed";
  EXPECT_TRUE(controls.rolled);
  EXPECT_FALSE(smallest_control(negative_controls({2, {10}, {1}, {3, -3}}, std::nullopt))) << "one input";
  EXPECT_FALSE(smallest_control(negative_controls({}, std::nullopt)));
}

TEST(NegativeControls, TheSmallestIsTheHardestToSee) {
  const auto smallest = smallest_control({1.4, 0.98, 0.3});
  ASSERT_TRUE(smallest);
  EXPECT_EQ(smallest->description, "attending to padding");
  EXPECT_EQ(smallest->divergence, 0.3);
  EXPECT_EQ(smallest_control({1.4, 0.98, std::nullopt})->description, "giving every input the same answer");
}

TEST(NegativeControls, SurviveTheTrip) {
  const NegativeControls controls{1.5, std::nullopt, 0.25};
  EXPECT_EQ(controls_from(to_json(controls)), controls);
  EXPECT_THROW(controls_from({{"rolled", 1}}), Json::exception);
}

}  // namespace
}  // namespace transformeter
