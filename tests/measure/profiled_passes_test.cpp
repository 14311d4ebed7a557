// What is told of passes while they run.
#include "measure/profiled_passes.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/clock.h"

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

}  // namespace
}  // namespace transformeter
