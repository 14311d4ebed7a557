// Heat is a fault and the power limit is not: a board under full load runs at its limit, the same each time.
#include "metrics/gpu_rules.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/units.h"
#include "machine/nvml.h"
#include "metrics/case_settings.h"
#include "metrics/scalar_metrics.h"

namespace transformeter {
namespace {

GpuThrottling throttling_at(const ReplicateRecord& replicate, const char* series) {
  const double bits = scalar_of(replicate, series).value_or(0);
  return gpu_throttling(is_count(bits) ? static_cast<std::uint64_t>(bits) : 0);
}

// Nothing where less than the allowed share, or where there is no such counter.
std::string violation(const ReplicateRecord& replicate, const char* series, std::string_view cause) {
  const double held_s = scalar_of(replicate, series).value_or(0);
  const double window_s = scalar_of(replicate, "window").value_or(0);
  if (!(held_s > kMaxViolationShare * window_s)) return "";
  return fmt::format("{} throttled the GPU for {:.3g} of {:.3g} s", cause, held_s, window_s);
}

std::string throttled(const ReplicateRecord& replicate) {
  if (std::string text = violation(replicate, "gpu_thermal_violation_time", "its temperature"); !text.empty())
    return text;
  for (const auto& [series, when] :
       {std::pair{"gpu_throttle_reasons_before", "before"}, std::pair{"gpu_throttle_reasons_after", "after"}}) {
    const GpuThrottling throttling = throttling_at(replicate, series);
    if (throttling.thermal) return fmt::format("the GPU was throttled by its temperature {} measuring", when);
    if (throttling.hardware)
      return fmt::format("the GPU was throttled by its hardware (power brake or overload) {} measuring", when);
  }
  return "";
}

std::string foreign_load(const ReplicateRecord& replicate) {
  const double count = scalar_of(replicate, "gpu_other_processes").value_or(0);
  if (!(count > 0)) return "";
  const auto memory = scalar_of(replicate, "gpu_other_memory");
  return fmt::format("{:.0f} other process(es) on the GPU{}", count,
                     memory && *memory > 0 ? " with " + format_bytes(*memory) : "");
}

// A rise is none: before the window the GPU may have gone idle.
std::string clock_unstable(const ReplicateRecord& replicate) {
  const auto before = scalar_of(replicate, "sm_clock_before");
  const auto after = scalar_of(replicate, "sm_clock_after");
  if (!before || !after || !(*after < (1 - kMaxClockFall) * *before)) return "";
  if (!throttled(replicate).empty() || !power_cap_of(replicate).empty()) return "";
  return fmt::format("the GPU clock dropped from {:.2f} to {:.2f} GHz; NVML reports no cause", *before / 1e9,
                     *after / 1e9);
}

}  // namespace

bool is_on_gpu(const CaseRecord& the_case) {
  return text_of_path(the_case.effective, {"device"}).value_or("").starts_with("cuda");
}

std::string gpu_finding(std::string_view reason, const ReplicateRecord& replicate) {
  if (reason == "throttled") return throttled(replicate);
  if (reason == "foreign_load") return foreign_load(replicate);
  if (reason == "clock_unstable") return clock_unstable(replicate);
  return "";
}

std::string power_cap_of(const ReplicateRecord& replicate) {
  std::string text = violation(replicate, "gpu_power_violation_time", "the power limit");
  if (text.empty() && throttling_at(replicate, "gpu_throttle_reasons_after").power) {
    text = "the power limit throttled the GPU at the end of the measurement";
  }
  const auto clock = scalar_of(replicate, "sm_clock_after");
  const auto most = scalar_of(replicate, "sm_clock_max");
  if (!text.empty() && clock && most) text += fmt::format(", {:.2f} of {:.2f} GHz", *clock / 1e9, *most / 1e9);
  return text;
}

}  // namespace transformeter
