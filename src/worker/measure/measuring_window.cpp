// The meters are read before and after the loop, never within it.
#include "measure/measuring_window.h"

#include <optional>

#include "machine/noise.h"
#include "machine/process_memory.h"
#include "machine/timer.h"
#include "measure/device_meters.h"
#include "measure/launch_readback.h"
#include "measure/own_pids.h"

namespace transformeter {
namespace {

void add_scalar(std::vector<Series>& series, std::string_view name, const std::optional<double>& value) {
  if (value) series.push_back(scalar_series(name, *value));
}

void add_memory(std::vector<Series>& series, const WindowContext& place, bool peak_was_reset) {
  const ProcessMemory memory = read_process_memory(0);
  if (peak_was_reset && memory.peak_rss_bytes) {
    add_scalar(series, "peak_rss", static_cast<double>(*memory.peak_rss_bytes));
    if (memory.file_bytes) {
      add_scalar(series, "peak_anonymous", static_cast<double>(*memory.peak_rss_bytes - *memory.file_bytes));
    }
  }
  add_scalar(series, "pss_at_end", read_pss_bytes(0));
  if (!place.hides_memory)
    add_scalar(series, "peak_allocated", static_cast<double>(place.device.peak_allocated_bytes()));
  if (const auto reserved = place.device.peak_reserved_bytes()) {
    add_scalar(series, "peak_reserved", static_cast<double>(*reserved));
  }
}

void add_noise(std::vector<Series>& series, const NoiseReport& noise) {
  add_scalar(series, "window", noise.window_s);
  add_scalar(series, "own_cpu_time", noise.own_cpu_s);
  add_scalar(series, "allowed_cpus", noise.cpu_count);
  add_scalar(series, "foreign_cpu_time", noise.foreign_cpu_s);
  add_scalar(series, "steal_time", noise.steal_s);
  add_scalar(series, "cpu_time_resolution", noise.cpu_time_resolution_s);
  add_scalar(series, "run_queue_wait_time", noise.run_queue_wait_s);
  add_scalar(series, "involuntary_switches", noise.involuntary_switch_count);
  add_scalar(series, "major_faults", noise.major_fault_count);
  add_scalar(series, "minor_faults", noise.minor_fault_count);
  add_scalar(series, "thermal_throttle_events", noise.thermal_throttle_count);
  add_scalar(series, "quota_throttle_time", noise.cgroup_throttled_s);
  add_scalar(series, "frequency_before", noise.frequency_before_hz);
  add_scalar(series, "frequency_after", noise.frequency_after_hz);
}

StoppingOptions stopping_options(const MeasureRequest& request, std::size_t slice_samples) {
  StoppingOptions options;
  options.slice_samples = slice_samples;
  options.limit_s = request.limit_s;
  options.hard_limit = request.limit_is_hard;
  if (request.slices > 1) options.slice_s = request.limit_s;
  if (request.exactly) options.exact_count = static_cast<std::size_t>(*request.exactly);
  return options;
}

}  // namespace

Measured measure_window(const WindowWork& work, const WindowContext& place, const MeasureRequest& request,
                        const BlockSink& sink) {
  MeasuringOptions options;
  options.stopping = stopping_options(request, work.slice_samples);
  Measured measured;
  measured.series.push_back(scalar_series(
      "harness_cost", measure_harness_cost(work.null_sampler, place.clock, options.stopping, work.null_samples)));
  add_scalar(measured.series, "clock_resolution", [&place]() -> std::optional<double> {
    const TimerCost cost = measure_timer(place.clock);
    return cost.resolution ? std::optional<double>(cost.resolution->count()) : std::nullopt;
  }());
  const std::vector<pid_t> own = own_pids(place.prepared.own_pids);
  DeviceMeters meters(place.device.name(), own);
  const bool peak_was_reset = reset_peak_rss(0);
  place.device.reset_peak_allocated();
  meters.begin();
  const NoiseSnapshot before = take_noise_snapshot(own, place.clock);
  meters.begin_energy(place.clock);
  work.sampler.set_origin(place.clock.now());
  measured.stop_reason = measure_units(work.sampler, place.clock, options, sink);
  meters.end_energy(place.clock);
  const NoiseReport noise = noise_between(before, take_noise_snapshot_again(before, place.clock));
  meters.end();
  add_memory(measured.series, place, peak_was_reset);
  add_noise(measured.series, noise);
  measured.effective = read_launch_settings(place.prepared.settings);
  measured.effective["stop_reason"] = measured.stop_reason;
  meters.add_to(measured.series, measured.effective);
  return measured;
}

void count_cpu_time(UnitSampler& sampler, const Device& device, const Clock& clock) {
  if (device.name() == "cpu") sampler.count_cpu_time(clock);
}

std::vector<Series> before_measuring(std::vector<Series> samples) {
  const double end_s = samples.front().start_s.back() + samples.front().value.back();
  for (Series& series : samples) {
    for (double& start : series.start_s) start -= end_s;
  }
  return samples;
}

Warmed warmed_again(UnitSampler& sampler) {
  constexpr double kLongUnitS = 0.25;
  if (sampler.take(0, kSampleWarmup) < kLongUnitS) sampler.take(1 % sampler.unit_count(), kSampleWarmup);
  Warmed warmed;
  warmed.series = before_measuring(sampler.drain());
  return warmed;
}

Series cold_start(const PrepareRequest& prepared, Clock::TimePoint first_result) {
  const auto since_spawn = first_result.time_since_epoch() - std::chrono::nanoseconds(prepared.spawned_at_ns);
  return scalar_series("cold_start", std::chrono::duration<double>(since_spawn).count());
}

}  // namespace transformeter
