// What is told of passes while they run.
#include "measure/profiled_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "machine/fake_perf_events.h"

namespace transformeter {
namespace {

TEST(ProfiledPasses, TellHowManyThereWereOnceASecond) {
  FakeClock clock;
  std::vector<Profiling> told;
  FakePerfEvents events;
  const PassSource source{.run = [&](std::size_t) { clock.advance(std::chrono::milliseconds(400)); },
                          .batches = 2,
                          .perf_events = &events,
                          .on_progress = [&](const Profiling& progress) { told.push_back(progress); }};
  ProfileOptions options;
  options.passes = 4;
  const Profile profile = profile_passes(source, options, clock);
  EXPECT_EQ(profile.profiled_s, std::vector<double>(4, 0.4)) << "telling is not timed";
  // Of 2 that find out how long a pass takes, 3 · 4 timed passes, 3 of warm-up and 4 counted ones every third: 1.2 s.
  ASSERT_EQ(told.size(), 7U);
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].passes, static_cast<std::int64_t>(3 * (i + 1)));
    EXPECT_EQ(told[i].total, 21);
  }
}

TEST(ProfiledPasses, DoNotKnowTheirNumberWhileTheFirstOnesRun) {
  FakeClock clock;
  std::vector<Profiling> told;
  FakePerfEvents events;
  const PassSource source{.run = [&](std::size_t) { clock.advance(std::chrono::seconds(2)); },
                          .perf_events = &events,
                          .on_progress = [&](const Profiling& progress) { told.push_back(progress); }};
  const Profile profile = profile_passes(source, {}, clock);
  EXPECT_EQ(profile.passes, 2);
  EXPECT_EQ(told.front().total, 0);
  EXPECT_EQ(told.back().passes, told.back().total);
}

TEST(ProfiledPasses, CountEventsInPassesThatAreNotTimed) {
  FakeClock clock;
  FakePerfEvents events;
  std::vector<bool> was_counted;
  std::vector<std::size_t> were_open;
  const PassSource source{.run =
                              [&](std::size_t) {
                                clock.advance(std::chrono::milliseconds(events.running.empty() ? 1 : 50));
                                was_counted.push_back(!events.running.empty());
                                were_open.push_back(events.open_count());
                              },
                          .end = [&] { EXPECT_TRUE(events.running.empty()) << "of the next pass, so not counted"; },
                          .perf_events = &events};
  ProfileOptions options;
  options.passes = 2;
  const Profile profile = profile_passes(source, options, clock);
  // One to find out how long a pass takes, 2 without the profiler, 2 of warm-up and 2 with it, 2 without, 2 counted.
  EXPECT_EQ(was_counted,
            (std::vector<bool>{false, false, false, false, false, false, false, false, false, true, true}));
  EXPECT_EQ(std::count(were_open.begin(), were_open.end(), 0U), 9) << "no event is open while passes are timed";
  EXPECT_EQ(profile.unprofiled_s, std::vector<double>(4, 0.001)) << "not of the counted passes";
  ASSERT_TRUE(profile.counters);
  const EventCount* faults = find_counted(*profile.counters, event_name::kPageFaults);
  ASSERT_NE(faults, nullptr);
  EXPECT_GT(events.openings["page_faults"], 0);
  EXPECT_DOUBLE_EQ(*faults->value, 1000.0 * events.openings["page_faults"] / 2) << "1,000 in each thread, in 2 passes";
  EXPECT_EQ(events.open_count(), 0U);
}

// A library of one node, which takes half of each pass.
class FakeNodeCounters final : public NodeCounters {
 public:
  void begin() override { passes_before = passes; }
  NodeCounts end() override {
    const auto counted = static_cast<double>(passes - passes_before);
    return {"Library 1.0",
            {{}, {.parent = 0, .module = "m", .phase = {}}},
            {{.scope = 1, .name = "linear", .calls = passes - passes_before, .self_s = 0.005 * counted, .flops = 8}},
            0.008 * counted};
  }

  std::int64_t passes = 0;
  std::int64_t passes_before = -1;
};

TEST(ProfiledPasses, CountNodesInPassesOfAGraphOfItsOwn) {
  FakeClock clock;
  FakePerfEvents events;
  events.most_open = 0;
  FakeNodeCounters counters;
  std::vector<std::size_t> plain, counted;
  const PassSource source{.run =
                              [&](std::size_t batch) {
                                clock.advance(std::chrono::milliseconds(9));
                                plain.push_back(batch);
                              },
                          .batches = 5,
                          .run_node_counted =
                              [&](std::size_t batch) {
                                clock.advance(std::chrono::milliseconds(10));
                                counted.push_back(batch);
                                ++counters.passes;
                              },
                          .node_counters = &counters,
                          .perf_events = &events};
  ProfileOptions options;
  options.passes = 6;
  Profile profile = profile_passes(source, options, clock);
  EXPECT_EQ(counted, (std::vector<std::size_t>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0})) << "each batch warms up first";
  EXPECT_EQ(counters.passes_before, 5);
  EXPECT_EQ(plain.size(), 5U + 2 * 6);
  EXPECT_EQ(profile.unprofiled_s, std::vector<double>(12, 0.009));
  EXPECT_EQ(profile.profiled_s, std::vector<double>(6, 0.01));
  EXPECT_EQ(profile.counted_by, "Library 1.0");
  ASSERT_EQ(profile.nodes.size(), 4U) << "the pass, the module, its operator, and what the library does beside it";
  EXPECT_NEAR(profile.nodes[0].self_s, 6 * 0.002, 1e-9);
  EXPECT_NEAR(profile.nodes[2].self_s, 6 * 0.005, 1e-9);
  EXPECT_EQ(profile.nodes[2].flops, 8);
  EXPECT_NEAR(profile.nodes[3].self_s, 6 * 0.003, 1e-9);
  options.work = false;
  profile = profile_passes(source, options, clock);
  EXPECT_EQ(profile.nodes[2].flops, 0);
}

TEST(ProfiledPasses, EndWithTheTimedOnesWhereNothingCanBeCounted) {
  FakeClock clock;
  FakePerfEvents events;
  events.most_open = 0;
  std::size_t passes = 0;
  std::vector<Profiling> told;
  const PassSource source{.run =
                              [&](std::size_t) {
                                clock.advance(std::chrono::seconds(1));
                                ++passes;
                              },
                          .perf_events = &events,
                          .on_progress = [&](const Profiling& progress) { told.push_back(progress); }};
  ProfileOptions options;
  options.passes = 2;
  const Profile profile = profile_passes(source, options, clock);
  EXPECT_EQ(passes, 9U) << "one to find out how long a pass takes, 3 · 2 timed ones, 2 of warm-up";
  ASSERT_TRUE(profile.counters);
  for (const EventCount& event : *profile.counters) {
    EXPECT_FALSE(event.value) << event.name;
    EXPECT_NE(event.reason, "") << event.name;
  }
}

}  // namespace
}  // namespace transformeter
