// Reasons from noise counters, the clock and the harness, judged slice by slice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "metrics/gpu_rules.h"
#include "metrics/latency_metrics.h"
#include "metrics/load_rules.h"
#include "metrics/scalar_metrics.h"
#include "metrics/verdict_rules.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

// What a rule sees of one slice.
struct Measured {
  const ReplicateRecord& replicate;
  std::optional<double> median_sample_s;

  std::optional<double> operator()(std::string_view series) const { return scalar_of(replicate, series); }
};

// Each rule answers with its figures, or with an empty text when it finds nothing or its counters are missing.

std::string throttled(const Measured& measured) {
  const double events = measured("thermal_throttle_events").value_or(0);
  const double held_s = measured("quota_throttle_time").value_or(0);
  const double window_s = measured("window").value_or(0);
  std::string text;
  if (events > 0) text = fmt::format("{:.0f} thermal throttle events", events);
  if (held_s > kMaxQuotaShare * window_s) {
    text += fmt::format("{}the CPU quota throttled the worker for {:.3g} of {:.3g} s", text.empty() ? "" : ", ", held_s,
                        window_s);
  }
  return text;
}

// Reading a page takes up to a millisecond from a solid-state disk under load.
std::string major_faults(const Measured& measured) {
  constexpr double kFaultS = 1e-3;
  const double faults = measured("major_faults").value_or(0);
  if (!(faults * kFaultS > kMaxFaultShare * measured("window").value_or(0))) return "";
  return counted(static_cast<std::size_t>(faults), "page fault") + " read from disk";
}

std::string clock_unstable(const Measured& measured) {
  const auto before = measured("frequency_before");
  const auto after = measured("frequency_after");
  if (!before || !after || !(*before > 0)) return "";
  const double change = *after / *before - 1;
  if (!(std::fabs(change) > kMaxFrequencyChange)) return "";
  return fmt::format("mean CPU frequency {:.2f} GHz before, {:.2f} GHz after ({:+.0f} %)", *before / 1e9, *after / 1e9,
                     100 * change);
}

std::string timer_too_coarse(const Measured& measured) {
  const auto step_s = measured("clock_resolution");
  if (!step_s || !measured.median_sample_s || !(*measured.median_sample_s < kMinClockSteps * *step_s)) return "";
  return fmt::format("the median sample takes {0:.3g} s, less than {2:.0f} times the clock resolution of {1:.3g} s",
                     *measured.median_sample_s, *step_s, kMinClockSteps);
}

// A host that has launched a pass well before a device ends it marks the end meanwhile, at no cost to the sample. With
// copies there are marks before the pass too.
bool launches_ahead(const Measured& measured) {
  constexpr double kAhead = 0.95;
  const std::vector<Series>& series = measured.replicate.series;
  if (find_series(series, "host_to_device") != nullptr) return false;
  const Series* launch = find_series(series, "launch_time");
  const auto launch_s = launch == nullptr ? std::nullopt : median_of(launch->value);
  return launch_s && *launch_s < kAhead * *measured.median_sample_s;
}

std::string harness_overhead(const Measured& measured) {
  const auto cost_s = measured("harness_cost");
  if (!cost_s || !measured.median_sample_s || !(*cost_s > kMaxHarnessCost) || launches_ahead(measured)) return "";
  if (!(*cost_s > kMaxHarnessShare * *measured.median_sample_s)) return "";
  return fmt::format("the harness adds {:.3g} s to each sample; the median sample takes {:.3g} s", *cost_s,
                     *measured.median_sample_s);
}

struct MachineRule {
  const char* reason;
  std::string (*judge)(const Measured& measured);
};

constexpr MachineRule kMachineRules[] = {
    {"throttled", &throttled},
    {"foreign_load", [](const Measured& measured) { return foreign_load_finding(measured.replicate); }},
    {"preempted", [](const Measured& measured) { return preempted_finding(measured.replicate); }},
    {"stolen", [](const Measured& measured) { return stolen_finding(measured.replicate); }},
    {"major_faults", &major_faults},
    {"clock_unstable", &clock_unstable},
    {"timer_too_coarse", &timer_too_coarse},
    {"harness_overhead", &harness_overhead},
};

// Whether the headline moves by more than its half-width when the slices with a finding are left out. Not every slice
// has one.
bool moves_estimate(const VerdictInput& input, const std::vector<std::string>& details) {
  const auto half_width = headline_half_width(input.metrics);
  if (!half_width) return true;
  std::vector<SampleWindow> others;
  for (std::size_t i = 0; i < details.size(); ++i) {
    if (details[i].empty()) others.push_back(input.windows[i]);
  }
  const double all_s = *headline(input.metrics)->value;
  const auto others_s = headline_of(others).value;
  return !others_s || std::fabs(*others_s - all_s) > *half_width * all_s;
}

bool are_half(const std::vector<std::string>& details) {
  const auto hits = static_cast<std::size_t>(
      std::count_if(details.begin(), details.end(), [](const std::string& detail) { return !detail.empty(); }));
  return hits > 0 && 2 * hits >= details.size();
}

bool counts(const VerdictInput& input, const std::vector<std::string>& details) {
  return are_half(details) || moves_estimate(input, details);
}

void note_harmless_load(const VerdictInput& input, Verdict& verdict) {
  std::vector<std::string> details;
  for (const ReplicateRecord* slice : input.slices) details.push_back(harmless_load_finding(*slice));
  const bool is_reason = std::any_of(verdict.reasons.begin(), verdict.reasons.end(),
                                     [](const Finding& reason) { return reason.name == "foreign_load"; });
  if (are_half(details) && !is_reason) verdict.add_note("foreign_load", slices_text(input, details));
}

}  // namespace

void judge_machine(const VerdictInput& input, Verdict& verdict) {
  std::vector<Measured> measured;
  for (std::size_t i = 0; i < input.slices.size(); ++i) {
    measured.push_back({*input.slices[i], median_of(input.windows[i].samples)});
  }
  std::string harmless;
  for (const MachineRule& rule : kMachineRules) {
    std::vector<std::string> details;
    for (const Measured& one : measured) {
      const std::string of_gpu = gpu_finding(rule.reason, one.replicate);
      const std::string of_host = rule.judge(one);
      details.push_back(of_host + (of_host.empty() || of_gpu.empty() ? "" : ", ") + of_gpu);
    }
    const std::string text = slices_text(input, details);
    if (text.empty()) continue;
    if (counts(input, details)) {
      verdict.add_reason(rule.reason, text);
    } else {
      harmless += fmt::format("{}{} {}", harmless.empty() ? "" : "; ", rule.reason, text);
    }
  }
  if (!harmless.empty()) verdict.add_note("disturbed_slices", harmless);
  note_harmless_load(input, verdict);
}

}  // namespace transformeter
