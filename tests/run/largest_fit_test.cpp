// The search against limits that are known.
#include "run/largest_fit.h"

#include <gmock/gmock.h>

#include <vector>

namespace transformeter {
namespace {

struct Search {
  LargestFit fit;
  std::vector<Fit> trials;
};

Search search(std::int64_t limit, std::int64_t first, std::int64_t largest = 4096) {
  Search made;
  made.fit = find_largest_fit({.smallest = 1, .largest = largest, .first = first}, [&](std::int64_t value) {
    made.trials.push_back(value <= limit ? Fit::kFits : Fit::kTooLarge);
    return made.trials.back();
  });
  return made;
}

TEST(LargestFit, IsFoundFromAnywhere) {
  for (const std::int64_t limit : {1, 2, 7, 100, 1000, 4095}) {
    for (const std::int64_t first : {1, 3, 64, 1000, 4096}) {
      SCOPED_TRACE(testing::Message() << limit << " from " << first);
      const auto [fit, trials] = search(limit, first);
      EXPECT_TRUE(fit.is_resolved);
      EXPECT_EQ(fit.fits, limit);
      EXPECT_EQ(fit.too_large, limit + 1);
      EXPECT_LE(trials.size(), 28U);
    }
  }
}

TEST(LargestFit, AGoodForecastTakesFewTrials) {
  EXPECT_LE(search(1000, 1000).trials.size(), 10U);
  EXPECT_LE(search(1020, 1000).trials.size(), 11U);
  EXPECT_LE(search(980, 1000).trials.size(), 11U);
}

TEST(LargestFit, MayBeTheLargestOrNone) {
  const LargestFit all = search(9999, 100, 512).fit;
  EXPECT_TRUE(all.is_resolved);
  EXPECT_EQ(all.fits, 512);
  EXPECT_FALSE(all.too_large);
  const LargestFit none = search(0, 100).fit;
  EXPECT_TRUE(none.is_resolved);
  EXPECT_FALSE(none.fits);
  EXPECT_EQ(none.too_large, 1);
}

TEST(LargestFit, IsUnresolvedWhereATrialIsUnclear) {
  Fit last = Fit::kFits;
  const LargestFit fit = find_largest_fit({.smallest = 1, .largest = 64, .first = 8}, [&](std::int64_t value) {
    last = value > 16 ? Fit::kUnclear : Fit::kFits;
    return last;
  });
  EXPECT_FALSE(fit.is_resolved);
  EXPECT_EQ(fit.fits, 15) << "steps of 1, 2, 4, 8 from 8";
  EXPECT_EQ(last, Fit::kUnclear) << "which ended it";
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
