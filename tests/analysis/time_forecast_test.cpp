// Times of cases that were not measured, from those that were.
#include "analysis/time_forecast.h"

#include <gtest/gtest.h>

#include "support/result_records.h"

namespace transformeter {
namespace {

constexpr double kGiga = 1e9;

Json settings_of(const std::string& model, int batch, const std::string& precision = "fp32") {
  Json settings = requested_of(batch, 128, precision);
  settings["model"] = model;
  settings["threads"] = 2;
  return settings;
}

// One sample takes a GFLOP.
MeasuredRate measured(const std::string& model, int batch, double gflops_per_s) {
  return {settings_of(model, batch), model + " b" + std::to_string(batch), "20261128-101112-aaaaaa", batch * kGiga,
          gflops_per_s * kGiga};
}

CaseWork asked(const std::string& model, int batch) {
  return {settings_of(model, batch), batch * kGiga};
}

TEST(ScaledTime, IsByTheRateOfTheNearestCase) {
  const std::vector<MeasuredRate> all{measured("a", 1, 10), measured("a", 32, 20)};
  const auto time = scaled_time(asked("a", 16), all);
  ASSERT_TRUE(time);
  EXPECT_DOUBLE_EQ(time->value_s, 0.8);
  EXPECT_EQ(time->label, "a b32");
  EXPECT_FALSE(time->low_s) << "two cases say too little of the error";
  CaseWork cycle = asked("a", 16);
  cycle.batches = 5;
  EXPECT_DOUBLE_EQ(scaled_time(cycle, all)->value_s, 4);
}

TEST(ScaledTime, IsOfTheSameModelHoweverFar) {
  const std::vector<MeasuredRate> all{measured("a", 1, 10), measured("b", 1024, 20)};
  EXPECT_EQ(scaled_time(asked("a", 1024), all)->label, "a b1");
  EXPECT_EQ(scaled_time(asked("c", 1024), all)->label, "b b1024") << "of another one the nearest";
}

TEST(ScaledTime, IsOfAValidCaseIfThereIsOne) {
  std::vector<MeasuredRate> all{measured("a", 1, 10), measured("a", 8, 20)};
  all[1].is_doubtful = true;
  EXPECT_EQ(scaled_time(asked("a", 8), all)->label, "a b1");
  EXPECT_FALSE(scaled_time(asked("a", 8), all)->is_doubtful);
  all[0].is_doubtful = true;
  EXPECT_EQ(scaled_time(asked("a", 8), all)->label, "a b8");
  EXPECT_TRUE(scaled_time(asked("a", 8), all)->is_doubtful);
}

TEST(ScaledTime, NeedsTheSameKindOfWork) {
  const std::vector<MeasuredRate> all{measured("a", 1, 10)};
  for (const auto& [setting, value] : {std::pair<const char*, Json>("engine", "fast"),
                                       {"precision", "bf16"},
                                       {"threads", 1},
                                       {"batching", "packed"},
                                       {"padding", 0.5},
                                       {"sequence_length", "natural"},
                                       {"scenario", "train"}}) {
    CaseWork other = asked("a", 1);
    other.settings[setting] = value;
    EXPECT_FALSE(scaled_time(other, all)) << setting;
  }
}

// Of 1, 8 and 32 samples: rates differ by up to 1.5, which only the farthest of the three pairs shows.
TEST(ScaledTime, HasTheLargestErrorFromAsFarAmongTheMeasured) {
  const std::vector<MeasuredRate> all{measured("a", 1, 10), measured("a", 8, 12), measured("a", 32, 15)};
  const auto time = scaled_time(asked("a", 4), all);
  ASSERT_TRUE(time && time->low_s && time->high_s);
  EXPECT_EQ(time->label, "a b8");
  EXPECT_NEAR(*time->high_s / time->value_s, 1.5, 1e-9);
  EXPECT_NEAR(time->value_s / *time->low_s, 1.5, 1e-9);
  EXPECT_FALSE(scaled_time(asked("a", 512), all)->low_s) << "one pair alone is as far apart";
  EXPECT_FALSE(scaled_time(asked("b", 8), all)->low_s) << "none is of two models";
}

TEST(ScaledTime, HoldsTheIntervalOfTheRate) {
  std::vector<MeasuredRate> all{measured("a", 1, 10), measured("a", 8, 10), measured("a", 32, 10)};
  all[1].low_per_s = 8 * kGiga;
  all[1].high_per_s = 12.5 * kGiga;
  const auto time = scaled_time(asked("a", 8), all);
  ASSERT_TRUE(time && time->low_s && time->high_s);
  EXPECT_DOUBLE_EQ(*time->high_s, 1.0);
  EXPECT_DOUBLE_EQ(*time->low_s, 0.64);
  all[1].low_per_s = 0;
  EXPECT_FALSE(scaled_time(asked("a", 8), all)->high_s);
}

}  // namespace
}  // namespace transformeter
