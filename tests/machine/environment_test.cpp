// The captured environment: a full fixture, an empty one, and this machine; the fingerprint over it.
#include "machine/environment.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "machine/fingerprint.h"
#include "machine/fixture_tree.h"
#include "machine/topology.h"

namespace transformeter {
namespace {

constexpr const char* kTwoSockets = "pack:2 l3:1(size=33792KB) l2:8(size=1024KB) l1d:1(size=32768) core:1 pu:2";

void write_xeon(FixtureTree& tree) {
  tree.write("proc/cpuinfo", kXeonCpuinfo)
      .write("proc/meminfo",
             "MemTotal:  16000000 kB\nMemAvailable:  8000000 kB\nSwapTotal: 0 kB\nHugePages_Total: 4\n"
             "HugePages_Free: 3\nHugepagesize:  2048 kB\n")
      .write("proc/sys/kernel/hostname", "bench-1\n")
      .write("proc/sys/kernel/osrelease", "6.1.0-40-amd64\n")
      .write("etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID=\"12\"\n")
      .write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
      .write("sys/devices/system/cpu/online", "0-31\n")
      .write("sys/devices/system/cpu/smt/control", "on\n")
      .write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n")
      .write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n")
      .write("sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "intel_pstate\n")
      .write("sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq", "800000\n")
      .write("sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "3500000\n")
      .write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n")
      .write("sys/devices/system/cpu/cpufreq/policy1/scaling_max_freq", "3800000\n")
      .write("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n")
      .write("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
      .write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n")
      .write("sys/class/dmi/id/product_name", "m7i.metal-24xl\n");
}

Json capture(const FixtureTree& tree) {
  return capture_environment(
      {.files = tree.files(), .topology = kTwoSockets, .program_version = "0.1.0", .git_commit = ""}, SystemClock());
}

TEST(Environment, DescribesAWholeXeon) {
  FixtureTree tree;
  write_xeon(tree);
  const Json environment = capture(tree);
  EXPECT_EQ(environment["hostname"], "bench-1");
  EXPECT_EQ(environment["cpu"]["model"], "Intel(R) Xeon(R) Platinum 8488C");
  EXPECT_EQ(environment["cpu"]["native_bf16"], true);
  EXPECT_EQ(environment["memory"]["total_bytes"], 16000000LL * 1024);
  EXPECT_EQ(environment["memory"]["swap_total_bytes"], 0) << "a swap of zero is known";
  EXPECT_EQ(environment["memory"]["huge_page_count"], 4);
  EXPECT_EQ(environment["memory"]["transparent_huge_pages"], "madvise");
  EXPECT_EQ(environment["frequency"]["governors"], Json({"performance", "powersave"}));
  EXPECT_EQ(environment["frequency"]["turbo"], false);
  EXPECT_EQ(environment["frequency"]["scaling_min_hz"], 800'000'000);
  EXPECT_EQ(environment["frequency"]["scaling_max_hz"], 3'800'000'000);
  EXPECT_EQ(environment["os"]["name"], "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(environment["os"]["kernel_release"], "6.1.0-40-amd64");
  EXPECT_EQ(environment["virtualization"]["virtual_machine"], true);
  EXPECT_EQ(environment["virtualization"]["vendor"], "Amazon EC2");
  EXPECT_EQ(environment["clock"]["source"], "tsc");
  EXPECT_EQ(environment["mitigations"]["meltdown"], "Mitigation: PTI");
  EXPECT_EQ(environment["program"]["version"], "0.1.0");
  EXPECT_TRUE(environment["program"]["git_commit"].is_null());
  EXPECT_EQ(environment["topology"]["online_hardware_thread_count"], 32);
}

TEST(Environment, WhatIsMissingIsNullWithAReason) {
  const FixtureTree tree;
  const Json environment = capture(tree);
  for (const auto& [section, key] :
       std::vector<std::pair<const char*, const char*>>{{"cpu", "model"},
                                                        {"cpu", "native_bf16"},
                                                        {"memory", "total_bytes"},
                                                        {"frequency", "turbo"},
                                                        {"frequency", "governors"},
                                                        {"os", "name"},
                                                        {"container", "memory_limit_bytes"},
                                                        {"virtualization", "virtual_machine"},
                                                        {"clock", "source"}}) {
    EXPECT_TRUE(environment[section][key].is_null()) << section << "." << key;
    EXPECT_TRUE(environment[section]["null_reasons"][key].is_string()) << section << "." << key;
  }
  EXPECT_TRUE(environment["hostname"].is_null());
  EXPECT_TRUE(environment["mitigations"].is_null());
}

TEST(Environment, DescribesThisMachine) {
  const Json environment = capture_environment(
      {.files = SystemFiles(), .topology = "", .program_version = "", .git_commit = ""}, SystemClock());
  EXPECT_GE(environment["topology"]["hardware_thread_count"].get<int>(), 1);
  EXPECT_GT(environment["memory"]["total_bytes"].get<long long>(), 0);
  EXPECT_TRUE(environment["os"]["kernel_release"].is_string());
  EXPECT_EQ(environment["fingerprint"].get<std::string>().size(), 16u);
  EXPECT_FALSE(canonical_json(environment).empty());
}

TEST(Topology, CountsASyntheticMachine) {
  const Json topology = describe_topology(kTwoSockets);
  EXPECT_EQ(topology["socket_count"], 2);
  EXPECT_EQ(topology["core_count"], 2 * 8);
  EXPECT_EQ(topology["hardware_thread_count"], 2 * 8 * 2);
  EXPECT_EQ(topology["hyper_threading"], true);
  EXPECT_EQ(describe_topology("pack:1 core:4 pu:1")["hyper_threading"], false);
  const Json& caches = topology["caches"];
  ASSERT_EQ(caches.size(), 3u);
  EXPECT_EQ(caches[0]["name"], "L1d");
  EXPECT_EQ(caches[0]["size_bytes"], 32768);
  EXPECT_EQ(caches[0]["instance_count"], 16);
  EXPECT_EQ(caches[2]["name"], "L3");
  EXPECT_EQ(caches[2]["instance_count"], 2);
}

TEST(Topology, RefusesADescriptionHwlocDoesNotKnow) {
  EXPECT_THROW(describe_topology("nonsense:x"), Error);
}

TEST(Fingerprint, StaysWhenOnlyLoadAndNamesChange) {
  FixtureTree tree;
  write_xeon(tree);
  Json environment = capture(tree);
  const std::string fingerprint = host_fingerprint(environment);
  environment["hostname"] = "bench-2";
  environment["memory"]["available_bytes"] = 1;
  environment["memory"]["total_bytes"] = 16000000LL * 1024 + 4096;
  environment["frequency"]["governors"] = Json::array();
  environment["clock"]["overhead_s"] = 1.0;
  environment["program"]["version"] = "9.9.9";
  EXPECT_EQ(host_fingerprint(environment), fingerprint);
}

TEST(Fingerprint, ChangesWithTheMachine) {
  FixtureTree tree;
  write_xeon(tree);
  const Json environment = capture(tree);
  for (const char* pointer : {"/cpu/model", "/cpu/microcode", "/topology/core_count", "/memory/total_bytes",
                              "/os/kernel_release", "/container/cpu_limit_count"}) {
    Json other = environment;
    other[Json::json_pointer(pointer)] = 1;
    EXPECT_NE(host_fingerprint(other), host_fingerprint(environment)) << pointer;
  }
}

}  // namespace
}  // namespace transformeter
