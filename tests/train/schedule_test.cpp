// Learning rates against those of Transformers, worked out by hand.
#include "train/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

TEST(Schedule, RisesLinearlyThenFollowsItsKind) {
  Schedule schedule{"linear", 0.1, 4, 20};
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 0), 0);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 1), 0.025);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 4), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 12), 0.05);
  EXPECT_NEAR(learning_rate_at(schedule, 20), 0, 1e-15);
  EXPECT_NEAR(learning_rate_at(schedule, 99), 0, 1e-15) << "beyond the end it stays there";
  schedule.kind = "cosine";
  EXPECT_NEAR(learning_rate_at(schedule, 12), 0.05, 1e-12);
  EXPECT_NEAR(learning_rate_at(schedule, 8), 0.1 * 0.5 * (1 + std::sqrt(0.5)), 1e-12);
  schedule.kind = "constant";
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 19), 0.1);
}

TEST(Schedule, NamesTheKindsItKnows) {
  try {
    learning_rate_at({"linaer", 0.1, 0, 20}, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("linaer"), testing::HasSubstr("cosine")));
  }
}

}  // namespace
}  // namespace transformeter
