// Placements applied in a child, read back there from the kernel's own files; what the kernel refuses is an error.
#include "base/placement.h"

#include <gmock/gmock.h>
#include <sched.h>

#include "base/error.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

int any_allowed_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) return cpu;
  }
  return -1;
}

// What a shell that was placed so prints.
std::string printed(const Placement& placement, const std::string& script) {
  const TemporaryFolder folder;
  SpawnOptions options;
  options.arguments = {"-c", script};
  options.output = folder.path() / "out";
  options.placement = placement;
  EXPECT_EQ(Subprocess("/bin/sh", options).wait().code, 0);
  return read_file(options.output);
}

TEST(Placement, HoldsTheChildOnItsProcessorsAndNotThisProcess) {
  const int cpu = any_allowed_cpu();
  cpu_set_t before;
  cpu_set_t after;
  ::sched_getaffinity(0, sizeof before, &before);
  Placement placement;
  placement.cpus = {cpu};
  EXPECT_EQ(printed(placement, "sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status"),
            std::to_string(cpu) + "\n");
  ::sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Placement, KeepsTheChildFromHugePages) {
  const std::string script = "sed -n 's/^THP_enabled:[[:space:]]*//p' /proc/self/status";
  if (printed({}, script) != "1\n") GTEST_SKIP() << "this kernel does not tell, or has no huge pages";
  Placement placement;
  placement.no_huge_pages = true;
  EXPECT_EQ(printed(placement, script), "0\n");
}

TEST(Placement, WhatTheKernelRefusesIsUnsupportedAndNamed) {
  SpawnOptions options;
  options.placement.cpus = {100000};
  try {
    const Subprocess child("/bin/sh", options);
    FAIL() << "started on a processor that no machine has";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("/bin/sh"), HasSubstr("cannot bind it to processors"),
                                             HasSubstr("Invalid argument")));
  }
}

TEST(Placement, AFailedExecIsStillNamedAsSuch) {
  try {
    const Subprocess child("/no/such/program", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("No such file"));
  }
}

}  // namespace
}  // namespace transformeter
