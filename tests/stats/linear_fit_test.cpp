// Lines whose parameters are known, and how often the intervals hold them.
#include "stats/linear_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "stats/student_t.h"

namespace transformeter {
namespace {

TEST(LinearFit, GivesBackTheLineItWasMadeFrom) {
  std::vector<LinePoint> points;
  for (const double x : {1.0, 2.0, 4.0, 64.0}) points.push_back({x, 0.1 + 0.01 * x, 0.001 * x});
  const auto fit = fit_line(points, true);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->intercept.value, 0.1, 1e-12);
  EXPECT_NEAR(fit->slope.value, 0.01, 1e-12);
  EXPECT_NEAR(fit->at(10), 0.2, 1e-12);
}

// Points at -1, 0 and 1 with equal half-widths h: the intercept is their mean, the slope half the ends' difference.
TEST(LinearFit, IntervalsFollowFromThePointsIntervals) {
  const double h = 0.3;
  const auto fit = fit_line(std::vector<LinePoint>{{-1, 1, h}, {0, 2, h}, {1, 3, h}}, true);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->intercept.interval->high - 2, h / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(fit->slope.interval->high - 1, h / std::sqrt(2.0), 1e-12);
}

TEST(LinearFit, ScatterAboutTheLineWidensThem) {
  // Residuals 1/3, -2/3, 1/3 about the mean of a flat line; n - 2 = 1 degree of freedom.
  const std::vector<LinePoint> points{{-1, 1, 0.01}, {0, 0, 0.01}, {1, 1, 0.01}};
  const double deviation = std::sqrt(1.0 / 9 + 4.0 / 9 + 1.0 / 9);
  const double half_width = student_t_quantile(0.975, 1) * deviation / std::sqrt(3.0);
  for (const bool errors_are_known : {true, false}) {
    const auto fit = fit_line(points, errors_are_known);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->intercept.interval->high - fit->intercept.value, half_width, 1e-9);
  }
}

TEST(LinearFit, AnExactPointOutweighsAVagueOne) {
  const auto fit = fit_line(std::vector<LinePoint>{{0, 0, 1e-3}, {1, 1, 1e-3}, {2, 5, 1e3}}, true);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->slope.value, 1, 1e-6);
}

TEST(LinearFit, NeedsThreePointsAtDifferentPlaces) {
  EXPECT_FALSE(fit_line(std::vector<LinePoint>{{0, 0, 1}, {1, 1, 1}}, true));
  EXPECT_FALSE(fit_line(std::vector<LinePoint>{{1, 0, 1}, {1, 1, 1}, {1, 2, 1}}, true));
  EXPECT_FALSE(fit_line(std::vector<LinePoint>{{0, 0, 1}, {1, 1, 0}, {2, 2, 1}}, true));
  EXPECT_FALSE(fit_line(std::vector<LinePoint>{{0, 0, 1}, {1, std::nan(""), 1}, {2, 2, 1}}, true));
}

// The wider of two intervals covers at least as often as 95 %; the standard error of 0.95 over 2,000 trials is 0.005.
TEST(LinearFit, IntervalsHoldTheTruthAsOftenAsTheySay) {
  RandomStream random(7, "linear_fit");
  for (const bool errors_are_known : {true, false}) {
    int held = 0;
    constexpr int kTrials = 2000;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<LinePoint> points;
      for (const double x : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        const double truth = 0.1 + 0.01 * x;
        const double deviation = 0.02 * truth;
        points.push_back({x, truth + deviation * random.normal(), normal_quantile(0.975) * deviation});
      }
      const Interval interval = *fit_line(points, errors_are_known)->intercept.interval;
      if (interval.low <= 0.1 && 0.1 <= interval.high) ++held;
    }
    EXPECT_GE(held, static_cast<int>(0.935 * kTrials)) << errors_are_known;
    // Known errors give the wider of two intervals; by the scatter alone it is exact.
    if (!errors_are_known) {
      EXPECT_LE(held, static_cast<int>(0.965 * kTrials));
    }
  }
}

}  // namespace
}  // namespace transformeter
