#include "stats/independent_slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace transformeter {
namespace {

using testing::Each;

constexpr double kEveryS = 2;

// `rounds` slices of each case in turn, on a machine whose speed swings by 5 % in `period_s`.
std::vector<std::vector<TimedSlice>> on_a_swinging_machine(double period_s, std::size_t cases = 3, int rounds = 20) {
  std::vector<std::vector<TimedSlice>> made(cases);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < cases; ++i) {
      const double start_s = kEveryS * (static_cast<double>(cases) * round + static_cast<double>(i));
      const double swing = 0.05 * std::sin(2 * std::numbers::pi * start_s / period_s);
      made[i].push_back({start_s, static_cast<double>(i + 1) * std::exp(swing)});
    }
  }
  return made;
}

void add_own_scatter(std::vector<TimedSlice>& slices) {
  for (std::size_t i = 0; i < slices.size(); ++i) {
    slices[i].seconds *= std::exp(0.05 * (static_cast<double>(i * i % 5) - 2));
  }
}

void expect_near(const std::vector<std::optional<double>>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(found[i]) << i;
    EXPECT_NEAR(*found[i], expected[i], 1e-9) << i;
  }
}

// Expected here and below: scripts/oracle/independent_slices.py.
TEST(IndependentSlices, AreAlmostAllWhereMoodsAreShort) {
  expect_near(independent_slices(on_a_swinging_machine(4.1)),
              {15.455267887021297, 15.455267887021297, 15.455267887021297});
}

TEST(IndependentSlices, AreFewerWhereTheyLast) {
  expect_near(independent_slices(on_a_swinging_machine(26.1)), {5.43826445895448, 5.43826445895448, 5.43826445895448});
}

TEST(IndependentSlices, AreOneWhereAMoodLastsAsLongAsTheRun) {
  expect_near(independent_slices(on_a_swinging_machine(400)), {1, 1, 1});
}

// The third case's scatter hides the mood, so it gets little weight.
TEST(IndependentSlices, AreToldByCasesOfLittleScatter) {
  auto cases = on_a_swinging_machine(400);
  add_own_scatter(cases[2]);
  expect_near(independent_slices(cases), {1, 1, 1});
  cases = on_a_swinging_machine(26.1);
  add_own_scatter(cases[2]);
  expect_near(independent_slices(cases), {6.2650494742125495, 6.2650494742125495, 6.2650494742125495});
}

// A slow swing in the last case alone, and a fast one in all.
TEST(IndependentSlices, AreFewerOfACaseWithMoodsOfItsOwn) {
  auto cases = on_a_swinging_machine(4.7, 4);
  for (TimedSlice& slice : cases[3])
    slice.seconds *= std::exp(0.5 * std::sin(2 * std::numbers::pi * slice.start_s / 90));
  expect_near(independent_slices(cases), {18.49261898132931, 18.49261898132931, 18.49261898132931, 1.5652684326662827});
}

// Those measured when the others had ended.
TEST(IndependentSlices, AreCountedInOthersWhereOneCaseHasFurtherOnes) {
  auto cases = on_a_swinging_machine(4.7, 4);
  for (int i = 0; i < 6; ++i) {
    const double start_s = 170 + 4 * i;
    cases[0].push_back({start_s, std::exp(0.05 * std::sin(2 * std::numbers::pi * start_s / 4.7))});
  }
  expect_near(independent_slices(cases), {23.560960319488295, 18.52484672115938, 18.52484672115938, 18.52484672115938});
}

// Two slices of one case, at the beginning.
TEST(IndependentSlices, AreNotDecidedByTheSizeOfOutliers) {
  auto cases = on_a_swinging_machine(7);
  for (TimedSlice& slice : cases[1]) slice.seconds *= slice.start_s < 12 ? 1.5 : 1;
  const auto some = independent_slices(cases);
  for (TimedSlice& slice : cases[1]) slice.seconds *= slice.start_s < 12 ? 100 : 1;
  EXPECT_EQ(independent_slices(cases), some);
}

TEST(IndependentSlices, AreToldByThreeCasesOfAMinute) {
  EXPECT_THAT(independent_slices(on_a_swinging_machine(7, 2, 40)), Each(std::nullopt));
  EXPECT_THAT(independent_slices(on_a_swinging_machine(7, 3, 11)), Each(std::nullopt)) << "54 s";
  EXPECT_THAT(independent_slices(on_a_swinging_machine(7, 3, 12)), Each(testing::Ne(std::nullopt)));
  EXPECT_TRUE(independent_slices({}).empty());
}

// All other slices begin when the last worker has started.
TEST(IndependentSlices, DoNotCareHowLongWorkersTakeToStart) {
  auto cases = on_a_swinging_machine(4.1);
  const auto before = independent_slices(cases);
  for (std::vector<TimedSlice>& slices : cases) slices.front().start_s -= 100;
  EXPECT_EQ(independent_slices(cases), before);
}

// A case that ended early, and one with a gap of a sixth.
TEST(IndependentSlices, AreToldOfCasesAllOverTheRun) {
  auto cases = on_a_swinging_machine(7, 5);
  std::erase_if(cases[0], [](const TimedSlice& slice) { return slice.start_s > 120; });
  std::erase_if(cases[1], [](const TimedSlice& slice) { return slice.start_s > 66 && slice.start_s < 100; });
  ASSERT_GE(cases[0].size(), 8U);
  const auto found = independent_slices(cases);
  for (const std::size_t i : {0, 1}) EXPECT_FALSE(found[i]) << i;
  for (const std::size_t i : {2, 3, 4}) EXPECT_TRUE(found[i]) << i;
  cases.pop_back();
  EXPECT_THAT(independent_slices(cases), Each(std::nullopt)) << "two are left";
}

TEST(IndependentSlices, OfACaseThatCannotBeJudgedAreUnknown) {
  auto cases = on_a_swinging_machine(7, 6);
  cases[0].resize(7);
  cases[1][3].seconds = 0;
  for (TimedSlice& slice : cases[2]) slice.seconds = 1;
  const auto found = independent_slices(cases);
  for (const std::size_t i : {0, 1, 2}) EXPECT_FALSE(found[i]) << i;
  for (const std::size_t i : {3, 4, 5}) EXPECT_TRUE(found[i]) << i;
}

}  // namespace
}  // namespace transformeter
