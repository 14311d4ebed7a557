// Stacks add up to the pass and are lines that other tools read.
#include "report/profile_stacks.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "support/made_profile.h"

namespace transformeter {
namespace {

TEST(ProfileStacks, WriteALineForEachStackWithNanoseconds) {
  const std::string text = collapsed_stacks(made_profile());
  EXPECT_NE(text.find("forward pass;m.embeddings;aten::embedding 10000000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("forward pass;m.layer.0;m.layer.0.lin;aten::linear;aten::addmm 29000000\n"), std::string::npos);
  long long sum = 0;
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) sum += *parse_integer(line.substr(line.rfind(' ') + 1));
  }
  EXPECT_EQ(sum, 100'000'000);
}

TEST(ProfileStacks, KeepFramesApartWhateverTheirNames) {
  Profile profile = made_profile();
  profile.nodes[1].name = "a;b\nc 7";
  EXPECT_NE(collapsed_stacks(profile).find("forward pass;a:b c 7;aten::embedding 10000000\n"), std::string::npos);
}

TEST(ProfileStacks, JoinAModuleWithOneOfItsNameAroundIt) {
  Profile profile = made_profile();
  profile.nodes[4].name = "m.layer.0";  // was m.layer.0.lin in m.layer.0
  const StackFrame whole = stack_frames(profile);
  ASSERT_EQ(whole.inside.size(), 4U);
  EXPECT_EQ(whole.inside[1].name, "m.layer.0");
  ASSERT_EQ(whole.inside[1].inside.size(), 2U);
  EXPECT_EQ(whole.inside[1].inside[0].name, "aten::linear");
  EXPECT_NEAR(whole.inside[1].total_s, 0.042, 1e-12);
}

TEST(ProfileStacks, PutKernelsOntoTheirOperators) {
  const std::string text = collapsed_stacks(made_gpu_profile());
  EXPECT_NE(text.find("m.layer.0.lin;aten::linear;aten::addmm;gemm_kernel<float> 29000000\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("aten::addmm 29"), std::string::npos);
  EXPECT_NE(text.find("forward pass 6000000\n"), std::string::npos) << "idle";
}

TEST(ProfileStacks, AreNoneWithoutTime) {
  Profile profile;
  profile.passes = 1;
  profile.nodes = {{.kind = ProfileNodeKind::kPass, .name = "forward pass"}};
  EXPECT_EQ(collapsed_stacks(profile), "");
}

}  // namespace
}  // namespace transformeter
