// The measuring loop, and the same loop around nothing.
#include "measure/measuring_loop.h"

#include <algorithm>

#include "stats/summary.h"

namespace transformeter {

std::string measure_units(UnitSampler& sampler, const Clock& clock, const MeasuringOptions& options,
                          const BlockSink& sink) {
  const std::size_t shapes = sampler.shape_count();
  StoppingRule rule(options.stopping, shapes);
  const Clock::TimePoint begin = clock.now();
  Clock::TimePoint last_block = begin;
  StopDecision decision = StopDecision::kContinue;
  for (std::size_t unit = 0; decision == StopDecision::kContinue; unit = (unit + 1) % sampler.unit_count()) {
    const double seconds = sampler.take(unit);
    const Clock::TimePoint now = clock.now();
    decision = rule.add(seconds, std::chrono::duration<double>(now - begin).count(), unit % shapes);
    if (std::chrono::duration<double>(now - last_block).count() >= options.block_interval_s) {
      sink(sampler.drain());
      last_block = clock.now();
    }
  }
  const std::vector<Series> rest = sampler.drain();
  if (!rest.front().value.empty()) sink(rest);
  return std::string(name_of(decision));
}

double measure_harness_cost(UnitSampler& null_work, const Clock& clock, const StoppingOptions& stopping,
                            std::size_t samples) {
  StoppingOptions options = stopping;
  options.exact_count = samples;
  options.hard_limit = false;
  std::vector<double> launches;
  std::vector<double> steps;
  double phases = 1;
  bool has_upload = false;
  const auto keep = [&](const std::vector<Series>& block) {
    const auto append = [&](std::vector<double>& values, const char* name) {
      if (const Series* series = find_series(block, name); series != nullptr) {
        values.insert(values.end(), series->value.begin(), series->value.end());
      }
    };
    append(launches, "launch_time");
    if (find_series(block, "forward_time") != nullptr) append(steps, "latency");
    has_upload = find_series(block, "host_to_device") != nullptr;
    phases = 1 + (has_upload ? 1 : 0) + (find_series(block, "device_to_host") != nullptr ? 1 : 0);
  };
  const Clock::TimePoint begin = clock.now();
  measure_units(null_work, clock, {options}, keep);
  // A device's timers lie within a sample, two marks a phase but for the first, and so does the time of setting those
  // of the pass: one, or two behind an upload. Waiting for the device is what a caller does, and reading comes after.
  if (const auto marks_s = median_of(launches)) return *marks_s / (has_upload ? 2 : 1) * (2 * phases - 1);
  // A step's phases are read after it.
  if (const auto step_s = median_of(steps)) return *step_s;
  return std::chrono::duration<double>(clock.now() - begin).count() / static_cast<double>(samples);
}

}  // namespace transformeter
