// Rows of a peak add up to it, whatever the places are called.
#include "analysis/profile_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/made_profile.h"

namespace transformeter {
namespace {

TEST(ProfileMemory, AddsUpLayersByTheOutermostOperator) {
  const std::vector<HeldRow> rows = held_rows(made_profile_with_memory());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(held_name(rows[0]), "m.layer.*.lin, aten::linear") << "not the aten::addmm inside";
  EXPECT_EQ(rows[0].blocks, 2);
  EXPECT_EQ(rows[0].bytes, 8 << 20);
  EXPECT_EQ(held_name(rows[1]), "aten::cat") << "outside of modules";
  EXPECT_EQ(memory_text(made_profile_with_memory()),
            "peak of 18.0 MiB at 60.0 ms of 100 ms, in the forward pass with the highest of 2; 8.00 MiB from before");
}

TEST(ProfileMemory, TellsStagesApart) {
  Profile profile = made_step_profile();
  profile.memory = ProfileMemory{.peak_bytes = 30, .held = {{4, 1, 10}, {7, 1, 20}}};
  const std::vector<HeldRow> rows = held_rows(profile);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(held_name(rows[0]), "backward: m.lin");
  EXPECT_EQ(held_name(rows[1]), "forward: m.lin, aten::addmm");
}

TEST(ProfileMemory, HasNoRowsWhereNothingWasRecorded) {
  EXPECT_TRUE(held_rows(made_profile()).empty());
}

}  // namespace
}  // namespace transformeter
