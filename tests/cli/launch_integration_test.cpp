// Launch settings on a real worker: what it reads back in itself is what was asked for, or the case says why not.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/shell.h"
#include "machine/cpu_list.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class LaunchSettings : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }

  ShellResult run(const std::string& flags, const std::string& before = "", int warmup = 3) const {
    return shell(before +
                 "unset GLIBC_TUNABLES LD_PRELOAD MALLOC_CONF; $T run --store r.db --model bert-tiny --sequence-length "
                 "128 --precision fp32 --samples 5 --warmup " +
                 std::to_string(warmup) + " " + flags);
  }
};

bool is_unsupported(const CaseRecord& one) {
  return one.status == Status::kUnsupported;
}

TEST_F(LaunchSettings, EachAllocatorIsFoundInTheWorkerItself) {
  // Blocks of several MiB: small ones are never given back. Where they lie depends on all that was allocated before, so
  // that the heap may grow for some ten passes.
  const ShellResult result =
      run("--batch-size 32 --threads 1 --allocator glibc,glibc_raised,jemalloc,mimalloc", "", 20);
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  std::map<std::string, double> faults;
  for (const CaseRecord& one : load().cases) {
    const std::string asked = one.requested.at("allocator");
    SCOPED_TRACE(asked);
    if (is_unsupported(one)) {
      EXPECT_THAT(one.status_reason, HasSubstr("install the package")) << "not on this machine";
      continue;
    }
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason << result.errors;
    EXPECT_EQ(one.effective.at("allocator"), asked);
    EXPECT_FALSE(one.effective.at("allocator_version").get<std::string>().empty());
    EXPECT_EQ(find_series(one.replicates.at(0).series, "non_finite_outputs")->value.at(0), 0);
    const auto allocated = find_series(one.replicates.at(0).series, "peak_allocated")->value.at(0);
    EXPECT_GT(allocated, 16 * 128 * 1000) << "its malloc_usable_size serves the counting allocator";
    faults[asked] = find_series(one.replicates.at(0).series, "minor_faults")->value.at(0);
  }
  // glibc as it is may keep everything too, where a small block happens to lie above the large ones.
  constexpr double kPagesOfOneBlock = 8.0 * (1 << 20) / 4096;
  EXPECT_LT(faults.at("glibc_raised"), kPagesOfOneBlock) << "what is freed is kept\n" << result.errors;
  EXPECT_THAT(result.output, testing::Not(HasSubstr("settings_differ")));
}

TEST_F(LaunchSettings, AMissingLibraryIsUnsupportedAndTheOthersAreMeasured) {
  const ShellResult result = run("--batch-size 1 --threads 1 --allocator glibc,jemalloc",
                                 "mkdir nothing; export TRANSFORMETER_ALLOCATOR_PATH=nothing; ");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  EXPECT_EQ(stored.cases.at(0).status, Status::kOk) << stored.cases.at(0).status_reason;
  EXPECT_EQ(stored.cases.at(1).status, Status::kUnsupported);
  EXPECT_THAT(stored.cases.at(1).status_reason,
              AllOf(HasSubstr("libjemalloc.so.2"), HasSubstr("nothing"), HasSubstr("libjemalloc2")));
}

TEST_F(LaunchSettings, HugePagesAreCountedInTheWorker) {
  const ShellResult result = run("--batch-size 32 --threads 1 --huge-pages off,transparent");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  EXPECT_EQ(stored.cases.at(0).effective.at("huge_pages"), "off");
  EXPECT_EQ(stored.cases.at(0).effective.at("huge_page_bytes"), 0);
  const CaseRecord& asked = stored.cases.at(1);
  if (is_unsupported(asked)) GTEST_SKIP() << asked.status_reason;
  EXPECT_GE(asked.effective.at("huge_page_bytes").get<double>(), 2 << 20);
  EXPECT_EQ(asked.effective.at("huge_pages"), "transparent");
}

