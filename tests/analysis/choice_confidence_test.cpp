// Whether a stated probability of being the best is one: on simulated machines whose true levels are known.
#include "analysis/choice_confidence.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "stats/summary.h"

namespace transformeter {
namespace {

using testing::ElementsAre;

constexpr double kSure = 0.95;

Level exact(double value) {
  return {value, 0, 0, true};
}

TEST(WinShares, OfExactLevelsAreAllOrNothing) {
  EXPECT_THAT(win_shares({{exact(3), {}}, {exact(2), {}}}, {.draws = 100}).best, ElementsAre(0, 1));
  EXPECT_THAT(win_shares({{exact(3), {}}, {exact(2), {}}}, {.is_higher_better = true, .draws = 100}).best,
              ElementsAre(1, 0));
  EXPECT_THAT(win_shares({{exact(2), {}}, {exact(2), {}}}, {.draws = 100}).best, ElementsAre(1, 0))
      << "of equal ones the first";
}

// A difference of two normal levels with equal errors: Φ(d ÷ (√2 · error)), Φ(1) = 0.841.
TEST(WinShares, OfNormalLevelsAreThoseOfTheirDifference) {
  constexpr double kManyFreedoms = 1e4;
  const double error = 0.01;
  const Level first{1, error, kManyFreedoms, true};
  const Level second{std::exp(std::sqrt(2) * error), error, kManyFreedoms, true};
  const WinShares shares = win_shares({{first, {}}, {second, {}}}, {});
  EXPECT_NEAR(shares.best[0], 0.841, 0.01);
  EXPECT_NEAR(shares.best[0] + shares.best[1], 1, 1e-12);
}

// Student's t with 2 degrees of freedom: P(T < 2.92) = 0.95.
TEST(WinShares, OfFewProcessesHaveStudentsTails) {
  const Level first{1, 0.01, 2, true};
  const Level second = exact(std::exp(2.92 * 0.01));
  EXPECT_NEAR(win_shares({{first, {}}, {second, {}}}, {}).best[0], 0.95, 0.006);
}

// On its limit a case keeps it in half of the draws; then the other one, which is far slower, wins.
TEST(WinShares, HoldALimitInEachDraw) {
  const DrawnLimit near{{0.05, 0.02, 1e4, true}, 0.05, true};
  const WinShares shares = win_shares({{exact(1), {near}}, {exact(2), {}}}, {});
  EXPECT_NEAR(shares.best[0], 0.5, 0.015);
  EXPECT_NEAR(shares.broken[0], 0.5, 0.015);
  EXPECT_NEAR(shares.best[1], 1 - shares.best[0], 1e-12);
  const DrawnLimit at_least{exact(0.8), 0.9, false};
  EXPECT_THAT(win_shares({{exact(1), {at_least}}}, {}).best, ElementsAre(0));
}

// Where a limit is on the objective itself, a draw below the other case's level keeps the limit too.
TEST(WinShares, HoldALimitOnTheObjectiveAgainstItsOwnDraw) {
  const Level level{1, 0.02, 1e4, true};
  const std::vector<DrawnCase> one_draw{{level, {{level, 1, true, true}}}, {exact(1), {}}};
  const std::vector<DrawnCase> two_draws{{level, {{level, 1, true, false}}}, {exact(1), {}}};
  EXPECT_NEAR(win_shares(one_draw, {}).best[0], 0.5, 0.015);
  EXPECT_NEAR(win_shares(two_draws, {}).best[0], 0.25, 0.015);
}

TEST(WinShares, AreTheSameForOneSeed) {
  const std::vector<DrawnCase> cases{{{1, 0.01, 2, true}, {}}, {{1.01, 0.01, 2, true}, {}}};
  EXPECT_EQ(win_shares(cases, {.seed = 4}).best, win_shares(cases, {.seed = 4}).best);
  EXPECT_NE(win_shares(cases, {.seed = 4}).best, win_shares(cases, {.seed = 5}).best);
}

// Several cases whose processes differ, each measured in a few of them.
struct Simulation {
  std::size_t cases = 4;
  std::size_t processes = 3;
  double gap = 0.02;      // standard deviation of the cases' true levels, on the logarithm
  double between = 0.01;  // of processes around their case's level
  double within = 0.002;  // of what one process measures around its own
};

struct Claims {
  int sure = 0;   // claims with a confidence of at least kSure
  int right = 0;  // of these, that name the truly best
};

// How the confidence is found.
enum class Method {
  kLevels,         // as win_shares does it, from a t interval over processes
  kWithinProcess,  // the same from what samples of one process tell, which is nothing of other processes
  kResampled,      // means of processes drawn with repetition
};

std::vector<std::vector<double>> measured_logarithms(const Simulation& made, const std::vector<double>& truth,
                                                     RandomStream& random) {
  std::vector<std::vector<double>> cases;
  for (const double level : truth) {
    std::vector<double>& values = cases.emplace_back();
    for (std::size_t i = 0; i < made.processes; ++i) {
      values.push_back(level + made.between * random.normal() + made.within * random.normal());
    }
  }
  return cases;
}

std::vector<double> shares_of_levels(const std::vector<std::vector<double>>& measured, std::optional<double> within,
                                     std::uint64_t seed) {
  std::vector<DrawnCase> cases;
  for (const std::vector<double>& values : measured) {
    const Summary summary = *summarize(values);
    const auto n = static_cast<double>(values.size());
    const double error = within.value_or(*summary.stddev) / std::sqrt(n);
    cases.push_back({{std::exp(summary.mean), error, within ? 1e4 : n - 1, true}, {}});
  }
  return win_shares(cases, {.draws = 1000, .seed = seed}).best;
}

std::vector<double> shares_of_resamples(const std::vector<std::vector<double>>& measured, RandomStream& random) {
  constexpr int kDraws = 1000;
  std::vector<double> shares(measured.size());
  for (int i = 0; i < kDraws; ++i) {
    std::vector<double> sums;
    for (const std::vector<double>& values : measured) {
      double& sum = sums.emplace_back();
      for (std::size_t each = 0; each < values.size(); ++each) sum += values[random.below(values.size())];
    }
    shares[static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin())] += 1.0 / kDraws;
  }
  return shares;
}

Claims claims_of(const Simulation& made, Method method) {
  constexpr std::uint64_t kChoices = 3000;
  Claims claims;
  for (std::uint64_t seed = 0; seed < kChoices; ++seed) {
    RandomStream random(seed, "simulated_choice");
    std::vector<double> truth;
    for (std::size_t i = 0; i < made.cases; ++i) truth.push_back(made.gap * random.normal());
    const auto measured = measured_logarithms(made, truth, random);
    const std::vector<double> shares =
        method == Method::kResampled
            ? shares_of_resamples(measured, random)
            : shares_of_levels(measured, method == Method::kLevels ? std::nullopt : std::optional(made.within), seed);
    const auto most = std::max_element(shares.begin(), shares.end());
    if (*most < kSure) continue;
    ++claims.sure;
    const auto best = std::min_element(truth.begin(), truth.end()) - truth.begin();
    claims.right += best == most - shares.begin() ? 1 : 0;
  }
  return claims;
}

double share_right(const Claims& claims) {
  return static_cast<double>(claims.right) / claims.sure;
}

TEST(SimulatedChoices, AreRightAsOftenAsTheySay) {
  for (const std::size_t processes : {3u, 5u, 10u}) {
    for (const double gap : {0.01, 0.02, 0.05}) {
      const Claims claims = claims_of({.processes = processes, .gap = gap}, Method::kLevels);
      ASSERT_GT(claims.sure, 30) << processes << " processes, levels " << gap << " apart";
      EXPECT_GE(share_right(claims), 0.93)
          << processes << " processes, levels " << gap << " apart: " << claims.right << " of " << claims.sure;
    }
  }
}

// Where processes differ by 1 %, samples that know their own process to 0.2 % are too sure of the others.
TEST(SimulatedChoices, WithoutTheSpreadBetweenProcessesClaimTooMuch) {
  const Claims claims = claims_of({.gap = 0.01}, Method::kWithinProcess);
  EXPECT_LT(share_right(claims), 0.85) << claims.right << " of " << claims.sure;
}

// Why levels are drawn from Student's t: means of three values drawn again never lie outside of these.
TEST(SimulatedChoices, FromThreeProcessesDrawnAgainClaimTooMuch) {
  const Claims claims = claims_of({.gap = 0.005}, Method::kResampled);
  EXPECT_LT(share_right(claims), 0.9) << claims.right << " of " << claims.sure;
}

}  // namespace
}  // namespace transformeter
