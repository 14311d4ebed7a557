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

// Of 4 and 5 values two of 126 ways to divide them are as extreme.
TEST(ChangePoints, OfFewValuesAreNoSurerThanTheWaysToDivideThem) {
  const std::vector<double> nine{1, 1.1, 1.2, 1.3, 2, 2.1, 2.2, 2.3, 2.4};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_TRUE(change_points(nine, {.seed = seed}).empty());
    const auto found = change_points(nine, {.level = 0.05, .seed = seed});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].p_value, 2.0 / 126, 0.02);
    const auto six = change_points(std::vector<double>{1, 1.1, 1.2, 2, 2.1, 2.2}, {.level = 0.2, .seed = seed});
    ASSERT_EQ(six.size(), 1u);
    EXPECT_NEAR(six[0].p_value, 0.1, 0.09);
  }
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
