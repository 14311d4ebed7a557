// What each launch setting becomes, on made-up hosts; nothing is started.
#include "run/launch_settings.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LaunchOf : public testing::Test {
 protected:
  LaunchOf() {
    for (const char* name : {"GLIBC_TUNABLES", "LD_PRELOAD", "MALLOC_CONF"}) ::unsetenv(name);
    // Two nodes of two cores with two hardware threads each: 0 4, 1 5 | 2 6, 3 7.
    host_.processors.cores = {{{0, 4}, 0}, {{1, 5}, 0}, {{2, 6}, 1}, {{3, 7}, 1}};
    host_.processors.nodes = {0, 1};
    host_.allowed_cpus = {0, 1, 2, 3, 4, 5, 6, 7};
    host_.library_folders = {folder_.path()};
    host_.transparent_huge_pages = "madvise";
    host_.has_memory_policy = true;
  }

  Launch launch(const Json& requested) const { return launch_of(case_from(requested), host_); }

  std::string variable(const Json& requested, const std::string& name) const {
    const auto environment = launch(requested).environment;
    const auto found = environment.find(name);
    return found == environment.end() ? "(not set)" : found->second;
  }

  std::string refusal(const Json& requested) const {
    try {
      launch(requested);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      return error.what();
    }
    ADD_FAILURE() << requested.dump() << " was not refused";
    return "";
  }

  TemporaryFolder folder_;
  LaunchHost host_;
};

TEST_F(LaunchOf, DefaultsLeaveTheWorkerAsTheSystemHasIt) {
  const Launch plain =
      launch({{"allocator", "glibc"}, {"huge_pages", "system"}, {"pinning", "none"}, {"numa", "none"}});
  EXPECT_EQ(plain.environment, launch(Json::object()).environment);
  EXPECT_EQ(plain.environment.count("GLIBC_TUNABLES"), 0U);
  EXPECT_TRUE(plain.placement.cpus.empty());
  EXPECT_EQ(plain.placement.memory.mode, MemoryPolicy::Mode::kNone);
  EXPECT_FALSE(plain.placement.no_huge_pages);
}

TEST_F(LaunchOf, ThreadsAreOfOpenMpAndMklAndInteropThreadsAreNot) {
  EXPECT_EQ(variable({{"threads", 3}, {"interop_threads", 5}}, "OMP_NUM_THREADS"), "3");
  EXPECT_EQ(variable({{"threads", 3}, {"interop_threads", 5}}, "MKL_NUM_THREADS"), "3");
  EXPECT_EQ(launch({{"interop_threads", 5}}).environment, launch(Json::object()).environment)
      << "no variable sets them: the worker does";
}

TEST_F(LaunchOf, RaisedGlibcKeepsWhatIsFreed) {
  EXPECT_EQ(variable({{"allocator", "glibc_raised"}}, "GLIBC_TUNABLES"),
            "glibc.malloc.mmap_threshold=1099511627776:glibc.malloc.trim_threshold=1099511627776:"
            "glibc.malloc.arena_max=1");
}

TEST_F(LaunchOf, TheCallersOwnTunablesStayButForThoseAskedFor) {
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.check=1:glibc.malloc.arena_max=8", 1);
  EXPECT_THAT(variable({{"allocator", "glibc_raised"}}, "GLIBC_TUNABLES"),
              AllOf(testing::StartsWith("glibc.malloc.check=1:"), testing::EndsWith("glibc.malloc.arena_max=1"),
                    testing::Not(HasSubstr("arena_max=8"))));
  EXPECT_EQ(variable({{"allocator", "glibc"}}, "GLIBC_TUNABLES"), "glibc.malloc.check=1:glibc.malloc.arena_max=8");
}

TEST_F(LaunchOf, JemallocIsPreloadedBeforeTheCallersLibrariesAndKeepsPages) {
  const std::string library = folder_.write("libjemalloc.so.2", "").string();
  const Json requested = {{"allocator", "jemalloc"}};
  EXPECT_EQ(variable(requested, "LD_PRELOAD"), library);
  EXPECT_EQ(variable(requested, "MALLOC_CONF"), "background_thread:false,dirty_decay_ms:-1,muzzy_decay_ms:-1");
  ::setenv("LD_PRELOAD", "/tmp/libother.so", 1);
  EXPECT_EQ(variable(requested, "LD_PRELOAD"), library + ":/tmp/libother.so");
  ::unsetenv("LD_PRELOAD");
}

