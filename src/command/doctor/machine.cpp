// The clock, counters, noise and folders; processor and memory have files of their own.
#include "doctor/machine.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>

#include "base/units.h"
#include "base/writable.h"
#include "doctor/environment_parts.h"
#include "metrics/verdict_rules.h"

namespace transformeter {
namespace {

using enum CheckLevel;
namespace fs = std::filesystem;

constexpr double kCostlyClock = 1e-6;             // seconds; a look at the clock; the harness takes three for a sample
constexpr std::uintmax_t kEnoughBytes = 1 << 28;  // free space for results

Check perf_counters(const PerfAccess& perf) {
  const std::string why =
      "transformeter profile shows cycles, instructions and cache misses, which explain why a kernel is slow; timing "
      "works without them";
  const std::string paranoid =
      perf.paranoid ? fmt::format("perf_event_paranoid is {}", *perf.paranoid) : "no perf_event_paranoid";
  if (perf.hardware) return {kOk, "processor counters", "readable, " + paranoid, why, ""};
  const std::string state = fmt::format("not readable: {}, {}{}", std::strerror(perf.error), paranoid,
                                        perf.software ? "; CPU time and page faults are readable" : "");
  if (perf.error == ENOENT || perf.error == EOPNOTSUPP || perf.error == ENODEV) {
    return {kLimited, "processor counters", state, why,
            "the hypervisor hides them; use bare metal or a guest with a virtual PMU"};
  }
  if (perf.error == ENOSYS) {
    return {kLimited, "processor counters", state, why,
            "use a kernel that is built with perf; in a container, a seccomp profile that allows perf_event_open"};
  }
  return {kLimited, "processor counters", state, why, how_to_permit_perf_events(perf.paranoid)};
}

Check energy_counters(const std::vector<EnergyDomain>& domains) {
  const std::string why = "energy is only reported from a hardware counter; without one it is null, with the reason";
  if (domains.empty()) {
    return {kLimited, "energy counters", "no RAPL domain in /sys/class/powercap", why,
            "use bare metal and load the module intel_rapl_msr (Intel, and AMD since Zen)"};
  }
  std::string state;
  bool readable = true;
  for (const EnergyDomain& domain : domains) {
    state += fmt::format("{}{}{}", state.empty() ? "" : ", ", domain.name, domain.readable ? "" : " (not readable)");
    readable = readable && domain.readable;
  }
  if (readable) return {kOk, "energy counters", state, why, ""};
  return {kLimited, "energy counters", state, why,
          "run sudo chmod -R a+r /sys/class/powercap/intel-rapl:* or run as root (since Linux 5.10 only root may read "
          "them)"};
}

Check foreign_load(const NoiseReport& noise) {
  const std::string why = "other programs compete for CPU time, caches and memory bandwidth";
  if (!noise.foreign_cpu_s || !(noise.window_s > 0)) {
    return {kLimited, "background load", "not visible", why, "make /proc/stat readable"};
  }
  const double cpus = *noise.foreign_cpu_s / noise.window_s;
  const double steal = noise.steal_s.value_or(0) / noise.window_s;
  const std::string state = fmt::format("{:.2f} CPUs busy with other work over {:.1f} s{}", cpus, noise.window_s,
                                        steal > 0 ? fmt::format(", {:.2f} stolen by the hypervisor", steal) : "");
  if (foreign_processors(noise).value_or(0) <= kMaxForeignLoad) return {kOk, "background load", state, why, ""};
  return {kLimited, "background load", state, why,
          "stop these programs (top lists them) or wait; results measured under load are doubtful"};
}

// The verdict's rule, over a process that wants one CPU all the time. Kernels without schedstat do not say how long it
// waited; what its clock skipped is the next best.
Check preemption(const QuietReport& report) {
  const std::string why = "an interrupted sample takes longer: medians are robust, p99 is not";
  const double window_s = report.noise.window_s;
  const double waited_s = report.noise.run_queue_wait_s.value_or(report.held_up.count());
  const std::string state =
      fmt::format("waited for a CPU for {} of {:.1f} s, at most {} at a time", format_duration(waited_s), window_s,
                  format_duration(report.longest_gap.count()));
  if (waited_s <= kMaxRunQueueWait * report.noise.own_cpu_s.value_or(window_s)) {
    return {kOk, "preemption", state, why, ""};
  }
  return {kLimited, "preemption", state, why, "use fewer --threads than CPUs, or dedicated CPUs (taskset)"};
}

Check temporary_folder(const fs::path& folder) {
  const std::string why = "holds a worker's output, which explains crashes";
  const std::optional<std::string> fault = why_not_writable(folder);
  if (!fault) return {kOk, "temporary folder", folder.string(), why, ""};
  return {kProblem, "temporary folder", fmt::format("{} is not writable: {}", folder.string(), *fault), why,
          "set TMPDIR to a writable folder"};
}

Check results_folder(const fs::path& folder) {
  std::error_code code;
  const fs::space_info space = fs::space(folder, code);
  const std::optional<std::string> fault = why_not_writable(folder);
  const bool is_well = !fault && !code && space.available >= kEnoughBytes;
  const std::string state = fmt::format("{}: {}", folder.string(),
                                        fault  ? "not writable: " + *fault
                                        : code ? "free space unknown"
                                               : format_bytes(static_cast<double>(space.available)) + " free");
  return {is_well ? kOk : kLimited, "results folder", state,
          "transformeter.db is created in the working folder unless --store names another file",
          is_well ? "" : "use --store to name a file elsewhere"};
}

// What is still to be made needs a folder to make it in.
fs::path nearest_that_exists(fs::path folder) {
  std::error_code code;
  while (!fs::exists(folder, code) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

Check cache_folder(const fs::path& cache) {
  const std::string why =
      "kernels and engines chosen by trial and reference outputs are kept there, so that later processes need "
      "not find them again";
  if (cache.empty()) {
    return {kLimited, "cache folder", "none: neither XDG_CACHE_HOME nor HOME is set", why,
            "set XDG_CACHE_HOME to a writable folder"};
  }
  for (const char* part : {"engines", "products", "references"}) {
    const fs::path folder = nearest_that_exists(cache / part);
    if (const std::optional<std::string> fault = why_not_writable(folder)) {
      return {kLimited, "cache folder", fmt::format("{} is not writable: {}", folder.string(), *fault), why,
              "make it writable, or set XDG_CACHE_HOME to a folder that is"};
    }
  }
  return {kOk, "cache folder", cache.string(), why, ""};
}

}  // namespace

Check check_clock(const Json& environment) {
  const Json& section = environment.at("clock");
  const std::string source =
      section.at("source").is_string() ? section.at("source").get<std::string>() : "unknown source";
  const double cost_s = section.at("overhead_s").get<double>();
  const Json& step = section.at("resolution_s");
  const std::string state = fmt::format("{}: a reading takes {}, resolution {}", source, format_duration(cost_s),
                                        step.is_number() ? format_duration(step.get<double>()) : "unknown");
  const std::string why = "samples shorter than 100 times the resolution are invalid (timer_too_coarse)";
  if (cost_s <= kCostlyClock && step.is_number()) return {kOk, "clock", state, why, ""};
  return {
      kLimited, "clock", state, why,
      "boot with clocksource=tsc; if the kernel considers the TSC unstable, measure samples of at least a millisecond"};
}

Checks check_environment(const Json& environment) {
  Checks checks = check_processor(environment);
  for (Check& one : check_memory(environment)) checks.push_back(std::move(one));
  checks.push_back(check_clock(environment));
  return checks;
}

Checks check_counters(const PerfAccess& perf, const std::vector<EnergyDomain>& energy) {
  return {perf_counters(perf), energy_counters(energy)};
}

Checks check_noise(const QuietReport& report) {
  return {foreign_load(report.noise), preemption(report)};
}

Checks check_folders(const fs::path& temporary, const fs::path& working, const fs::path& cache) {
  return {temporary_folder(temporary), results_folder(working), cache_folder(cache)};
}

}  // namespace transformeter
