// Each table of a profile holds the whole pass, once.
#include "analysis/profile_tables.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/made_profile.h"

namespace transformeter {
namespace {

const ProfileRow& row(const std::vector<ProfileRow>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const ProfileRow& one) { return one.name == name; });
  EXPECT_NE(found, rows.end()) << name;
  return found == rows.end() ? rows.front() : *found;
}

double self_sum(const std::vector<ProfileRow>& rows) {
  double sum = 0;
  for (const ProfileRow& one : rows) sum += one.self_s;
  return sum;
}

TEST(ProfileTables, ListsOperatorsByTheirOwnTime) {
  const std::vector<ProfileRow> rows = operator_rows(made_profile());
  EXPECT_EQ(rows.front().name, "aten::addmm");
  EXPECT_EQ(rows.front().calls, 2);
  EXPECT_NEAR(rows.front().flops, 2 * 2.9e9, 1);
  EXPECT_NEAR(row(rows, "aten::linear").total_s, 0.06, 1e-12);
  EXPECT_NEAR(row(rows, kOutsideOperators).self_s, 0.004, 1e-12);
  EXPECT_NEAR(self_sum(rows), 0.1, 1e-12);
}

TEST(ProfileTables, SayWhatAGpuWasIdleAndRan) {
  const Profile profile = made_gpu_profile();
  EXPECT_NEAR(gpu_busy_s(profile).value(), 0.094, 1e-12);
  EXPECT_EQ(gpu_busy_s(made_profile()), std::nullopt);
  EXPECT_NEAR(row(operator_rows(profile), kIdleGpu).self_s, 0.006, 1e-12);
  EXPECT_NEAR(row(operator_rows(profile), "aten::addmm").host_s, 0.002, 1e-12);
  EXPECT_NEAR(row(phase_rows(profile), kIdleGpu).self_s, 0.006, 1e-12);
  EXPECT_NEAR(row(merged_module_rows(profile), kIdleGpu).self_s, 0.006, 1e-12);
  EXPECT_NEAR(self_sum(operator_rows(profile)), 0.1, 1e-12);
  const std::vector<ProfileRow> kernels = kernel_rows(profile);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "gemm_kernel<float>");
  EXPECT_EQ(kernels[0].calls, 2);
  EXPECT_NEAR(self_sum(kernels), 0.094, 1e-12);
  EXPECT_TRUE(kernel_rows(made_profile()).empty());
  Profile step = made_step_profile();
  step.gpu = ProfileGpu{{{8, "gemm_kernel<float>", 2, 0.04}, {4, "gemm_kernel<float>", 2, 0.02}}};
  EXPECT_NEAR(kernel_rows(step).at(0).backward_s, 0.02, 1e-12);
  EXPECT_NEAR(kernel_rows(step).at(0).self_s, 0.03, 1e-12);
  EXPECT_NEAR(self_sum(stage_rows(step)), 0.04, 1e-12);
}

TEST(ProfileTables, CountsARecursiveOperatorOnce) {
  Profile profile = made_profile();
  profile.nodes.push_back({.parent = 2, .name = "aten::embedding", .calls = 2, .total_s = 0.004, .self_s = 0.004});
  const std::vector<ProfileRow> rows = operator_rows(profile);
  EXPECT_NEAR(row(rows, "aten::embedding").total_s, 0.01, 1e-12);
  EXPECT_EQ(row(rows, "aten::embedding").calls, 2);
}

TEST(ProfileTables, PutsModulesIntoThoseAroundThem) {
  const std::vector<ProfileModule> modules = module_rows(made_profile());
  std::vector<ProfileRow> rows;
  std::vector<std::string> names;
  for (const ProfileModule& module : modules) {
    rows.push_back(module.row);
    names.push_back(module.row.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"m", "m.embeddings", "m.layer", "m.layer.0", "m.layer.0.lin", "m.layer.1",
                                             "m.layer.1.lin", kOutsideModules}));
  EXPECT_NEAR(row(rows, "m").total_s, 0.094, 1e-12);
  EXPECT_NEAR(row(rows, "m.layer.0").total_s, 0.042, 1e-12);
  EXPECT_NEAR(row(rows, "m.layer.0").self_s, 0.012, 1e-12) << "its own code, and its activation";
  EXPECT_NEAR(row(rows, "m.layer.0.lin").self_s, 0.03, 1e-12);
  EXPECT_EQ(row(rows, "m.layer.0").calls, 1);
  EXPECT_NEAR(row(rows, kOutsideModules).self_s, 0.006, 1e-12);
  EXPECT_NEAR(self_sum(rows), 0.1, 1e-12);
  EXPECT_EQ(layer_depth(made_profile()), 3U);
}

