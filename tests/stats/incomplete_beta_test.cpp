// The incomplete beta function against exact sums and values from SciPy 1.x (scipy.special.betainc).
#include "stats/incomplete_beta.h"

#include <gtest/gtest.h>

#include <cmath>

namespace transformeter {
namespace {

TEST(IncompleteBeta, EqualsTheBinomialSumItStandsFor) {
  constexpr int kN = 30;
  constexpr double kP = 0.37;
  double sum = 0;
  double term = std::pow(1 - kP, kN);
  for (int k = 0; k < kN; ++k) {
    sum += term;
    EXPECT_NEAR(regularized_incomplete_beta(kN - k, k + 1, 1 - kP), sum, 1e-13) << k;
    term *= kP / (1 - kP) * (kN - k) / (k + 1);
  }
}

TEST(IncompleteBeta, AgreesWithScipyUpToAMillion) {
  struct Known {
    double a, b, x, value;
  };
  for (const Known& known :
       {Known{0.5, 0.5, 0.3, 0.36901011956554536}, Known{2, 3, 0.4, 0.5248},
        Known{1e6, 1e6, 0.5003, 0.8019280371578701}, Known{50, 1, 0.9, 0.005153775207320118},
        Known{4557.3, 46.4, 0.99, 0.5021734573416419}, Known{1e-3, 5, 0.2, 0.9997834456464277},
        Known{9e5, 1e5, 0.8995, 0.047947080811782214}, Known{30.5, 3.25, 0.95, 0.823535838249938}}) {
    EXPECT_NEAR(regularized_incomplete_beta(known.a, known.b, known.x), known.value, 1e-10 * known.value)
        << known.a << " " << known.b << " " << known.x;
  }
}

TEST(IncompleteBeta, IsBoundedAtTheEdges) {
  EXPECT_EQ(regularized_incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(regularized_incomplete_beta(2, 3, 1), 1);
  EXPECT_EQ(regularized_incomplete_beta(2, 3, -1), 0);
  EXPECT_TRUE(std::isnan(regularized_incomplete_beta(0, 3, 0.5)));
  EXPECT_TRUE(std::isnan(regularized_incomplete_beta(2, 3, std::nan(""))));
}

}  // namespace
}  // namespace transformeter
