// What is told of passes while they run.
#include "measure/profiled_passes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/clock.h"
#include "machine/fake_perf_events.h"

namespace transformeter {
namespace {

TEST(ProfiledPasses, TellHowManyThereWereOnceASecond) {
  FakeClock clock;
  std::vector<Profiling> told;
  const PassSource source{.run = [&](std::size_t) { clock.advance(std::chrono::milliseconds(400)); },
                          .batches = 2,
                          .on_progress = [&](const Profiling& progress) { told.push_back(progress); }};
  ProfileOptions options;
  options.passes = 4;
  const Profile profile = profile_passes(source, options, clock);
  EXPECT_EQ(profile.profiled_s, std::vector<double>(4, 0.4)) << "telling is not timed";
  // Of 2 that find out how long a pass takes, 3 · 4 passes and 3 of warm-up every third: 1.2 s.
  ASSERT_EQ(told.size(), 5U);
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].passes, static_cast<std::int64_t>(3 * (i + 1)));
    EXPECT_EQ(told[i].total, 17);
  }
}

TEST(ProfiledPasses, DoNotKnowTheirNumberWhileTheFirstOnesRun) {
  FakeClock clock;
  std::vector<Profiling> told;
  const PassSource source{.run = [&](std::size_t) { clock.advance(std::chrono::seconds(2)); },
                          .on_progress = [&](const Profiling& progress) { told.push_back(progress); }};
  const Profile profile = profile_passes(source, {}, clock);
  EXPECT_EQ(profile.passes, 2);
  EXPECT_EQ(told.front().total, 0);
  EXPECT_EQ(told.back().passes, told.back().total);
}

TEST(ProfiledPasses, CountEventsInThosePassesThatRunWithoutTheProfiler) {
  FakeClock clock;
  FakePerfEvents events;
  std::vector<bool> was_counted;
  const PassSource source{.run =
                              [&](std::size_t) {
                                clock.advance(std::chrono::milliseconds(1));
                                was_counted.push_back(!events.running.empty());
                              },
                          .end = [&] { EXPECT_TRUE(events.running.empty()) << "not timed, so not counted"; },
                          .perf_events = &events};
  ProfileOptions options;
  options.passes = 2;
  const Profile profile = profile_passes(source, options, clock);
  // One to find out how long a pass takes, 2 without the profiler, 2 of warm-up and 2 with it, 2 without.
  EXPECT_EQ(was_counted, (std::vector<bool>{false, true, true, false, false, false, false, true, true}));
  ASSERT_TRUE(profile.counters);
  const EventCount* faults = find_counted(*profile.counters, event_name::kPageFaults);
  ASSERT_NE(faults, nullptr);
  const auto per_pass = *faults->value;
  EXPECT_EQ(std::fmod(4 * per_pass, 1000), 0) << "each thread counts 1,000 in the four passes";
  EXPECT_GE(per_pass, 250);
  EXPECT_EQ(events.open_count(), 0U);
}

}  // namespace
}  // namespace transformeter
