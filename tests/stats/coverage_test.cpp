// Simulated coverage of nominal 95 % intervals, through the whole path: steady window, effective n, interval. Seeds
// are fixed; the bounds are those of docs/metrics.md with two standard errors of the simulation around them.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "stats/dependence.h"
#include "stats/mean.h"
#include "stats/percentile.h"
#include "stats/ratio.h"
#include "stats/replicates.h"
#include "stats/series.h"
#include "stats/steady_state.h"

namespace transformeter {
namespace {

class Coverage {
 public:
  void add(const std::optional<Estimate>& estimate, double truth) {
    if (!estimate || !estimate->interval) return;
    ++intervals_;
    if (estimate->interval->low <= truth && truth <= estimate->interval->high) ++hits_;
  }
  int intervals() const { return intervals_; }
  double share() const { return static_cast<double>(hits_) / intervals_; }
  void expect(double low, double high, const std::string& where) const {
    const double slack = 2 * std::sqrt(0.95 * 0.05 / intervals_);
    EXPECT_GE(share(), low - slack) << where;
    EXPECT_LE(share(), high + slack) << where;
  }

 private:
  int intervals_ = 0;
  int hits_ = 0;
};

constexpr int kTrials = 400;

struct Case {
  std::size_t n;
  double rho;
  double sigma;  // of the logarithm
};

// Median and mean of lognormal durations, median 1.
void expect_coverage(const Case& c, double high) {
  RandomStream random(1000 * c.n + static_cast<std::uint64_t>(100 * c.rho));
  Coverage median;
  Coverage mean;
  for (int i = 0; i < kTrials; ++i) {
    const std::vector<double> values = lognormal_ar1(c.n, c.rho, c.sigma, random);
    const SteadyState state = find_steady_state(values);
    if (!state.from) continue;
    const auto window = std::span(values).subspan(*state.from);
    median.add(estimate_median(window, effective_n_of_quantile(window, 0.5)), 1);
    mean.add(estimate_mean(window, state.effective_n), std::exp(c.sigma * c.sigma / 2));
  }
  const std::string where = testing::PrintToString(c.n) + " samples, correlation " + testing::PrintToString(c.rho) +
                            ", sigma " + testing::PrintToString(c.sigma);
  EXPECT_GE(mean.intervals(), kTrials * 82 / 100) << where;  // 1 to 2 % are taken for drift, up to 10 % for a tail
  EXPECT_GE(median.intervals(), kTrials * 90 / 100) << where;
  median.expect(0.93, high, "median of " + where);
  mean.expect(0.93, high, "mean of " + where);
}

TEST(CoverageOfFewSamples, IsAtLeastNinetyThreePercent) {
  for (const std::size_t n : {10u, 15u, 20u, 35u}) {
    expect_coverage({n, 0, 0.02}, 1);
    expect_coverage({n, 0, 0.3}, 1);
  }
}

TEST(CoverageOfCorrelatedSamples, LiesBetweenNinetyThreeAndNinetySevenPercent) {
  for (const std::size_t n : {50u, 99u, 200u}) {
    for (const double rho : {0.0, 0.7}) {
      expect_coverage({n, rho, 0.02}, 0.97);
      expect_coverage({n, rho, 0.3}, 0.97);
    }
  }
}

TEST(CoverageOfPercentiles, HoldsForCorrelatedSamples) {
  RandomStream random(23);
  for (const double rho : {0.0, 0.5}) {
    Coverage coverage;
    for (int i = 0; i < kTrials; ++i) {
      const std::vector<double> values = ar1(600, rho, random);
      coverage.add(estimate_percentile(values, 0.9, effective_n_of_quantile(values, 0.9)), 1.2815515655446004);
    }
    EXPECT_GE(coverage.intervals(), kTrials * 95 / 100) << rho;
    coverage.expect(0.93, 0.98, "p90, correlation " + testing::PrintToString(rho));
  }
}

TEST(CoverageOfRatios, HoldsForBatchesOfUnequalLength) {
  RandomStream random(29);
  Coverage coverage;
  for (int i = 0; i < 2 * kTrials; ++i) {
    std::vector<double> work;
    std::vector<double> time;
    for (int k = 0; k < 60; ++k) {
      work.push_back(10 + 90 * random.uniform());
      time.push_back(0.01 * work.back() * std::exp(0.1 * random.normal() - 0.005));
    }
    coverage.add(estimate_ratio(work, time), 100);
  }
  coverage.expect(0.93, 0.97, "ratio");
}

TEST(CoverageOfReplicates, IsNominalWhereProcessesDiffer) {
  RandomStream random(31);
  Coverage coverage;
  for (int i = 0; i < 2 * kTrials; ++i) {
    std::vector<Estimate> replicates;
    for (int k = 0; k < 5; ++k) replicates.push_back({1 + 0.05 * random.normal(), Interval{0.99, 1.01}, 30, k});
    coverage.add(combine_slices(replicates)->estimate, 1);
  }
  coverage.expect(0.94, 0.96, "replicates");
}

}  // namespace
}  // namespace transformeter
