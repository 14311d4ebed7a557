// Levels that are known, and series without any.
#include "stats/change_points.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace transformeter {
namespace {

std::vector<double> levels(const std::vector<std::pair<std::size_t, double>>& parts, double deviation,
                           std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<double> values;
  for (const auto& [count, level] : parts) {
    for (std::size_t i = 0; i < count; ++i) values.push_back(level + deviation * random.normal());
  }
  return values;
}

TEST(ChangePoints, FindOneStep) {
  const auto found = change_points(levels({{12, 1}, {8, 1.1}}, 0.02, 1));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at, 12u);
  EXPECT_LE(found[0].p_value, 0.01);
}

TEST(ChangePoints, FindSeveralInTheOrderOfTheSeries) {
  const auto found = change_points(levels({{15, 1}, {15, 2}, {15, 1.5}}, 0.05, 2));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at, 15u);
  EXPECT_EQ(found[1].at, 30u);
}

TEST(ChangePoints, AreNoneInEqualAndInFewValues) {
  EXPECT_TRUE(change_points(std::vector<double>(20, 1.0)).empty());
  EXPECT_TRUE(change_points(std::vector<double>{}).empty());
  EXPECT_TRUE(change_points(std::vector<double>{1, 1, 2, 2}).empty()) << "too few";
}

TEST(ChangePoints, AreSeldomFoundInNoise) {
  constexpr int kSeries = 300;
  int wrong = 0;
  for (int i = 0; i < kSeries; ++i) {
    wrong +=
        change_points(levels({{20, 1}}, 0.02, 100 + static_cast<std::uint64_t>(i)), {.level = 0.05}).empty() ? 0 : 1;
  }
  EXPECT_LE(wrong, kSeries * 0.05 + 3 * std::sqrt(kSeries * 0.05 * 0.95)) << "5 % and three standard errors";
  EXPECT_GT(wrong, 0) << "a test that never errs tests nothing";
}

// Of 126 ways to divide 9 values into 4 and 5 two are as extreme, of 20 ways to divide 6 in half two. The order that
// was found counts as one permutation more, and the means have standard errors of 0.0014 and 0.0067.
TEST(ChangePoints, OfFewValuesAreNoSurerThanTheWaysToDivideThem) {
  const std::vector<double> nine{1, 1.1, 1.2, 1.3, 2, 2.1, 2.2, 2.3, 2.4};
  const std::vector<double> six{1, 1.1, 1.2, 2, 2.1, 2.2};
  constexpr std::uint64_t kSeeds = 20;
  double of_nine = 0;
  double of_six = 0;
  std::uint64_t too_sure = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    too_sure += change_points(nine, {.seed = seed}).empty() ? 0 : 1;
    const auto in_nine = change_points(nine, {.level = 0.05, .seed = seed});
    ASSERT_EQ(in_nine.size(), 1u);
    of_nine += in_nine[0].p_value / kSeeds;
    const auto in_six = change_points(six, {.level = 0.2, .seed = seed});
    ASSERT_EQ(in_six.size(), 1u);
    of_six += in_six[0].p_value / kSeeds;
  }
  EXPECT_LE(too_sure, kSeeds / 4) << "of 199 permutations fewer than two are as extreme with some luck";
  EXPECT_NEAR(of_nine, 2.0 / 126, 0.005);
  EXPECT_NEAR(of_six, 2.0 / 20, 0.02);
}

TEST(ChangePoints, OfAsManyValuesAsAreNeededFindAStepWhateverTheSeed) {
  EXPECT_EQ(fewest_values(0.01), 11u);
  for (const double level : {0.05, 0.01, 0.002}) {
    const std::size_t count = fewest_values(level);
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back((i < count / 2 ? 1 : 2) + 0.01 * static_cast<double>(i));
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      EXPECT_EQ(change_points(values, {.level = level, .seed = seed}).size(), 1u) << level << ", seed " << seed;
    }
  }
}

TEST(ChangePoints, OneOutlierIsNone) {
  std::vector<double> values = levels({{20, 1}}, 0.02, 7);
  values[10] = 3;
  EXPECT_TRUE(change_points(values).empty());
}

}  // namespace
}  // namespace transformeter
