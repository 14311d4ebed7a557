// What captured environments come to: a good server, a virtual machine that hides most, and faults one by one.
#include "doctor/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A quiet server with everything visible.
Json good_environment() {
  return {{"cpu", {{"model", "Xeon"}, {"features", {"avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16"}}}},
          {"frequency", {{"governors", {"performance"}}, {"drivers", {"intel_pstate"}}, {"turbo", false}}},
          {"topology",
           {{"core_count", 16}, {"hardware_thread_count", 32}, {"hyper_threading", true}, {"smt_control", "on"}}},
          {"virtualization", {{"virtual_machine", false}, {"hypervisor", nullptr}}},
          {"container", {{"cpu_limit_count", nullptr}, {"allowed_cpu_count", 32}, {"memory_limit_bytes", nullptr}}},
          {"memory",
           {{"available_bytes", 64LL << 30},
            {"transparent_huge_pages", "madvise"},
            {"swap_total_bytes", 0},
            {"swap_free_bytes", 0}}},
          {"clock", {{"source", "tsc"}, {"overhead_s", 2e-8}, {"resolution_s", 2e-8}}}};
}

Check found(const Checks& all, const std::string& what) {
  for (const Check& one : all) {
    if (one.what == what) return one;
  }
  ADD_FAILURE() << "no check of " << what;
  return {};
}

Check changed(const std::string& what, const Json& patch) {
  Json environment = good_environment();
  environment.merge_patch(patch);
  return found(check_environment(environment), what);
}

TEST(CheckEnvironment, FindsNothingWrongWithAGoodServer) {
  for (const Check& one : check_environment(good_environment())) {
    EXPECT_EQ(one.level, CheckLevel::kOk) << one.what << ": " << one.state;
    EXPECT_FALSE(one.why.empty()) << one.what;
    EXPECT_TRUE(one.advice.empty()) << one.what;
  }
}

TEST(CheckEnvironment, SaysWhatToDoWhereAFigureIsPoor) {
  const auto limited = [](const std::string& what, const Json& patch, const std::string& state) {
    const Check one = changed(what, patch);
    EXPECT_EQ(one.level, CheckLevel::kLimited) << what << ": " << one.state;
    EXPECT_THAT(one.state, HasSubstr(state)) << what;
    EXPECT_FALSE(one.advice.empty()) << what;
  };
  limited("precisions", {{"cpu", {{"features", {"avx2", "avx512f"}}}}}, "bf16 is emulated");
  limited("processor", {{"cpu", {{"features", {"sse4_2"}}}}}, "Xeon");
  limited("frequency governor", {{"frequency", {{"governors", {"powersave"}}}}}, "powersave");
  limited("turbo", {{"frequency", {{"turbo", true}}}}, "on");
  limited("virtualization", {{"virtualization", {{"virtual_machine", true}, {"hypervisor", "KVMKVMKVM"}}}}, "KVM");
  limited("processor quota", {{"container", {{"cpu_limit_count", 1.5}}}}, "1.5 CPUs");
  limited("memory", {{"memory", {{"available_bytes", 2LL << 30}}}}, "2.00 GiB");
  limited("transparent huge pages", {{"memory", {{"transparent_huge_pages", "never"}}}}, "never");
  limited("swap", {{"memory", {{"swap_total_bytes", 4LL << 30}, {"swap_free_bytes", 3LL << 30}}}}, "1.00 GiB used");
  limited("clock", {{"clock", {{"source", "hpet"}, {"overhead_s", 1.5e-6}}}}, "hpet");
}

