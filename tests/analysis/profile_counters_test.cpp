// What counts come to, by hand.
#include "analysis/profile_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/made_profile.h"

namespace transformeter {
namespace {

// A pass of 0.5 s on two CPUs.
std::vector<EventCount> made_events() {
  return {{.name = std::string(event_name::kCycles), .value = 2e9},
          {.name = std::string(event_name::kInstructions), .value = 5e9},
          {.name = std::string(event_name::kCacheMisses), .value = 2e7},
          {.name = std::string(event_name::kMemoryReadBytes), .value = 64 * 2e7},
          {.name = std::string(event_name::kBranches), .value = 4e8},
          {.name = std::string(event_name::kBranchMisses), .value = 1e6},
          {.name = std::string(event_name::kStalledCyclesBackend), .value = 5e8},
          {.name = std::string(event_name::kTaskClock), .value = 1.0}};
}

CounterFigure figure(const std::vector<EventCount>& events, std::string_view name, std::optional<double> pass_s = 0.5) {
  for (const CounterFigure& one : counter_figures(events, pass_s)) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << "no figure " << name;
  return {};
}

TEST(ProfileCounters, GiveTheRatiosOfCounts) {
  const std::vector<EventCount> events = made_events();
  const auto value = [&](std::string_view name) { return figure(events, name).value.value_or(-1); };
  EXPECT_DOUBLE_EQ(value("instructions_per_cycle"), 5.0 / 2);
  EXPECT_DOUBLE_EQ(value("cycles_per_s"), 2e9) << "in a second of CPU time";
  EXPECT_DOUBLE_EQ(value("cache_misses_per_1000_instructions"), 4) << "2e7 ÷ (5e9 ÷ 1000)";
  EXPECT_DOUBLE_EQ(value("branch_miss_ratio"), 0.0025);
  EXPECT_DOUBLE_EQ(value("memory_read_bytes_per_s"), 64 * 2e7 / 0.5);
  EXPECT_DOUBLE_EQ(value("stalled_backend_ratio"), 0.25);
  EXPECT_DOUBLE_EQ(value("busy_cpu_count"), 2);
  EXPECT_EQ(figure(events, "stalled_frontend_ratio").value, std::nullopt) << "not counted";
  EXPECT_EQ(figure(events, "instructions_per_cycle").text, "2.50 per cycle");
  EXPECT_EQ(figure(events, "cycles_per_s").text, "2.00 GHz");
  EXPECT_EQ(figure(events, "branch_miss_ratio").text, "0.25 % of branches");
  EXPECT_EQ(figure(events, "memory_read_bytes_per_s").text, "2.56 GB/s");
}

TEST(ProfileCounters, GiveNoFigureWhereACountIsMissingOrZero) {
  std::vector<EventCount> events = made_events();
  events[0] = {.name = std::string(event_name::kCycles), .reason = "hidden"};
  EXPECT_EQ(figure(events, "instructions_per_cycle").value, std::nullopt);
  EXPECT_EQ(figure(events, "instructions_per_cycle").text, "");
  EXPECT_EQ(figure(events, "cycles_per_s").value, std::nullopt);
  events[0] = {.name = std::string(event_name::kCycles), .value = 0};
  EXPECT_EQ(figure(events, "instructions_per_cycle").value, std::nullopt) << "5e9 ÷ 0";
  EXPECT_EQ(figure(events, "busy_cpu_count", std::nullopt).value, std::nullopt);
  EXPECT_EQ(counter_figures({}, 0.5).size(), counter_figures(events, 0.5).size());
}

TEST(ProfileCounters, AreTextWithTheirUnits) {
  EXPECT_EQ(counter_text(event_name::kCycles, 1.234e9), "1.23 G");
  EXPECT_EQ(counter_text(event_name::kPageFaults, 12), "12");
  EXPECT_EQ(counter_text(event_name::kTaskClock, 0.015), "15.0 ms");
  EXPECT_EQ(counter_text(event_name::kMemoryReadBytes, 2 << 20), "2.00 MiB");
  EXPECT_EQ(counter_label(event_name::kBranchMisses), "branch misses");
  EXPECT_EQ(counter_label(event_name::kTaskClock), "CPU time");
  EXPECT_THAT(counter_label(event_name::kMemoryReadBytes), testing::HasSubstr("estimate"));
}

TEST(ProfileCounters, AreComparedWhereBothHaveThem) {
  const std::vector<EventCount> before = made_events();
  std::vector<EventCount> after = made_events();
  after[0].value = 1e9;
  after[2] = {.name = std::string(event_name::kCacheMisses), .reason = "no counter free"};
  const std::vector<ComparedCounter> rows = compared_counters(before, 0.5, after, 0.25);
  const auto row = [&](const std::string& name) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const ComparedCounter& one) { return one.name == name; });
    return found == rows.end() ? ComparedCounter() : *found;
  };
  EXPECT_EQ(rows.front().name, "cycles");
  EXPECT_EQ(row("cycles").before, "2.00 G");
  EXPECT_EQ(row("cycles").after, "1.00 G");
  EXPECT_DOUBLE_EQ(row("cycles").change_ratio.value_or(0), -0.5);
  EXPECT_DOUBLE_EQ(row("instructions per cycle").change_ratio.value_or(0), 1) << "5 ÷ 2.5 − 1";
  EXPECT_DOUBLE_EQ(row("busy CPUs").change_ratio.value_or(0), 1) << "the same CPU time in half of the time";
  EXPECT_EQ(row("cache misses").name, "") << "only one has them";
  EXPECT_TRUE(compared_counters({}, 0.5, after, 0.5).empty()) << "of a version that counted nothing";
}

TEST(ProfileCounters, BelongToThePassesWithoutTheProfiler) {
  EXPECT_NEAR(unprofiled_mean_s(made_profile().unprofiled_s).value_or(0), 0.1, 1e-12) << "of 90, 100 and 110 ms";
}

}  // namespace
}  // namespace transformeter
