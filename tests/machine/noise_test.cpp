// Noise around a window: from two fixture moments whose difference is worked out here, and on the real machine.
#include "machine/noise.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "machine/fixture_tree.h"
#include "machine/process_stat.h"

namespace transformeter {
namespace {

// A process with a hard name whose fields 14 and 15 are `user` and `system` ticks and 22 is `start`.
std::string stat_line(int user, int system, int start = 500) {
  return "77 (a ) b) S 1 77 77 0 -1 4194304 101 0 0 0 " + std::to_string(user) + " " + std::to_string(system) +
         " 9000 9000 20 0 4 0 " + std::to_string(start) + " 3133440 377\n";
}

// What changes between two moments. CPU times: user nice system idle iowait irq softirq steal guest guest_nice.
struct Moment {
  std::string cpu0;
  std::string cpu1;
  int own_user = 0;
  int own_system = 0;
  int core_throttles = 0;  // of CPU 0; CPU 1 has ten times as many
};

void write_moment(FixtureTree& tree, const Moment& moment) {
  tree.write("proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 " + moment.cpu0 + "\ncpu1 " + moment.cpu1 + "\nintr 5\n")
      .write("proc/77/stat", stat_line(moment.own_user, moment.own_system))
      .write("proc/self/task/77/schedstat", "5000000000 " + std::to_string(1000000 * moment.own_user) + " 57")
      .write("proc/self/task/78/schedstat", "4000000000 250000000 12")
      .write("sys/devices/system/cpu/cpuidle/current_driver", "none");
  for (const int cpu : {0, 1}) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
    tree.write(folder + "/thermal_throttle/core_throttle_count",
               std::to_string(moment.core_throttles * (cpu == 0 ? 1 : 10)))
        .write(folder + "/thermal_throttle/package_throttle_count", "4")
        .write(folder + "/cpufreq/scaling_cur_freq", cpu == 0 ? "2000000" : "3000000");
  }
}

// CPU 0 is busy for 184 ticks, CPU 1 for 8; 8 and 90 are stolen.
const Moment kBefore{"1000 10 200 5000 30 4 6 50 100 0", "10 0 0 5000 0 0 0 0 0 0", 100, 20, 3};
const Moment kAfter{"1150 10 232 5100 90 5 7 58 150 0", "18 0 0 5100 0 0 0 90 0 0", 200, 50, 5};

NoiseReport report_between(FixtureTree& tree, const Moment& first, const Moment& second) {
  FakeClock clock;
  write_moment(tree, first);
  const NoiseSnapshot before = take_noise_snapshot({77}, clock, tree.files());
  clock.advance(std::chrono::seconds(2));
  write_moment(tree, second);
  return noise_between(before, take_noise_snapshot_again(before, clock, tree.files()));
}

TEST(ProcessStat, ReadsPastANameWithBrackets) {
  const auto stat = parse_process_stat(stat_line(250, 50, 1234));
  ASSERT_TRUE(stat.has_value());
  EXPECT_DOUBLE_EQ(stat->cpu_s, 300.0 / static_cast<double>(ticks_per_second()));
  EXPECT_EQ(stat->start_ticks, 1234);
  EXPECT_FALSE(parse_process_stat("77 (cut").has_value());
  EXPECT_FALSE(parse_process_stat("77 (cut) S 1 2").has_value());
}

TEST(Noise, ForeignTimeIsWhatIsBusyAndNotOurs) {
  const double tick_s = 1.0 / static_cast<double>(ticks_per_second());
  FixtureTree tree;
  const NoiseReport report = report_between(tree, kBefore, kAfter);
  const double busy_ticks = (150 + 0 + 32 + 1 + 1) + 8;  // idle, iowait, steal and guest (part of user) do not count
  const double own_ticks = 100 + 30;
  EXPECT_DOUBLE_EQ(report.window_s, 2.0);
  EXPECT_EQ(report.cpu_count, 2);
  EXPECT_NEAR(*report.own_cpu_s, own_ticks * tick_s, 1e-9);
  EXPECT_NEAR(*report.foreign_cpu_s, (busy_ticks - own_ticks) * tick_s, 1e-9);
  EXPECT_NEAR(*report.foreign_ratio, (busy_ticks - own_ticks) * tick_s / (2.0 * 2), 1e-9);
  EXPECT_NEAR(*report.cpu_time_resolution_s, (2 + 1) * tick_s, 1e-12);
  EXPECT_NEAR(*report.steal_s, (8 + 90) * tick_s, 1e-9);
  EXPECT_NEAR(*report.run_queue_wait_s, 0.1, 1e-9) << "the first thread's wait went from 100 to 200 ms";
  EXPECT_EQ(report.thermal_throttle_count, 2 + 20);
  EXPECT_EQ(report.frequency_before_hz, 2.5e9);
  EXPECT_EQ(report.cgroup_throttled_period_count, std::nullopt);
}

TEST(Noise, LooksAtTheAllowedProcessorsOnly) {
  const double tick_s = 1.0 / static_cast<double>(ticks_per_second());
  FixtureTree tree;
  // The mask of the first thread alone would leave CPU 0 out; CPU 7 is offline.
  tree.write("proc/self/task/77/status", "Cpus_allowed_list:\t7\n");
  tree.write("proc/self/task/78/status", "Cpus_allowed_list:\t0,7\n");
  const NoiseReport report = report_between(tree, kBefore, kAfter);
  EXPECT_EQ(report.cpu_count, 1);
  EXPECT_NEAR(*report.foreign_cpu_s, (184 - 130) * tick_s, 1e-9);
  EXPECT_NEAR(*report.steal_s, 8 * tick_s, 1e-9);
  EXPECT_NEAR(*report.cpu_time_resolution_s, 2 * tick_s, 1e-12);
  EXPECT_EQ(report.thermal_throttle_count, 2);
  EXPECT_EQ(report.frequency_before_hz, 2e9);
  EXPECT_EQ(report.frequency_after_hz, 2e9);
}

TEST(Noise, EachPackageCountsItsThrottlingOnce) {
  FixtureTree tree;
  const auto package = [&](int cpu, int id, int events) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
    tree.write(folder + "/topology/physical_package_id", std::to_string(id))
        .write(folder + "/thermal_throttle/package_throttle_count", std::to_string(events));
  };
  const std::string idle = " 0 0 0 9 0 0 0 0 0 0\n";
  tree.write("proc/stat", "cpu0" + idle + "cpu1" + idle + "cpu2" + idle);
  package(0, 0, 40);
  package(1, 0, 40);
  package(2, 1, 7);
  const FakeClock clock;
  const NoiseSnapshot before = take_noise_snapshot({}, clock, tree.files());
  package(2, 1, 9);
  EXPECT_EQ(noise_between(before, take_noise_snapshot_again(before, clock, tree.files())).thermal_throttle_count, 2);
}