TEST_F(LaunchOf, MimallocReservesNoMoreThanHalfOfAMemoryLimit) {
  folder_.write("libmimalloc.so.2", "");
  const Json requested = {{"allocator", "mimalloc"}, {"memory_limit", "auto"}};
  EXPECT_EQ(variable(requested, "MIMALLOC_PURGE_DELAY"), "-1");
  EXPECT_EQ(variable(requested, "MIMALLOC_RESERVE_OS_MEMORY"), "2097152KiB") << "2 GiB";
  EXPECT_EQ(variable({{"allocator", "mimalloc"}, {"memory_limit", 1 << 30}}, "MIMALLOC_RESERVE_OS_MEMORY"),
            "524288KiB");
}

TEST_F(LaunchOf, AMissingAllocatorNamesFileFoldersAndPackage) {
  EXPECT_THAT(refusal({{"allocator", "jemalloc"}}),
              AllOf(HasSubstr("allocator jemalloc"), HasSubstr("libjemalloc.so.2"), HasSubstr(folder_.path().string()),
                    HasSubstr("install the package libjemalloc2")));
  EXPECT_THAT(refusal({{"allocator", "mimalloc"}}), HasSubstr("libmimalloc2.0"));
}

TEST_F(LaunchOf, HugePagesAreAskedForInTheWordsOfEachAllocator) {
  folder_.write("libjemalloc.so.2", "");
  folder_.write("libmimalloc.so.2", "");
  const auto with = [](const char* allocator) { return Json{{"allocator", allocator}, {"huge_pages", "transparent"}}; };
  EXPECT_EQ(variable(with("glibc"), "GLIBC_TUNABLES"), "glibc.malloc.hugetlb=1");
  EXPECT_THAT(variable(with("glibc_raised"), "GLIBC_TUNABLES"), testing::EndsWith(":glibc.malloc.hugetlb=1"));
  EXPECT_THAT(variable(with("jemalloc"), "MALLOC_CONF"), testing::EndsWith(",thp:always"));
  EXPECT_EQ(variable(with("mimalloc"), "THP_MEM_ALLOC_ENABLE"), "1");
  EXPECT_TRUE(launch({{"huge_pages", "off"}}).placement.no_huge_pages);
}

TEST_F(LaunchOf, PreferredHugePagesAreAskedForWhereTheMachineAllowsThem) {
  const Json asked{{"allocator", "glibc"}, {"huge_pages", "preferred"}};
  EXPECT_EQ(variable(asked, "GLIBC_TUNABLES"), "glibc.malloc.hugetlb=1");
  host_.transparent_huge_pages = "never";
  EXPECT_FALSE(launch(asked).environment.contains("GLIBC_TUNABLES"));
  host_.transparent_huge_pages.reset();
  EXPECT_FALSE(launch(asked).environment.contains("GLIBC_TUNABLES"));
}

TEST_F(LaunchOf, HugePagesThatTheMachineForbidsAreUnsupported) {
  host_.transparent_huge_pages = "never";
  EXPECT_THAT(refusal({{"huge_pages", "transparent"}}), AllOf(HasSubstr("'never'"), HasSubstr("madvise")));
  host_.transparent_huge_pages.reset();
  EXPECT_THAT(refusal({{"huge_pages", "transparent"}}), HasSubstr("does not support transparent huge pages"));
  EXPECT_NO_THROW(launch({{"huge_pages", "off"}}));
}

