// What is live when, by hand and by LibTorch's own allocator.
#include "measure/memory_timeline.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "device/counting_allocator.h"
#include "measure/profiled_passes.h"

namespace transformeter {
namespace {

SpanTree tree_with(std::vector<BlockMoment> blocks, std::vector<PassTime> passes) {
  SpanTree tree;
  tree.nodes.resize(4);
  tree.blocks = std::move(blocks);
  tree.passes = std::move(passes);
  return tree;
}

TEST(MemoryTimeline, HoldsAtThePeakWhatWasNotFreedBeforeIt) {
  const SpanTree tree = tree_with({{10, 1, 100, 1},
                                   {20, 2, 50, 2},
                                   {30, 1, -100, 3},
                                   {40, 3, 80, 3},
                                   {50, 4, 10, 3},
                                   {60, 3, -80, 1},
                                   {70, 4, -10, 1},
                                   {80, 2, -50, 1}},
                                  {{0, 100}});
  const auto memory = memory_over_time(tree, {1000});
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->peak_bytes, 1150);
  EXPECT_DOUBLE_EQ(memory->peak_s, 20e-9);
  EXPECT_EQ(memory->earlier_bytes, 1000);
  EXPECT_EQ(memory->held, (std::vector<HeldMemory>{{1, 1, 100}, {2, 1, 50}}));
  ASSERT_EQ(memory->timeline.size(), 10U);
  EXPECT_EQ(memory->timeline.front(), (MemoryPoint{0, 1000, 0}));
  EXPECT_EQ(memory->timeline[3].bytes, 1050);
  EXPECT_EQ(memory->timeline[3].own_bytes, 50);
  EXPECT_EQ(memory->timeline.back().bytes, 1000);
}

TEST(MemoryTimeline, AddsUpTheBlocksOfANodeAndReusesAddresses) {
  const SpanTree tree = tree_with({{1, 7, 8, 1}, {2, 7, -8, 1}, {3, 7, 16, 1}, {4, 8, 16, 1}}, {{0, 10}});
  const auto memory = memory_over_time(tree, {0});
  EXPECT_EQ(memory->held, (std::vector<HeldMemory>{{1, 2, 32}}));
}

TEST(MemoryTimeline, BlocksFromBeforeThePassAreNotItsOwn) {
  const SpanTree tree = tree_with({{-5, 1, 300, 1}, {10, 1, -300, 2}, {20, 2, 400, 2}, {200, 9, 9999, 1}}, {{0, 100}});
  const auto memory = memory_over_time(tree, {1000});
  EXPECT_EQ(memory->peak_bytes, 1100);
  EXPECT_EQ(memory->earlier_bytes, 700);
  EXPECT_EQ(memory->timeline[1], (MemoryPoint{10e-9, 700, 0}));
  EXPECT_EQ(memory->held, (std::vector<HeldMemory>{{2, 1, 400}}));
}

TEST(MemoryTimeline, IsOfThePassThatNeedsMost) {
  SpanTree tree = tree_with({{10, 1, 5, 1}, {110, 2, 7, 2}, {210, 3, 6, 3}}, {{0, 100}, {100, 200}, {200, 300}});
  tree.stages = {{ProfileStage::kForward, 0, 50},
                 {ProfileStage::kForward, 110, 150},
                 {ProfileStage::kForward, 150, 160},
                 {ProfileStage::kBackward, 160, 190}};
  const auto memory = memory_over_time(tree, {1000, 1000, 1000});
  EXPECT_EQ(memory->peak_bytes, 1007);
  EXPECT_DOUBLE_EQ(memory->peak_s, 10e-9);
  ASSERT_EQ(memory->stages.size(), 2U) << "those that follow each other are one";
  EXPECT_DOUBLE_EQ(memory->stages[0].end_s, 60e-9);
  EXPECT_FALSE(memory_over_time(SpanTree{}, {}));
  EXPECT_EQ(memory_over_time(tree_with({}, {{0, 1}}), {5})->peak_bytes, 5) << "a pass that allocates nothing";
}

TEST(MemoryTimeline, KeepsThePeakWhereItLeavesPointsOut) {
  std::vector<BlockMoment> blocks;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    blocks.push_back({2 * i, 1, 10, 1});
    blocks.push_back({2 * i + 1, 1, -10, 1});
  }
  blocks[9'001].bytes = 5000;
  const auto memory = memory_over_time(tree_with(blocks, {{0, 30'000}}), {100});
  EXPECT_LE(memory->timeline.size(), kMostMemoryPoints);
  EXPECT_EQ(memory->timeline.front(), (MemoryPoint{0, 100, 0}));
  EXPECT_TRUE(std::any_of(memory->timeline.begin(), memory->timeline.end(),
                          [&](const MemoryPoint& point) { return point.bytes == memory->peak_bytes; }));
  EXPECT_TRUE(
      std::is_sorted(memory->timeline.begin(), memory->timeline.end(),
                     [](const MemoryPoint& left, const MemoryPoint& right) { return left.time_s < right.time_s; }));
}

// The counter sees every block of LibTorch, so that both must agree.
TEST(MemoryTimeline, OfLibTorchIsWhatTheCounterSaw) {
  install_counting_allocator();
  constexpr std::int64_t kMebi = 1 << 20;
  const SystemClock clock;
  const at::Tensor weight = at::ones({kMebi}, at::kByte);
  std::int64_t counted = 0;
  const PassSource source{.run = [&](std::size_t) {
    reset_peak_allocated_bytes();
    {
      const at::Tensor held = at::zeros({2 * kMebi}, at::kByte);
      { const at::Tensor freed = at::zeros({kMebi}, at::kByte); }
      const at::Tensor sum = weight.sum();
      const at::Tensor last = at::zeros({4 * kMebi}, at::kByte) + sum;
    }
    counted = peak_allocated_bytes();
  }};
  ProfileOptions options;
  options.passes = 3;
  EXPECT_FALSE(profile_passes(source, options, clock).memory) << "nobody asked";
  options.memory = true;
  const Profile profile = profile_passes(source, options, clock);
  ASSERT_TRUE(profile.memory);
  EXPECT_NEAR(profile.memory->peak_bytes, static_cast<double>(counted), 0.01 * static_cast<double>(counted));
  // `held`, what is added, and the sum of both; blocks are rounded up by less than a page.
  const double own_bytes = profile.memory->peak_bytes - profile.memory->earlier_bytes;
  EXPECT_GE(own_bytes, 10.0 * kMebi);
  EXPECT_LE(own_bytes, 10.0 * kMebi + 16 * 4096);
}

}  // namespace
}  // namespace transformeter