TEST(Noise, WhatTheHypervisorTakesIsForeignToo) {
  NoiseReport report;
  report.window_s = 2;
  report.foreign_cpu_s = 0.4;
  report.cpu_time_resolution_s = 0.1;
  EXPECT_DOUBLE_EQ(*foreign_processors(report), 0.15);
  report.steal_s = 0.5;
  EXPECT_DOUBLE_EQ(*foreign_processors(report), 0.4);
}

TEST(Noise, FinerOwnAccountingDoesNotMakeForeignTimeNegative) {
  NoiseSnapshot before;
  before.busy_s = 10.0;
  before.own_s = 5.0;
  before.cpus = {0, 1};
  NoiseSnapshot after = before;
  after.time += std::chrono::seconds(1);
  after.busy_s = 10.99;
  after.own_s = 6.0;
  EXPECT_EQ(noise_between(before, after).foreign_cpu_s, 0.0);
}

TEST(Noise, CountersThatWentBackwardsAreNothing) {
  NoiseSnapshot before;
  before.busy_s = 10.0;
  before.own_s = 5.0;
  before.cpus = {0, 1};
  before.cgroup = CgroupThrottling{.period_count = 8, .throttled_s = 1.0};
  NoiseSnapshot after = before;
  after.own_s = 1.0;  // another process under the same id
  after.busy_s = 11.0;
  after.cgroup = CgroupThrottling{.period_count = 2, .throttled_s = 0.1};
  const NoiseReport report = noise_between(before, after);
  EXPECT_EQ(report.own_cpu_s, std::nullopt);
  EXPECT_EQ(report.foreign_cpu_s, std::nullopt);
  EXPECT_EQ(report.cgroup_throttled_period_count, std::nullopt);
}

TEST(Noise, MissingFilesGiveNullsNotZeros) {
  const FixtureTree tree;
  const FakeClock clock;
  const NoiseSnapshot snapshot = take_noise_snapshot({77}, clock, tree.files());
  const Json json = to_json(noise_between(snapshot, snapshot));
  for (const char* key : {"cpu_count", "own_cpu_s", "foreign_cpu_s", "foreign_ratio", "steal_s",
                          "thermal_throttle_count", "cgroup_throttled_s", "frequency_before_hz"}) {
    EXPECT_TRUE(json.at(key).is_null()) << key;
  }
  EXPECT_EQ(json.at("major_fault_count"), 0) << "getrusage always knows";
}

TEST(Noise, OwnWorkOnTheRealMachineCountsAsOwn) {
  const SystemClock clock;
  const NoiseSnapshot before = take_noise_snapshot({0, ::getppid()}, clock);
  const auto end = clock.now() + std::chrono::milliseconds(60);
  while (clock.now() < end) {
  }
  const NoiseReport report = noise_between(before, take_noise_snapshot_again(before, clock));
  EXPECT_GE(report.window_s, 0.06);
  ASSERT_TRUE(report.own_cpu_s.has_value());
  EXPECT_GT(*report.own_cpu_s, 0.0);
  ASSERT_TRUE(report.foreign_cpu_s.has_value());
  EXPECT_GE(*report.foreign_cpu_s, 0.0);
}

}  // namespace
}  // namespace transformeter
