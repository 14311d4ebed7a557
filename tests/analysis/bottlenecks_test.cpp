// What bounds a part of a pass, and the sentence that says so.
#include "analysis/bottlenecks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/made_profile.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

Bottleneck longest(const ProfileLimits& limits, double flops = 2 * 2.9e9, double bytes = 2e6) {
  Profile profile = made_profile();
  for (ProfileNode& node : profile.nodes) {
    if (node.name != "aten::addmm") continue;
    node.flops = flops;  // of two passes in each of two layers: a pass has as much
    node.bytes = bytes;
  }
  return find_bottlenecks(profile, limits).front();
}

TEST(ProfileLimits, AreThePeaksOfTheCaseOrTheReasonWhyOneIsMissing) {
  const Json both = {{"peaks", {{"gemm", {{"value", 3e11}}}, {"read_bandwidth", {{"value", 2e10}}}}}};
  const ProfileLimits limits = profile_limits(both);
  EXPECT_EQ(limits.flops_per_s, 3e11);
  EXPECT_EQ(limits.bytes_per_s, 2e10);
  EXPECT_EQ(limits.missing, "");
  Json one = both;
  one["peaks"]["read_bandwidth"] = {{"value", nullptr}, {"reason", "not measured"}};
  EXPECT_EQ(profile_limits(one).flops_per_s, 3e11);
  EXPECT_EQ(profile_limits(one).bytes_per_s, std::nullopt);
  EXPECT_EQ(profile_limits(one).missing, "not measured");
  one["peaks"]["gemm"] = one["peaks"]["read_bandwidth"];
  EXPECT_EQ(profile_limits(one).missing, "not measured") << "once";
  one["peaks"]["gemm"]["reason"] = "off";
  EXPECT_EQ(profile_limits(one).missing, "off; not measured");
  for (const Json& none : {Json::object(), Json::array(), Json{{"peaks", 3}}, Json{{"peaks", {{"gemm", 3}}}}}) {
    EXPECT_EQ(profile_limits(none).flops_per_s, std::nullopt) << none;
  }
}

TEST(ProfileLimits, AreNotThoseOfPeaksThatWereMeasuredBesideOtherWork) {
  Json effective = {{"peaks",
                     {{"gemm", {{"quantity", "gemm_fp32"}, {"value", 3e10}, {"foreign_load", 1.25}}},
                      {"read_bandwidth", {{"value", 2e10}, {"foreign_load", 0.01}}}}}};
  const ProfileLimits limits = profile_limits(effective);
  EXPECT_EQ(limits.flops_per_s, std::nullopt);
  EXPECT_EQ(limits.bytes_per_s, 2e10);
  EXPECT_THAT(limits.missing, HasSubstr("gemm_fp32 was measured while background load kept 1.25 CPUs busy"));
}

TEST(Bottlenecks, JoinsAnOperatorOverLayers) {
  const std::vector<Bottleneck> found = find_bottlenecks(made_profile(), {});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].module, "m.layer.*.lin");
  EXPECT_EQ(found[0].operator_name, "aten::addmm");
  EXPECT_EQ(found[0].calls, 2);
  EXPECT_NEAR(found[0].share, 0.58, 1e-9);
  EXPECT_EQ(found[0].bound, BottleneckBound::kUnknown);
  EXPECT_THAT(bottleneck_sentence(found[0], {}),
              HasSubstr("m.layer.*.lin, aten::addmm: 58.0 ms of 100 ms (58 %) in 2 calls."));
}

TEST(Bottlenecks, OfAStepAreThoseOfAStage) {
  const std::vector<Bottleneck> found = find_bottlenecks(made_step_profile(), {});
  EXPECT_EQ(found[0].stage, ProfileStage::kBackward);
  EXPECT_THAT(bottleneck_sentence(found[0], {}), HasSubstr("backward of m.lin, aten::mm: 20.0 ms of 40.0 ms (50 %)"));
  EXPECT_THAT(bottleneck_sentence(found[1], {}), HasSubstr("forward of m.lin, aten::addmm"));
  EXPECT_THAT(bottleneck_sentence(found[2], {}), HasSubstr("optimizer, aten::_fused_adamw_"));
}

