// Quantiles against closed forms and values from SciPy 1.x (scipy.stats.norm.ppf, t.ppf).
#include "stats/student_t.h"

#include <gtest/gtest.h>

#include <cmath>

namespace transformeter {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST(NormalQuantile, AgreesWithScipyInTheMiddleAndInTheTails) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_quantile(0.3), -0.5244005127080409, 1e-13);
  EXPECT_NEAR(normal_quantile(0.999999), 4.753424308817087, 1e-9);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-12);
}

TEST(NormalQuantile, InvertsTheTwoSidedP) {
  for (const double p : {1e-12, 1e-4, 0.05, 0.9}) {
    EXPECT_NEAR(normal_two_sided_p(normal_quantile(p / 2)), p, 1e-12 * p);
  }
}

TEST(StudentTQuantile, AgreesWithTheClosedFormsOfOneAndTwoDegreesOfFreedom) {
  for (const double p : {0.6, 0.9, 0.975, 0.9999}) {
    EXPECT_NEAR(student_t_quantile(p, 1), std::tan(kPi * (p - 0.5)), 1e-9 * std::tan(kPi * (p - 0.5)));
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(student_t_quantile(p, 2), two, 1e-9 * two);
  }
}

TEST(StudentTQuantile, AgreesWithScipyForRealDegreesOfFreedom) {
  struct Known {
    double p, freedom, t;
  };
  for (const Known& known :
       {Known{0.975, 4, 2.7764451051977934}, Known{0.975, 9.5, 2.2441374614922958},
        Known{0.995, 30, 2.7499956535672254}, Known{0.975, 1e6, 1.959966356814107}, Known{0.6, 3, 0.2766706623326898},
        Known{0.9995, 2.5, 18.277893528131457}, Known{0.975, 0.5, 164.55767368048818}}) {
    EXPECT_NEAR(student_t_quantile(known.p, known.freedom), known.t, 2e-9 * known.t) << known.freedom;
    EXPECT_NEAR(student_t_quantile(1 - known.p, known.freedom), -known.t, 2e-9 * known.t) << known.freedom;
    EXPECT_NEAR(student_t_two_sided_p(known.t, known.freedom), 2 * (1 - known.p), 1e-9) << known.freedom;
  }
}

TEST(Quantiles, AnswerNanOutsideTheirRange) {
  EXPECT_TRUE(std::isnan(normal_quantile(0)));
  EXPECT_TRUE(std::isnan(normal_quantile(1)));
  EXPECT_TRUE(std::isnan(student_t_quantile(0.9, 0)));
  EXPECT_TRUE(std::isnan(student_t_quantile(std::nan(""), 5)));
  EXPECT_EQ(student_t_two_sided_p(INFINITY, 3), 0);
  EXPECT_GT(student_t_quantile(0.975, 1e-4), 1e300) << "hardly any freedom: no exception";
}

}  // namespace
}  // namespace transformeter
