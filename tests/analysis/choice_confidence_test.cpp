// Probabilities of being the best where they are known.
#include "analysis/choice_confidence.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "analysis/simulated_choices.h"

namespace transformeter {
namespace {

using testing::ElementsAre;

Level exact(double value) {
  return {value, 0, 0, true};
}

TEST(WinShares, OfExactLevelsAreAllOrNothing) {
  EXPECT_THAT(win_shares({{exact(3), {}}, {exact(2), {}}}, {.draws = 100}), ElementsAre(0, 1));
  EXPECT_THAT(win_shares({{exact(3), {}}, {exact(2), {}}}, {.is_higher_better = true, .draws = 100}),
              ElementsAre(1, 0));
  EXPECT_THAT(win_shares({{exact(2), {}}, {exact(2), {}}}, {.draws = 100}), ElementsAre(1, 0))
      << "of equal ones the first";
}

// A difference of two normal levels with equal errors: Φ(d ÷ (√2 · error)), Φ(1) = 0.841.
TEST(WinShares, OfNormalLevelsAreThoseOfTheirDifference) {
  constexpr double kManyFreedoms = 1e4;
  const double error = 0.01;
  const Level first{1, error, kManyFreedoms, true};
  const Level second{std::exp(std::sqrt(2) * error), error, kManyFreedoms, true};
  const std::vector<double> shares = win_shares({{first, {}}, {second, {}}}, {});
  EXPECT_NEAR(shares[0], 0.841, 0.01);
  EXPECT_NEAR(shares[0] + shares[1], 1, 1e-12);
}

// Student's t with 2 degrees of freedom: P(T < 2.92) = 0.95.
TEST(WinShares, OfFewProcessesHaveStudentsTails) {
  const Level first{1, 0.01, 2, true};
  const Level second = exact(std::exp(2.92 * 0.01));
  EXPECT_NEAR(win_shares({{first, {}}, {second, {}}}, {})[0], 0.95, 0.006);
}

// On its limit a case keeps it in half of the draws; then the other one, which is far slower, wins.
TEST(WinShares, HoldALimitInEachDraw) {
  const DrawnLimit near{{0.05, 0.02, 1e4, true}, 0.05, true};
  const std::vector<double> shares = win_shares({{exact(1), {near}}, {exact(2), {}}}, {});
  EXPECT_NEAR(shares[0], 0.5, 0.015);
  EXPECT_NEAR(shares[1], 1 - shares[0], 1e-12);
  const DrawnLimit at_least{exact(0.8), 0.9, false};
  EXPECT_THAT(win_shares({{exact(1), {at_least}}}, {}), ElementsAre(0));
}

// Where a limit is on the objective itself, a draw below the other case's level keeps the limit too.
TEST(WinShares, HoldALimitOnTheObjectiveAgainstItsOwnDraw) {
  const Level level{1, 0.02, 1e4, true};
  const std::vector<DrawnCase> one_draw{{level, {{level, 1, true, true}}}, {exact(1), {}}};
  const std::vector<DrawnCase> two_draws{{level, {{level, 1, true, false}}}, {exact(1), {}}};
  EXPECT_NEAR(win_shares(one_draw, {})[0], 0.5, 0.015);
  EXPECT_NEAR(win_shares(two_draws, {})[0], 0.25, 0.015);
}

TEST(WinShares, AreTheSameForOneSeed) {
  const std::vector<DrawnCase> cases{{{1, 0.01, 2, true}, {}}, {{1.01, 0.01, 2, true}, {}}};
  EXPECT_EQ(win_shares(cases, {.seed = 4}), win_shares(cases, {.seed = 4}));
  EXPECT_NE(win_shares(cases, {.seed = 4}), win_shares(cases, {.seed = 5}));
}

// In short; the integration tests ask for all numbers of processes, and many more choices.
TEST(ChoiceConfidence, IsRightAsOftenAsItSays) {
  const ChoiceClaims claims = claims_of({.gap = 0.05, .choices = 100}, ConfidenceMethod::kLevels);
  ASSERT_GT(claims.sure, 30);
  EXPECT_GE(share_right(claims), 0.93) << claims.right << " of " << claims.sure;
}

}  // namespace
}  // namespace transformeter
