// The search against limits that are known.
#include "run/largest_fit.h"

#include <gmock/gmock.h>

namespace transformeter {
namespace {

LargestFit found(std::int64_t limit, std::int64_t first, std::int64_t largest = 4096) {
  return find_largest_fit({.smallest = 1, .largest = largest, .first = first},
                          [=](std::int64_t value) { return value <= limit ? Fit::kFits : Fit::kTooLarge; });
}

TEST(LargestFit, IsFoundFromAnywhere) {
  for (const std::int64_t limit : {1, 2, 7, 100, 1000, 4095}) {
    for (const std::int64_t first : {1, 3, 64, 1000, 4096}) {
      SCOPED_TRACE(testing::Message() << limit << " from " << first);
      const LargestFit fit = found(limit, first);
      EXPECT_TRUE(fit.is_resolved);
      EXPECT_EQ(fit.fits, limit);
      EXPECT_EQ(fit.too_large, limit + 1);
      EXPECT_LE(fit.trials.size(), 28U);
    }
  }
}

TEST(LargestFit, AGoodForecastTakesFewTrials) {
  EXPECT_LE(found(1000, 1000).trials.size(), 10U);
  EXPECT_LE(found(1020, 1000).trials.size(), 11U);
  EXPECT_LE(found(980, 1000).trials.size(), 11U);
}

TEST(LargestFit, MayBeTheLargestOrNone) {
  const LargestFit all = found(9999, 100, 512);
  EXPECT_TRUE(all.is_resolved);
  EXPECT_EQ(all.fits, 512);
  EXPECT_FALSE(all.too_large);
  const LargestFit none = found(0, 100);
  EXPECT_TRUE(none.is_resolved);
  EXPECT_FALSE(none.fits);
  EXPECT_EQ(none.too_large, 1);
}

TEST(LargestFit, IsUnresolvedWhereATrialIsUnclear) {
  const LargestFit fit = find_largest_fit({.smallest = 1, .largest = 64, .first = 8},
                                          [](std::int64_t value) { return value > 16 ? Fit::kUnclear : Fit::kFits; });
  EXPECT_FALSE(fit.is_resolved);
  EXPECT_EQ(fit.fits, 15) << "steps of 1, 2, 4, 8 from 8";
  EXPECT_EQ(fit.trials.back().fit, Fit::kUnclear);
}

TEST(LargestFit, IsUnresolvedWhereItsEndsChange) {
  int calls = 0;
  const LargestFit fit = find_largest_fit({.smallest = 1, .largest = 64, .first = 10}, [&](std::int64_t value) {
    ++calls;
    return value <= (calls < 5 ? 12 : 10) ? Fit::kFits : Fit::kTooLarge;
  });
  EXPECT_FALSE(fit.is_resolved);
  EXPECT_EQ(fit.changed, 12);
  EXPECT_EQ(fit.fits, 11) << "what was not contradicted";
  EXPECT_EQ(fit.too_large, 13);
}

}  // namespace
}  // namespace transformeter