TEST(ProfileTables, AModuleStandsAtTheDepthOfTheEmptyLevelsAroundIt) {
  Profile profile = made_profile();
  for (ProfileNode& node : profile.nodes) {
    if (node.name.starts_with("m.layer")) node.name.insert(1, ".encoder");
  }
  const std::vector<ProfileModule> modules = module_rows(profile);
  const auto encoder = std::find_if(modules.begin(), modules.end(),
                                    [](const ProfileModule& one) { return one.row.name == "m.encoder.layer"; });
  ASSERT_NE(encoder, modules.end());
  EXPECT_EQ(encoder->depth, 2U) << "it stands for m.encoder, which has no row";
  EXPECT_EQ(std::next(encoder)->depth, 4U);
}

TEST(ProfileTables, MergesLayers) {
  const std::vector<ProfileRow> rows = merged_module_rows(made_profile());
  EXPECT_EQ(rows.front().name, "m.layer.*.lin");
  EXPECT_NEAR(rows.front().self_s, 0.06, 1e-12);
  EXPECT_EQ(rows.front().calls, 2);
  EXPECT_EQ(merged_name("h.11.attn.c_attn"), "h.*.attn.c_attn");
}

TEST(ProfileTables, SharesThePassAmongPhases) {
  const std::vector<ProfileRow> rows = phase_rows(made_profile());
  ASSERT_EQ(rows.size(), 3U) << "phases that did not run have no row";
  EXPECT_NEAR(row(rows, "feed_forward").self_s, 0.08, 1e-12);
  EXPECT_NEAR(row(rows, kOtherPhase).self_s, 0.01, 1e-12);
  EXPECT_NEAR(self_sum(rows), 0.1, 1e-12);
}

TEST(ProfileTables, SharesAStepAmongStages) {
  const std::vector<ProfileRow> rows = stage_rows(made_step_profile());
  ASSERT_EQ(rows.size(), 4U) << "nothing is outside of them";
  EXPECT_NEAR(row(rows, "data").self_s, 0.002, 1e-12);
  EXPECT_NEAR(row(rows, "forward").self_s, 0.011, 1e-12);
  EXPECT_NEAR(row(rows, "backward").self_s, 0.021, 1e-12);
  EXPECT_NEAR(row(rows, "optimizer").self_s, 0.006, 1e-12);
  EXPECT_EQ(row(rows, "backward").calls, 1);
  EXPECT_TRUE(stage_rows(made_profile()).empty());
}

TEST(ProfileTables, TellsBackwardFromForwardInEachRow) {
  const Profile profile = made_step_profile();
  const std::vector<ProfileRow> phases = phase_rows(profile);
  EXPECT_EQ(phases.front().name, "data");
  EXPECT_NEAR(row(phases, "feed_forward").self_s, 0.03, 1e-12);
  EXPECT_NEAR(row(phases, "feed_forward").backward_s, 0.02, 1e-12);
  EXPECT_NEAR(row(phases, "loss").self_s, 0.001, 1e-12);
  EXPECT_NEAR(row(phases, "optimizer").self_s, 0.006, 1e-12);
  EXPECT_NEAR(row(phases, kOtherPhase).backward_s, 0.001, 1e-12);
  const ProfileRow module = row(merged_module_rows(profile), "m.lin");
  EXPECT_EQ(module.calls, 1) << "of the forward pass alone";
  EXPECT_NEAR(module.self_s, 0.03, 1e-12);
  EXPECT_NEAR(module.backward_s, 0.02, 1e-12);
  EXPECT_NEAR(row(operator_rows(profile), "aten::mm").backward_s, 0.02, 1e-12);
  EXPECT_EQ(row(operator_rows(profile), "aten::addmm").backward_s, 0);
}

TEST(ProfileTables, TellsDecodeFromPrefill) {
  Profile profile = made_step_profile();
  for (ProfileNode& node : profile.nodes) {
    if (node.name == "backward") node.name = "decode";
  }
  const ProfileRow module = row(merged_module_rows(profile), "m.lin");
  EXPECT_NEAR(module.decode_s, 0.02, 1e-12);
  EXPECT_EQ(module.backward_s, 0);
}

TEST(ProfileTables, WritesCallsAsPeopleDo) {
  EXPECT_EQ(calls_text(1), "1 call");
  EXPECT_EQ(calls_text(6), "6 calls");
  EXPECT_EQ(calls_text(4.5), "4.50 calls");
}

TEST(ProfileTables, SaysWhatTheProfilerCosts) {
  EXPECT_NEAR(slow_down_ratio(made_profile()), 1.0, 1e-9);
  EXPECT_NEAR(self_time_ratio(made_profile()), 1.0, 1e-9);
  EXPECT_NEAR(pass_s(made_profile()), 0.1, 1e-12);
}

}  // namespace
}  // namespace transformeter
