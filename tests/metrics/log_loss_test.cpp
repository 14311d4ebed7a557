// How sure a model is of its labels, from the losses of its examples.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "metrics/metrics_testing.h"

namespace transformeter {
namespace {

MetricRow row_of_losses(const std::vector<double>& losses, bool trained = true) {
  CaseRecord one =
      case_of({value_series("true_class", std::vector<double>(losses.size(), 1)), value_series("log_loss", losses)});
  one.effective = {{"model", {{"trained", trained}}}};
  one.replicates.push_back(one.replicates[0]);
  return row_of(analyze_case(one), "log_loss", "mean");
}

TEST(LogLoss, IsTheMeanOverTheExamplesOnceForReplicates) {
  std::vector<double> losses;
  for (int i = 0; i < 100; ++i) losses.push_back(i % 2 == 0 ? 0.1 : 0.3);
  const MetricRow row = row_of_losses(losses);
  EXPECT_NEAR(row.value.value(), 0.2, 1e-12);
  EXPECT_EQ(row.unit, "nat");
  EXPECT_EQ(row.n, 100U);
  const double half_width = 1.984 * 0.1 / std::sqrt(99.0);  // t with 99 degrees of freedom
  EXPECT_NEAR(row.low.value(), 0.2 - half_width, 1e-4);
  EXPECT_NEAR(row.high.value(), 0.2 + half_width, 1e-4);
}

TEST(LogLoss, SaysWhyThereIsNone) {
  EXPECT_EQ(row_of_losses({0.1, 0.2}, false).reason, "seeded random weights have no score");
  EXPECT_EQ(row_of_losses({0.1, std::numeric_limits<double>::infinity()}).reason,
            "the loss of an example is not finite");
  EXPECT_EQ(row_of_losses({}).reason, "the worker does not report the loss of each example") << "an older worker";
}

TEST(LogLoss, OneExampleThatDecidesItLeavesNoInterval) {
  std::vector<double> losses(200, 0.01);
  losses[7] = 12;
  const MetricRow row = row_of_losses(losses);
  EXPECT_TRUE(row.value.has_value());
  EXPECT_FALSE(row.low.has_value());
  EXPECT_EQ(row.reason.rfind("heavy tail", 0), 0U) << row.reason;
}

}  // namespace
}  // namespace transformeter