TEST(CheckEnvironment, NeverTakesWhatItCannotSeeForGood) {
  for (const auto& [what, patch] :
       std::vector<std::pair<std::string, Json>>{{"processor", {{"cpu", {{"features", nullptr}}}}},
                                                 {"precisions", {{"cpu", {{"features", nullptr}}}}},
                                                 {"frequency governor", {{"frequency", {{"governors", nullptr}}}}},
                                                 {"turbo", {{"frequency", {{"turbo", nullptr}}}}},
                                                 {"memory", {{"memory", {{"available_bytes", nullptr}}}}}}) {
    Json environment = good_environment();
    for (const auto& [section, fields] : patch.items()) {
      for (const auto& [name, value] : fields.items()) environment[section][name] = value;
    }
    EXPECT_EQ(found(check_environment(environment), what).level, CheckLevel::kLimited) << what;
  }
}

TEST(CheckEnvironment, MakesTooLittleMemoryAProblem) {
  const Check one = changed("memory", {{"memory", {{"available_bytes", 1LL << 29}}}});
  EXPECT_EQ(one.level, CheckLevel::kProblem);
}

TEST(CheckCounters, TellsPermissionFromAbsence) {
  const auto perf = [](int error) { return found(check_counters({error == 0, error, 2}, {}), "processor counters"); };
  EXPECT_EQ(perf(0).level, CheckLevel::kOk);
  EXPECT_THAT(perf(EACCES).advice, HasSubstr("perf_event_paranoid=1"));
  EXPECT_THAT(perf(EPERM).advice, HasSubstr("seccomp"));
  EXPECT_THAT(perf(ENOENT).advice, HasSubstr("hypervisor"));
  EXPECT_THAT(perf(ENOENT).state, HasSubstr("perf_event_paranoid is 2"));
  EXPECT_THAT(perf(ENOSYS).advice, AllOf(HasSubstr("built with perf"), HasSubstr("seccomp")));
}

TEST(CheckCounters, SaysWhetherEventsOfTheKernelAreLeft) {
  const auto perf = [](const PerfAccess& access) { return found(check_counters(access, {}), "processor counters"); };
  const PerfAccess guest{.hardware = false, .error = ENOENT, .paranoid = 2, .software = true};
  EXPECT_THAT(perf(guest).state, HasSubstr("CPU time and page faults are readable"));
  const PerfAccess denied{.hardware = false, .error = EACCES, .paranoid = 1, .software = false};
  EXPECT_THAT(perf(denied).state, Not(HasSubstr("page faults")));
  EXPECT_THAT(perf(denied).advice, AllOf(HasSubstr("PERFMON"), Not(HasSubstr("sysctl")))) << "1 is what it would set";
}

TEST(CheckCounters, NamesEnergyDomainsAndWhatCannotBeRead) {
  const Checks all = check_counters({}, {{"package-0", true}, {"dram", false}});
  const Check energy = found(all, "energy counters");
  EXPECT_EQ(energy.level, CheckLevel::kLimited);
  EXPECT_EQ(energy.state, "package-0, dram (not readable)");
  EXPECT_EQ(found(check_counters({}, {{"package-0", true}}), "energy counters").level, CheckLevel::kOk);
}

TEST(CheckNoise, JudgesLoadAboveTheCountersResolution) {
  QuietReport report;
  report.noise.window_s = 1;
  report.noise.foreign_cpu_s = 0.07;
  report.noise.cpu_time_resolution_s = 0.03;
  EXPECT_EQ(found(check_noise(report), "background load").level, CheckLevel::kOk) << "0.07 - 0.03 <= 5 %";
  report.noise.foreign_cpu_s = 0.6;
  const Check busy = found(check_noise(report), "background load");
  EXPECT_EQ(busy.level, CheckLevel::kLimited);
  EXPECT_THAT(busy.state, HasSubstr("0.60 CPUs"));
  report.noise.foreign_cpu_s = 0;
  report.noise.steal_s = 0.1;
  const Check stolen = found(check_noise(report), "background load");
  EXPECT_EQ(stolen.level, CheckLevel::kLimited);
  EXPECT_THAT(stolen.state, HasSubstr("0.10 stolen by the hypervisor"));
  report.noise.foreign_cpu_s.reset();
  EXPECT_EQ(found(check_noise(report), "background load").level, CheckLevel::kLimited);
}

