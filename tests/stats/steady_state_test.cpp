// Warm-up that must be cut, drift that must be found, and noise that must be left alone.
#include "stats/steady_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/series.h"
#include "stats/trend.h"

namespace transformeter {
namespace {

std::vector<double> noise(std::size_t n, double deviation, std::uint64_t seed = 1) {
  RandomStream random(seed);
  std::vector<double> values = ar1(n, 0, random);
  for (double& value : values) value = 1 + deviation * value;
  return values;
}

TEST(SteadyState, OfFewSamplesDropsAtMostThreeSlowFirstOnes) {
  std::vector<double> values = noise(12, 0.01);
  values[0] = 9;
  values[1] = 3;
  const SteadyState state = find_steady_state(values);
  EXPECT_EQ(state.from, 2u);
  EXPECT_TRUE(state.autocorrelation_untested);
  EXPECT_FALSE(state.rho);
  EXPECT_EQ(state.effective_n, 10);
  EXPECT_EQ(state.note, "warm-up: the first 2 of 12 samples cut");

  for (std::size_t i = 0; i < 5; ++i) values[i] = 9 - static_cast<double>(i);
  EXPECT_EQ(find_steady_state(values).from, 3u);
}

TEST(SteadyState, KeepsAFirstSampleThatIsNotHalfAsMuchAgain) {
  std::vector<double> values = noise(12, 0.001);
  values[0] = 1.49;
  EXPECT_EQ(find_steady_state(values).from, 0u);
  values[0] = 1.51;
  EXPECT_EQ(find_steady_state(values).from, 1u);
}

TEST(SteadyState, CutsASlowFirstSampleFromLongSeriesToo) {
  for (const std::size_t n : {30u, 99u, 100u, 1000u}) {
    std::vector<double> values = noise(n, 0.01);
    values[0] = 20;
    EXPECT_EQ(find_steady_state(values).from, 1u) << n;
  }
}

TEST(SteadyState, CutsAWarmUpRampAndKeepsTheFlatRest) {
  for (const std::size_t n : {40u, 99u, 100u, 400u, 5000u}) {
    std::vector<double> values = noise(n, 0.01);
    const std::size_t warm = n / 4;
    for (std::size_t i = 0; i < warm; ++i) {
      values[i] += 0.4 * static_cast<double>(warm - i) / static_cast<double>(warm);
    }
    const SteadyState state = find_steady_state(values);
    ASSERT_TRUE(state.from) << n;
    EXPECT_GE(*state.from, warm * 4 / 5) << n;
    EXPECT_LE(*state.from, warm * 5 / 4 + 5) << n;
    EXPECT_FALSE(state.drift) << n;
  }
}

TEST(SteadyState, FindsNoneInARampThroughTheWholeSeries) {
  for (const std::size_t n : {20u, 35u, 99u, 100u, 500u, 20000u}) {
    std::vector<double> exact;
    std::vector<double> falling = noise(n, 0.01);
    for (std::size_t i = 0; i < n; ++i) {
      exact.push_back(1 + static_cast<double>(i) / static_cast<double>(n));
      falling[i] += 1 - static_cast<double>(i) / static_cast<double>(n);
    }
    for (const auto& values : {exact, falling}) {
      const SteadyState state = find_steady_state(values);
      EXPECT_FALSE(state.from) << n;
      EXPECT_TRUE(state.drift) << n;
      EXPECT_EQ(state.effective_n, 0) << n;
      EXPECT_NE(state.note.find("no steady state"), std::string::npos) << n;
    }
  }
}

TEST(SteadyState, FindsNoneWhenTheClockDropsLate) {
  for (const std::size_t n : {60u, 300u}) {
    std::vector<double> values = noise(n, 0.01);
    for (std::size_t i = n * 3 / 5; i < n; ++i) values[i] *= 1.2;
    EXPECT_TRUE(find_steady_state(values).drift) << n;
  }
}

TEST(SteadyState, LeavesADriftAloneThatIsTooSmallToMatter) {
  std::vector<double> values = noise(100000, 0.001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.005 * static_cast<double>(i) / 100000;
  EXPECT_TRUE(find_steady_state(values).from);
}

TEST(SteadyState, IsNotFooledByLateOutliers) {
  for (const std::size_t n : {50u, 200u}) {
    std::vector<double> values = noise(n, 0.01);
    values[n / 3] = 30;
    values[n - 4] = 30;
    const SteadyState state = find_steady_state(values);
    ASSERT_TRUE(state.from) << n;
    EXPECT_LE(*state.from, n / 10) << n;
  }
}

TEST(SteadyState, SeldomRejectsACorrelatedStationarySeries) {
  RandomStream random(17);
  for (const std::size_t n : {50u, 99u, 150u, 500u}) {
    int rejected = 0;
    std::size_t cut = 0;
    constexpr int kTrials = 200;
    for (int i = 0; i < kTrials; ++i) {
      const SteadyState state = find_steady_state(lognormal_ar1(n, 0.7, 0.1, random));
      if (state.from) {
        cut += *state.from;
      } else {
        ++rejected;
      }
    }
    EXPECT_LE(rejected, kTrials * 5 / 100) << n;
    EXPECT_LE(cut, kTrials * n * 3 / 100) << n;
  }
}

TEST(SteadyState, OfAConstantSeriesOrZerosStartsAtOnce) {
  for (const double value : {0.0, 0.1, 5.0}) {
    for (const std::size_t n : {1u, 2u, 10u, 50u, 300u}) {
      const SteadyState state = find_steady_state(std::vector<double>(n, value));
      EXPECT_EQ(state.from, 0u) << n;
      EXPECT_FALSE(state.drift);
      EXPECT_EQ(state.effective_n, n);
      EXPECT_FALSE(state.rho);
    }
  }
}

TEST(SteadyState, OfNothingOrNanIsNone) {
  EXPECT_EQ(find_steady_state({}).note, "no samples");
  std::vector<double> values = noise(50, 0.01);
  values[20] = std::nan("");
  const SteadyState state = find_steady_state(values);
  EXPECT_FALSE(state.from);
  EXPECT_FALSE(state.drift);
  EXPECT_EQ(state.note, "a sample is not finite");
}

TEST(Trend, FindsTheSlopeOfALine) {
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(3 + 0.25 * i);
  const auto trend = fit_trend(values);
  ASSERT_TRUE(trend);
  EXPECT_NEAR(trend->slope, 0.25, 1e-12);
  EXPECT_EQ(trend->p_value, 0);
}

TEST(Trend, IsNothingWhereALineMeansNothing) {
  EXPECT_FALSE(fit_trend(std::vector<double>{1, 2, 3}));
  EXPECT_FALSE(fit_trend(std::vector<double>(20, 4.0)));
  EXPECT_FALSE(fit_trend(std::vector<double>{1, 2, 3, std::nan(""), 5, 6, 7}));
  EXPECT_FALSE(drifts(std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace transformeter
