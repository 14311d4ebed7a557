// Values and intervals as the tables show them.
#include "report/metric_text.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

MetricRow time_of(double value, double low, double high) {
  MetricRow row;
  row.unit = "s";
  row.value = value;
  row.low = low;
  row.high = high;
  return row;
}

TEST(ValueText, GivesHalfWidthsInPercentUpToTheValueItself) {
  const MetricRow narrow = time_of(0.01, 0.002, 0.018);
  EXPECT_EQ(value_text(&narrow), "10.0 ms ± 80.0 %");
  const MetricRow wide = time_of(0.01, 0, 0.04);
  EXPECT_EQ(value_text(&wide), "10.0 ms ± > 100 %");
}

}  // namespace
}  // namespace transformeter