TEST(CheckNoise, JudgesPreemptionAsTheVerdictDoes) {
  QuietReport report;
  report.noise.window_s = 1;
  report.noise.own_cpu_s = 0.5;
  report.held_up = Seconds(0.4);
  report.noise.run_queue_wait_s = 0.01;  // 2 % of own_cpu_s
  EXPECT_EQ(found(check_noise(report), "preemption").level, CheckLevel::kOk);
  report.noise.run_queue_wait_s = 0.02;
  report.longest_gap = Seconds(0.004);
  EXPECT_EQ(found(check_noise(report), "preemption").level, CheckLevel::kLimited);
  EXPECT_THAT(found(check_noise(report), "preemption").state, HasSubstr("20.0 ms of 1.0 s, at most 4.00 ms at a time"));
}

TEST(CheckNoise, JudgesPreemptionByGapsWhereTheKernelDoesNotSay) {
  QuietReport report;
  report.noise.window_s = 1;
  report.held_up = Seconds(0.02);
  EXPECT_EQ(found(check_noise(report), "preemption").level, CheckLevel::kOk);
  report.held_up = Seconds(0.03);
  EXPECT_EQ(found(check_noise(report), "preemption").level, CheckLevel::kLimited);
}

TEST(CheckFolders, MakesAMissingTemporaryFolderAProblem) {
  const TemporaryFolder folder;
  const Checks good = check_folders(folder.path(), folder.path(), folder.path());
  EXPECT_EQ(found(good, "temporary folder").level, CheckLevel::kOk);
  const Checks bad = check_folders(folder.path() / "none", folder.path() / "none", folder.path());
  EXPECT_EQ(found(bad, "temporary folder").level, CheckLevel::kProblem);
  EXPECT_THAT(found(bad, "temporary folder").advice, HasSubstr("TMPDIR"));
  EXPECT_EQ(found(bad, "results folder").level, CheckLevel::kLimited);
}

TEST(CheckFolders, SaysWhereNothingCanBeKept) {
  const TemporaryFolder folder;
  const auto cache = [&](const std::filesystem::path& path) {
    return found(check_folders(folder.path(), folder.path(), path), "cache folder");
  };
  EXPECT_EQ(cache(folder.path()).level, CheckLevel::kOk);
  EXPECT_EQ(cache(folder.path() / "to/be/made").level, CheckLevel::kOk);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "to")) << "by whoever needs it";
  EXPECT_EQ(cache("").level, CheckLevel::kLimited);
  EXPECT_THAT(cache("").state, HasSubstr("neither XDG_CACHE_HOME nor HOME"));
  for (const std::filesystem::path& path : {std::filesystem::path("/proc/none"), folder.write("file", "")}) {
    const Check one = cache(path);
    EXPECT_EQ(one.level, CheckLevel::kLimited) << path;
    EXPECT_THAT(one.state, HasSubstr("is not writable: ")) << path;
    EXPECT_THAT(one.advice, HasSubstr("XDG_CACHE_HOME")) << path;
  }
  folder.write("products", "a file in the place of one of its folders");
  EXPECT_THAT(cache(folder.path()).state, HasSubstr("products is not writable: Not a directory"));
}

TEST(Checks, TheGravestLevelCountsAndJsonKeepsEveryField) {
  EXPECT_EQ(worst_level({}), CheckLevel::kOk);
  const Checks all = {{CheckLevel::kProblem, "a", "b", "c", "d"}, {CheckLevel::kOk, "e", "f", "g", ""}};
  EXPECT_EQ(worst_level(all), CheckLevel::kProblem);
  const Json json = to_json(all);
  EXPECT_EQ(json[0], Json({{"level", "problem"}, {"what", "a"}, {"state", "b"}, {"why", "c"}, {"advice", "d"}}));
  EXPECT_TRUE(json[1]["advice"].is_null());
}

}  // namespace
}  // namespace transformeter