TEST_F(LaunchOf, PinningTakesPhysicalCoresFirst) {
  EXPECT_EQ(launch({{"pinning", "cores"}, {"threads", 3}}).placement.cpus, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(launch({{"pinning", "cores"}, {"threads", 6}}).placement.cpus, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(launch({{"pinning", "cores"}, {"threads", 3}}).environment.count("OMP_PROC_BIND"), 0U);
}

TEST_F(LaunchOf, PinningStaysWithinWhatIsAllowed) {
  host_.allowed_cpus = {3, 4, 7};  // one hardware thread of the first core, both of the last
  EXPECT_EQ(launch({{"pinning", "cores"}, {"threads", 2}}).placement.cpus, (std::vector<int>{3, 4}));
  EXPECT_EQ(launch({{"pinning", "cores"}, {"threads", 3}}).placement.cpus, (std::vector<int>{3, 4, 7}));
  EXPECT_THAT(refusal({{"pinning", "cores"}, {"threads", 4}}),
              AllOf(HasSubstr("4 threads"), HasSubstr("3 allowed CPUs (3-4,7)"), HasSubstr("at most 3")));
}

TEST_F(LaunchOf, PinnedThreadsGetAPlaceEachInTheOrderOfCores) {
  const Json requested = {{"pinning", "threads"}, {"threads", 5}};
  EXPECT_EQ(variable(requested, "OMP_PLACES"), "{0},{1},{2},{3},{4}");
  EXPECT_EQ(variable(requested, "OMP_PROC_BIND"), "close");
  EXPECT_EQ(launch(requested).placement.cpus, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(LaunchOf, ANumaNodeGivesItsProcessorsAndItsMemory) {
  const Launch bound = launch({{"numa", 1}, {"threads", 8}});
  EXPECT_EQ(bound.placement.cpus, (std::vector<int>{2, 3, 6, 7}));
  EXPECT_EQ(bound.placement.memory.mode, MemoryPolicy::Mode::kBind);
  EXPECT_EQ(bound.placement.memory.nodes, std::vector<int>{1});
  EXPECT_EQ(launch({{"numa", 1}, {"threads", 2}, {"pinning", "cores"}}).placement.cpus, (std::vector<int>{2, 3}));
  const Launch spread = launch({{"numa", "interleave"}});
  EXPECT_EQ(spread.placement.memory.mode, MemoryPolicy::Mode::kInterleave);
  EXPECT_EQ(spread.placement.memory.nodes, (std::vector<int>{0, 1}));
  EXPECT_TRUE(spread.placement.cpus.empty());
}

TEST_F(LaunchOf, ANodeOfMemoryAloneLeavesTheProcessorsFree) {
  host_.processors.nodes = {0, 1, 2};
  const Launch bound = launch({{"numa", 2}});
  EXPECT_EQ(bound.placement.memory.nodes, std::vector<int>{2});
  EXPECT_TRUE(bound.placement.cpus.empty());
}

TEST_F(LaunchOf, WhatAMachineOfOneNodeCannotGiveIsUnsupported) {
  host_.processors.nodes = {0};
  EXPECT_THAT(refusal({{"numa", 1}}), AllOf(HasSubstr("numa 1"), HasSubstr("it has 0")));
  EXPECT_THAT(refusal({{"numa", "interleave"}}), HasSubstr("one NUMA node"));
  host_.has_memory_policy = false;
  EXPECT_THAT(refusal({{"numa", 0}}), HasSubstr("SYS_NICE"));
}

TEST_F(LaunchOf, ANodeOfWhichNoProcessorIsAllowedIsUnsupported) {
  host_.allowed_cpus = {0, 1};
  EXPECT_THAT(refusal({{"numa", 1}}), AllOf(HasSubstr("numa 1"), HasSubstr("allowed: 0-1")));
}

TEST_F(LaunchOf, JsonHoldsWhatWasSetAndNothingElse) {
  EXPECT_FALSE(to_json(launch(Json::object())).contains("cpus"));
  const Json json = to_json(launch({{"numa", 1}, {"threads", 2}, {"pinning", "cores"}, {"huge_pages", "off"}}));
  EXPECT_EQ(json["cpus"], "2-3");
  EXPECT_EQ(json["memory_policy"], "bind 1");
  EXPECT_EQ(json["transparent_huge_pages"], "off");
  EXPECT_EQ(json["environment"]["OMP_NUM_THREADS"], "2");
}

}  // namespace
}  // namespace transformeter