TEST(Bottlenecks, AreBoundByTheLimitThatExplainsHalfOfTheTime) {
  // 5.8 GFLOP in 58 ms are 100 GFLOP/s.
  const ProfileLimits fast{125e9, 100e9};
  const Bottleneck compute = longest(fast);
  EXPECT_EQ(compute.bound, BottleneckBound::kCompute);
  EXPECT_NEAR(*compute.limit_s, 5.8e9 / 125e9, 1e-9);
  EXPECT_THAT(bottleneck_sentence(compute, fast),
              HasSubstr("Bound by compute: 100 GFLOP/s of 125 GFLOP/s; at that limit it would take 46.4 ms."));
  const ProfileLimits slow{50e9, 100e9};
  const Bottleneck above = longest(slow);
  EXPECT_EQ(above.limit_s, std::nullopt) << "it took less";
  EXPECT_THAT(bottleneck_sentence(above, slow),
              HasSubstr("Bound by compute: 100 GFLOP/s, above the measured peak of 50.0 GFLOP/s, which is too low."));
  EXPECT_EQ(longest(fast, 0, 4e9).bound, BottleneckBound::kMemory);
  EXPECT_EQ(longest(fast, 0, 40e9).bound, BottleneckBound::kCache) << "400 GB/s of 100";
  EXPECT_EQ(longest(fast, 1e9, 1e6).bound, BottleneckBound::kOther);
  EXPECT_EQ(longest(fast, 0, 0).bound, BottleneckBound::kUnknown);
  for (const ProfileLimits& one : {ProfileLimits{std::nullopt, 100e9}, ProfileLimits{125e9, std::nullopt}}) {
    const Bottleneck slow_part = longest(one, 1e9, 1e6);
    EXPECT_EQ(slow_part.bound, BottleneckBound::kUnknown) << "it may be near the limit that is not known";
    EXPECT_EQ(slow_part.limit_s, std::nullopt);
  }
  EXPECT_EQ(longest(fast, 0, 1e6).bound, BottleneckBound::kUnknown) << "nobody counted what it computes";
}

// Of two bounds that may apply the nearer one counts, so that one alone says little.
TEST(Bottlenecks, AreToldWhereTheLimitsOfAllTheirWorkAreKnown) {
  const ProfileLimits no_gemm{std::nullopt, 100e9}, no_read{125e9, std::nullopt};
  EXPECT_EQ(longest(no_gemm, 5.8e9, 4e9).bound, BottleneckBound::kUnknown) << "compute may be nearer";
  EXPECT_EQ(longest(no_gemm, 0, 4e9).bound, BottleneckBound::kMemory);
  EXPECT_EQ(longest(no_gemm, 5.8e9, 40e9).bound, BottleneckBound::kCache);
  EXPECT_EQ(longest(no_read, 5.8e9, 1e6).bound, BottleneckBound::kUnknown) << "memory may be nearer";
  EXPECT_EQ(longest(no_read, 5.8e9, 0).bound, BottleneckBound::kCompute);
}

TEST(Bottlenecks, AreOverheadWhereCallsAreShort) {
  Profile profile = made_profile();
  for (ProfileNode& node : profile.nodes) node.calls *= 10'000;
  const Bottleneck first = find_bottlenecks(profile, {1e15, 1e15}).front();
  EXPECT_EQ(first.bound, BottleneckBound::kOverhead);
  EXPECT_THAT(bottleneck_sentence(first, {}), HasSubstr("Bound by launch overhead: 2.90 us per call."));
  EXPECT_EQ(find_bottlenecks(profile, {}).front().bound, BottleneckBound::kUnknown)
      << "its products may be near a peak";
  for (ProfileNode& node : profile.nodes) node.flops = node.bytes = 0;
  EXPECT_EQ(find_bottlenecks(profile, {1e15, 1e15}).front().bound, BottleneckBound::kUnknown) << "not recorded";
}

TEST(Bottlenecks, AreAsManyAsThereAre) {
  Profile profile = made_profile();
  profile.nodes.resize(1);
  EXPECT_TRUE(find_bottlenecks(profile, {}).empty());
  EXPECT_EQ(find_bottlenecks(made_profile(), {}, 1).size(), 1U);
}

}  // namespace
}  // namespace transformeter
