// Times of cases that were not measured, from those that were.
#include "analysis/time_forecast.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/result_records.h"

namespace transformeter {
namespace {

MeasuredRate measured(const std::string& model, int batch, double gflops, double time_s,
                      const std::string& precision = "fp32") {
  Json requested = requested_of(batch, 128, precision);
  requested["model"] = model;
  return {requested, model + " b" + std::to_string(batch), "20261128-101112-aaaaaa", gflops * 1e9, time_s};
}

Json asked(const std::string& model, const std::string& precision = "fp32") {
  Json requested = requested_of(4, 128, precision);
  requested["model"] = model;
  return requested;
}

TEST(ScaledTime, IsInProportionToTheFlopsOfTheNearestCase) {
  const std::vector<MeasuredRate> all{measured("a", 1, 10, 0.1), measured("a", 32, 320, 2.0)};
  const auto time = scaled_time(asked("a"), 160e9, all);
  ASSERT_TRUE(time);
  EXPECT_DOUBLE_EQ(time->value_s, 1.0);
  EXPECT_EQ(time->label, "a b32");
  EXPECT_FALSE(time->low_s) << "two cases say too little of the error";
}

TEST(ScaledTime, PrefersTheSameModel) {
  const std::vector<MeasuredRate> all{measured("a", 1, 10, 0.1), measured("b", 4, 40, 0.2)};
  EXPECT_EQ(scaled_time(asked("a"), 40e9, all)->label, "a b1");
  EXPECT_EQ(scaled_time(asked("c"), 40e9, all)->label, "b b4") << "of another one the nearest";
}

TEST(ScaledTime, NeedsTheSamePrecisionEngineAndThreads) {
  const std::vector<MeasuredRate> all{measured("a", 1, 10, 0.1)};
  EXPECT_FALSE(scaled_time(asked("a", "bf16"), 10e9, all));
  Json other = asked("a");
  other["engine"] = "fast";
  std::vector<MeasuredRate> named = all;
  named.front().requested["engine"] = "pytorch";
  EXPECT_FALSE(scaled_time(other, 10e9, named));
  named.front().requested["threads"] = 2;
  other = named.front().requested;
  other["threads"] = "auto";
  EXPECT_TRUE(scaled_time(other, 10e9, named)) << "what is still to be chosen may be the same";
  other["threads"] = 1;
  EXPECT_FALSE(scaled_time(other, 10e9, named));
}

// Of 10, 20 and 40 GFLOP: the second is off by 1.2 from both.
TEST(ScaledTime, HasTheLargestErrorAmongTheMeasured) {
  const std::vector<MeasuredRate> all{measured("a", 1, 10, 0.1), measured("a", 2, 20, 0.24), measured("a", 4, 40, 0.4)};
  const auto time = scaled_time(asked("a"), 80e9, all);
  ASSERT_TRUE(time && time->low_s && time->high_s);
  EXPECT_DOUBLE_EQ(time->value_s, 0.8);
  EXPECT_NEAR(*time->high_s / time->value_s, 1.2, 1e-9);
  EXPECT_NEAR(time->value_s / *time->low_s, 1.2, 1e-9);
}

}  // namespace
}  // namespace transformeter
