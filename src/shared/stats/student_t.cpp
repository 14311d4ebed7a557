// Boost.Math's distributions, in double: long double, its default, took a tenth of the time of an import. What has no
// answer is NaN or infinite here, never an exception.
#include "stats/student_t.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace transformeter {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

namespace policies = boost::math::policies;
using Policy =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using StudentT = boost::math::students_t_distribution<double, Policy>;

bool is_probability(double p) {
  return p > 0 && p < 1;
}

}  // namespace

double normal_quantile(double p) {
  return is_probability(p) ? boost::math::quantile(Normal(), p) : kNan;
}

double normal_two_sided_p(double z) {
  return std::erfc(std::fabs(z) / std::sqrt(2.0));
}

double student_t_quantile(double p, double degrees_of_freedom) {
  if (!is_probability(p) || !(degrees_of_freedom > 0)) return kNan;
  return boost::math::quantile(StudentT(degrees_of_freedom), p);
}

double student_t_two_sided_p(double t, double degrees_of_freedom) {
  if (std::isnan(t) || !(degrees_of_freedom > 0)) return kNan;
  if (std::isinf(t)) return 0;
  return 2 * boost::math::cdf(complement(StudentT(degrees_of_freedom), std::fabs(t)));
}

}  // namespace transformeter
