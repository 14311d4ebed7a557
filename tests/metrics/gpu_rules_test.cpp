// A GPU's meters on either side of each threshold.
#include "metrics/gpu_rules.h"

#include <gmock/gmock.h>

#include "metrics_testing.h"

namespace transformeter {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr double kPowerCap = 0x4;
constexpr double kThermalSlowdown = 0x40 | 0x8;
constexpr double kPowerBrake = 0x80;
constexpr double kIdle = 0x1;

Verdict verdict_of(std::vector<Series> series) {
  series.push_back(latency_series(steady_values(50)));
  for (const auto& [name, value] :
       {std::pair{"gpu_throttle_reasons_after", kIdle}, std::pair{"gpu_other_processes", 0.0}}) {
    if (find_series(series, name) == nullptr) series.push_back(scalar_series(name, value));
  }
  CaseRecord the_case = case_of(std::move(series));
  the_case.effective = {{"device", "cuda:0"}};
  return apart_from_window(analyze_case(the_case).verdict);
}

std::vector<std::string> reasons_of(std::vector<Series> series) {
  return names_of(verdict_of(std::move(series)).reasons);
}

// The window is 10 s.
TEST(GpuThrottled, ByHeatForMoreThanOnePercentOfTheWindow) {
  EXPECT_THAT(reasons_of({}), IsEmpty());
  EXPECT_THAT(reasons_of({scalar_series("gpu_thermal_violation_time", 0.09)}), IsEmpty());
  const Verdict verdict = verdict_of({scalar_series("gpu_thermal_violation_time", 0.11)});
  EXPECT_EQ(verdict.level, VerdictLevel::kDoubtful);
  EXPECT_EQ(detail_of(verdict.reasons, "throttled"), "its temperature throttled the GPU for 0.11 of 10 s");
}

TEST(GpuThrottled, ByReasonsAtEitherEnd) {
  EXPECT_THAT(
      detail_of(verdict_of({scalar_series("gpu_throttle_reasons_before", kThermalSlowdown)}).reasons, "throttled"),
      HasSubstr("throttled by its temperature before"));
  EXPECT_THAT(detail_of(verdict_of({scalar_series("gpu_throttle_reasons_after", kPowerBrake)}).reasons, "throttled"),
              HasSubstr("throttled by its hardware (power brake or overload) after"));
}

TEST(GpuThrottled, JoinsWhatTheHostSays) {
  const Verdict verdict =
      verdict_of({scalar_series("thermal_throttle_events", 2), scalar_series("gpu_thermal_violation_time", 1)});
  EXPECT_EQ(detail_of(verdict.reasons, "throttled"),
            "2 thermal throttle events, its temperature throttled the GPU for 1 of 10 s");
}

TEST(GpuPowerCap, IsANote) {
  const Verdict verdict =
      verdict_of({scalar_series("gpu_power_violation_time", 9), scalar_series("sm_clock_before", 1.98e9),
                  scalar_series("sm_clock_after", 1.4e9), scalar_series("sm_clock_max", 1.98e9)});
  EXPECT_THAT(verdict.reasons, IsEmpty()) << "the fall has its cause";
  EXPECT_EQ(detail_of(verdict.notes, "power_capped"),
            "the power limit throttled the GPU for 9 of 10 s, 1.40 of 1.98 GHz");
  EXPECT_THAT(detail_of(verdict_of({scalar_series("gpu_throttle_reasons_after", kPowerCap)}).notes, "power_capped"),
              HasSubstr("at the end of the measurement"));
  EXPECT_EQ(detail_of(verdict_of({scalar_series("gpu_power_violation_time", 0.09)}).notes, "power_capped"), "(absent)");
}

TEST(GpuClock, IsUnstableWhenItFallsWithoutANamedCause) {
  const auto clocks = [](double before, double after) {
    return std::vector<Series>{scalar_series("sm_clock_before", before), scalar_series("sm_clock_after", after)};
  };
  EXPECT_THAT(reasons_of(clocks(1.98e9, 1.79e9)), IsEmpty());
  EXPECT_THAT(reasons_of(clocks(1.98e9, 1.78e9)), UnorderedElementsAre("clock_unstable"));
  EXPECT_THAT(reasons_of(clocks(0.35e9, 1.98e9)), IsEmpty()) << "it had gone idle before the window";
  std::vector<Series> hot = clocks(1.98e9, 1.2e9);
  hot.push_back(scalar_series("gpu_throttle_reasons_after", kThermalSlowdown));
  EXPECT_THAT(reasons_of(hot), UnorderedElementsAre("throttled"));
}

TEST(OtherGpuProcesses, IsForeignLoad) {
  const Verdict verdict =
      verdict_of({scalar_series("gpu_other_processes", 2), scalar_series("gpu_other_memory", 3 << 20)});
  EXPECT_EQ(detail_of(verdict.reasons, "foreign_load"), "2 other process(es) on the GPU with 3.00 MiB");
}

TEST(GpuMeters, ThatWereNotReadAreNoted) {
  CaseRecord the_case = case_of({latency_series(steady_values(50))});
  the_case.effective = {{"device", "cuda:0"}};
  EXPECT_EQ(detail_of(apart_from_window(analyze_case(the_case).verdict).notes, "noise_unknown"),
            "not readable: GPU throttling, processes on the GPU");
  the_case.effective = {{"device", "cpu"}};
  EXPECT_EQ(detail_of(apart_from_window(analyze_case(the_case).verdict).notes, "noise_unknown"), "(absent)");
}

TEST(DeviceMemory, IsOfAGpuOnlyAndSaysWhyItIsMissing) {
  CaseRecord the_case = case_of({latency_series(steady_values(50)), scalar_series("peak_reserved", 5 << 20)});
  the_case.effective = {{"device", "cuda:0"}, {"gpu", {{"null_reasons", {{"device_process_memory", "hidden"}}}}}};
  CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_EQ(row_of(analysis, "peak_reserved", "value").value, 5 << 20);
  EXPECT_EQ(row_of(analysis, "device_process_memory", "value").reason, "hidden");
  the_case.effective = {{"device", "cpu"}};
  analysis = analyze_case(case_of({latency_series(steady_values(50))}));
  EXPECT_EQ(row_of(analysis, "device_process_memory", "value").reason, "GPU only");
}

}  // namespace
}  // namespace transformeter
