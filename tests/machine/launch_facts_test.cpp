// What launch settings are chosen from and read back by: cores and nodes, libraries, huge pages, malloc, memory policy.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "machine/allocator.h"
#include "machine/cpu_list.h"
#include "machine/fixture_tree.h"
#include "machine/huge_pages.h"
#include "machine/memory_policy.h"
#include "machine/shared_library.h"
#include "machine/thread_affinity.h"
#include "machine/topology.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

TEST(ProcessorMap, ListsCoresWithTheirThreadsAndNodes) {
  const ProcessorMap map = read_processor_map("pack:2 [numa] core:2 pu:2");
  ASSERT_EQ(map.cores.size(), 4U);
  EXPECT_EQ(map.nodes, (std::vector<int>{0, 1}));
  EXPECT_EQ(map.cores[0].cpus, (std::vector<int>{0, 1}));
  EXPECT_EQ(map.cores[0].node, 0);
  EXPECT_EQ(map.cores[3].cpus, (std::vector<int>{6, 7}));
  EXPECT_EQ(map.cores[3].node, 1);
}

TEST(ProcessorMap, HoldsEveryAllowedProcessorOfThisMachine) {
  const ProcessorMap map = read_processor_map();
  ASSERT_FALSE(map.nodes.empty());
  const std::vector<int> allowed = allowed_cpus().value();
  for (const int cpu : allowed) {
    EXPECT_TRUE(std::any_of(map.cores.begin(), map.cores.end(), [&](const ProcessorMap::Core& core) {
      return std::count(core.cpus.begin(), core.cpus.end(), cpu) == 1;
    })) << cpu;
  }
}

TEST(SharedLibrary, TakesTheFirstFolderThenTheFirstName) {
  const TemporaryFolder first;
  const TemporaryFolder second;
  second.write("libx.so.2", "");
  EXPECT_EQ(find_library({"libx.so.2", "libx.so.3"}, {first.path(), second.path()}), second.path() / "libx.so.2");
  first.write("libx.so.3", "");
  EXPECT_EQ(find_library({"libx.so.2", "libx.so.3"}, {first.path(), second.path()}), first.path() / "libx.so.3");
  EXPECT_FALSE(find_library({"liby.so"}, {first.path(), second.path()}).has_value());
}

TEST(SharedLibrary, TheLoadersFoldersHoldTheLibrariesOfThisProgram) {
  EXPECT_TRUE(find_library({"libc.so.6"}, loader_folders()).has_value());
}

TEST(HugePages, ReadsTheModeInBrackets) {
  FixtureTree tree;
  EXPECT_FALSE(transparent_huge_page_mode(tree.files()).has_value());
  tree.write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
  EXPECT_EQ(transparent_huge_page_mode(tree.files()), "never");
  tree.write("proc/77/smaps_rollup", "0-1 ---p 0 00:00 0 [rollup]\nRss: 1500 kB\nAnonHugePages: 4096 kB\n");
  EXPECT_EQ(read_huge_page_bytes(77, tree.files()), 4 << 20);
}

TEST(MemoryPolicy, IsNoneUnlessSomebodySetOne) {
  const auto policy = read_memory_policy();
  if (!policy) GTEST_SKIP() << "this kernel or container does not tell";
  EXPECT_EQ(policy->mode, MemoryPolicy::Mode::kNone);
  EXPECT_TRUE(policy->nodes.empty());
}

TEST(ThreadAffinity, ReadsEveryThreadTheFirstOneFirst) {
  FixtureTree tree;
  EXPECT_TRUE(read_thread_affinities(tree.files()).empty());
  tree.write("proc/self/task/1000/status", "Name:\tw\nCpus_allowed:\t2\nCpus_allowed_list:\t1\n")
      .write("proc/self/task/999/status", "Name:\tw\nCpus_allowed:\tb\nCpus_allowed_list:\t0-1,3\n");
  EXPECT_EQ(read_thread_affinities(tree.files()), (std::vector<std::vector<int>>{{0, 1, 3}, {1}}));
}

TEST(ThreadAffinity, OfThisProcessIsWhatTheSchedulerSays) {
  EXPECT_EQ(read_thread_affinities().at(0), allowed_cpus().value());
}

bool is_glibc() {
  Dl_info info{};
  return ::dladdr(::dlsym(RTLD_DEFAULT, "malloc"), &info) != 0 &&
         std::filesystem::path(info.dli_fname).filename().string().starts_with("libc.so");
}

TEST(Allocator, TellsRaisedThresholdsFromTheDefault) {
  if (!is_glibc()) GTEST_SKIP() << "another malloc, as a sanitizer's, is in use";
  EXPECT_EQ(read_allocator().name, "glibc");
  EXPECT_FALSE(read_allocator().version.empty());
  ASSERT_EQ(::mallopt(M_MMAP_THRESHOLD, 1 << 30), 1);
  EXPECT_EQ(read_allocator().name, "glibc") << "the block is in the heap, but its top is given back";
  ASSERT_EQ(::mallopt(M_TRIM_THRESHOLD, 1 << 30), 1);
  EXPECT_EQ(read_allocator().name, "glibc_raised");
}

}  // namespace
}  // namespace transformeter