TEST_F(LaunchSettings, PinnedThreadsReadTheirProcessorsBack) {
  const std::vector<int> allowed = allowed_cpus().value();
  const ShellResult result = run("--batch-size 1 --threads 1 --pinning none,cores,threads");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  EXPECT_EQ(stored.cases.at(0).effective.at("affinity"), format_cpu_list(allowed));
  for (const std::size_t i : {1U, 2U}) {
    const CaseRecord& one = stored.cases.at(i);
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(one.effective.at("pinning"), one.requested.at("pinning"));
    EXPECT_EQ(one.effective.at("affinity"), one.launch.at("cpus"));
    EXPECT_EQ(parse_cpu_list(one.launch.at("cpus").get<std::string>())->size(), 1U);
  }
  EXPECT_EQ(stored.cases.at(2).launch.at("environment").at("OMP_PROC_BIND"), "close");
}

TEST_F(LaunchSettings, TwoPinnedThreadsHaveAProcessorEach) {
  if (allowed_cpus().value().size() < 2) GTEST_SKIP() << "needs two processors";
  const ShellResult result = run("--batch-size 1 --threads 2 --pinning threads --engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) {
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(one.effective.at("pinning"), "threads");
    EXPECT_EQ(one.requested.at("streams"), 1) << "streams have threads of their own";
    const Json masks = one.effective.at("thread_affinity");
    ASSERT_GE(masks.size(), 2U) << "there may be others, which wait";
    EXPECT_NE(masks.at(0), masks.at(1));
    for (const Json& mask : masks) EXPECT_EQ(parse_cpu_list(mask.get<std::string>())->size(), 1U);
  }
}

TEST_F(LaunchSettings, ThreadsWithinAndBetweenOperatorsAreNotSwapped) {
  const ShellResult result = run("--batch-size 1 --threads 1 --interop-threads 3");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_EQ(load().cases.at(0).effective.at("threads"), 1);
  EXPECT_EQ(load().cases.at(0).effective.at("interop_threads"), 3);
}

TEST_F(LaunchSettings, WhatDiffersFromWhatWasAskedIsNoted) {
  const ShellResult differs = shell(
      "export GLIBC_TUNABLES=glibc.malloc.mmap_threshold=1099511627776:glibc.malloc.trim_threshold=1099511627776; "
      "$T run --store r.db --model bert-tiny --batch-size 1 --sequence-length 16 --precision fp32 --samples 5");
  ASSERT_EQ(differs.exit_code, 0) << differs.errors;
  EXPECT_THAT(differs.output, AllOf(HasSubstr("settings_differ"), HasSubstr("allocator glibc became glibc_raised")));
}

TEST_F(LaunchSettings, ANodeThatIsNotThereIsUnsupportedWithThoseThatAre) {
  const ShellResult result = run("--batch-size 1 --threads 1 --numa none,1000");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const CaseRecord missing = load().cases.at(1);
  EXPECT_EQ(missing.status, Status::kUnsupported);
  EXPECT_THAT(missing.status_reason, HasSubstr("numa 1000"));
  EXPECT_THAT(result.output, HasSubstr("unsupported"));
}

TEST_F(LaunchSettings, ABoundNodeIsReadBack) {
  const ShellResult result = run("--batch-size 1 --threads 1 --numa none,0");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const CaseRecord bound = load().cases.at(1);
  if (is_unsupported(bound)) GTEST_SKIP() << bound.status_reason;
  EXPECT_EQ(bound.effective.at("numa"), 0);
  EXPECT_EQ(bound.launch.at("memory_policy"), "bind 0");
}

TEST_F(LaunchSettings, WrongWordsAreRefusedWithThoseAllowed) {
  const auto refused = [&](const std::string& flags, const std::string& allowed) {
    const ShellResult result = run(flags);
    EXPECT_EQ(result.exit_code, 3) << flags;
    EXPECT_THAT(result.errors, HasSubstr(allowed)) << flags;
  };
  refused("--allocator tcmalloc", "allowed: auto, glibc, glibc_raised, jemalloc, mimalloc");
  refused("--huge-pages on", "allowed: auto, system, off, transparent, preferred");
  refused("--pinning core", "Did you mean 'cores'?");
  refused("--numa -1", "a whole number from 0 to 1023, or none, interleave");
  refused("--interop-threads 0", "a whole number from 1 to 4096, or auto");
}

}  // namespace
}  // namespace transformeter
