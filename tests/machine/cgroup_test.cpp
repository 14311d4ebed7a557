// Container limits of cgroup versions 1 and 2: the tightest level counts.
#include "machine/cgroup.h"

#include <gtest/gtest.h>

#include "machine/fixture_tree.h"
#include "machine/process_memory.h"

namespace transformeter {
namespace {

constexpr long long kMebibyte = 1LL << 20;

FixtureTree& version_2(FixtureTree& tree) {
  return tree.write("proc/self/cgroup", "0::/pod/worker\n")
      .write("sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory\n")
      .write("sys/fs/cgroup/cpuset.cpus.effective", "0-15\n")
      .write("sys/fs/cgroup/pod/cpu.max", "200000 100000\n")
      .write("sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_periods 10\nnr_throttled 3\nthrottled_usec 1500000\n")
      .write("sys/fs/cgroup/pod/memory.max", "1073741824\n")
      .write("sys/fs/cgroup/pod/memory.current", "838860800\n")                     // 800 MiB
      .write("sys/fs/cgroup/pod/memory.stat", "anon 1\ninactive_file 104857600\n")  // 100 MiB
      .write("sys/fs/cgroup/pod/worker/cpu.max", "max 100000\n")
      .write("sys/fs/cgroup/pod/worker/cpu.stat", "nr_throttled 1\nthrottled_usec 500000\n")
      .write("sys/fs/cgroup/pod/worker/cpuset.cpus.effective", "0-3\n")
      .write("sys/fs/cgroup/pod/worker/memory.max", "max\n")
      .write("sys/fs/cgroup/pod/worker/memory.current", "1000\n");
}

TEST(Cgroup, Version2TakesTheTightestLevel) {
  FixtureTree tree;
  const CgroupLimits limits = read_cgroup_limits(version_2(tree).files());
  EXPECT_EQ(limits.version, 2);
  EXPECT_EQ(limits.cpu_count, 2.0);
  EXPECT_EQ(limits.memory_limit_bytes, 1024 * kMebibyte);
  EXPECT_EQ(limits.memory_left_bytes, (1024 - (800 - 100)) * kMebibyte);
  EXPECT_EQ(limits.cpus, "0-3");
}

TEST(Cgroup, Version2SumsThrottlingOverTheLevels) {
  FixtureTree tree;
  const auto throttling = read_cgroup_throttling(version_2(tree).files());
  ASSERT_TRUE(throttling.has_value());
  EXPECT_EQ(throttling->period_count, 3 + 1);
  EXPECT_DOUBLE_EQ(throttling->throttled_s, 1.5 + 0.5);
}

TEST(Cgroup, Version1ReadsJoinedControllersAndKnowsNoLimit) {
  FixtureTree tree;
  tree.write("proc/self/cgroup", "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n2:cpuset:/docker/abc\n0::/\n")
      .write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
      .write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "2147483648\n")
      .write("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "1073741824\n")
      .write("sys/fs/cgroup/memory/docker/abc/memory.stat", "inactive_file 1\ntotal_inactive_file 536870912\n")
      .write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "150000\n")
      .write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n")
      .write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
      .write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.stat",
             "nr_periods 9\nnr_throttled 2\nthrottled_time 250000000\n")
      .write("sys/fs/cgroup/cpuset/docker/abc/cpuset.effective_cpus", "4-7\n");
  const CgroupLimits limits = read_cgroup_limits(tree.files());
  EXPECT_EQ(limits.version, 1);
  EXPECT_EQ(limits.cpu_count, 1.5);
  EXPECT_EQ(limits.memory_limit_bytes, 2048 * kMebibyte);
  EXPECT_EQ(limits.memory_left_bytes, (2048 - (1024 - 512)) * kMebibyte);
  EXPECT_EQ(limits.cpus, "4-7");
  const auto throttling = read_cgroup_throttling(tree.files());
  ASSERT_TRUE(throttling.has_value());
  EXPECT_EQ(throttling->period_count, 2);
  EXPECT_DOUBLE_EQ(throttling->throttled_s, 0.25);
}

TEST(Cgroup, AHostPathThatTheContainerDoesNotSeeFallsBackToItsRoot) {
  FixtureTree tree;
  tree.write("proc/self/cgroup", "0::/../../system.slice/docker-1.scope\n")
      .write("sys/fs/cgroup/memory.max", "4096\n")
      .write("sys/fs/cgroup/memory.current", "5000\n");
  const CgroupLimits limits = read_cgroup_limits(tree.files());
  EXPECT_EQ(limits.memory_limit_bytes, 4096);
  EXPECT_EQ(limits.memory_left_bytes, 0) << "over the limit is nothing left, not a negative number";
}

TEST(Cgroup, MissingFilesAreNothing) {
  const FixtureTree tree;
  const CgroupLimits limits = read_cgroup_limits(tree.files());
  EXPECT_EQ(limits.version, std::nullopt);
  EXPECT_EQ(limits.cpu_count, std::nullopt);
  EXPECT_EQ(limits.memory_limit_bytes, std::nullopt);
  EXPECT_EQ(limits.cpus, std::nullopt);
  EXPECT_FALSE(read_cgroup_throttling(tree.files()).has_value());
}

TEST(AvailableMemory, IsCappedByWhatTheCgroupHasLeft) {
  FixtureTree tree;
  tree.write("proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n");
  EXPECT_EQ(available_memory_bytes(tree.files()), 8192 * kMebibyte);
  EXPECT_EQ(available_memory_bytes(version_2(tree).files()), (1024 - (800 - 100)) * kMebibyte);
}

}  // namespace
}  // namespace transformeter
