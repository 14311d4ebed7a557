// Warm-up and the measuring window with its meters.
#include "worker/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/runtime.h"
#include "engine/kernel_probe.h"
#include "host/noise.h"
#include "host/process_memory.h"
#include "host/timer.h"
#include "worker/evaluation.h"
#include "worker/launch_readback.h"
#include "worker/own_pids.h"

namespace transformeter {
namespace {

constexpr double kLongestAutoWarmupS = 2;

void add_scalar(std::vector<Series>& series, std::string_view name, const std::optional<double>& value) {
  if (value) series.push_back(scalar_series(name, *value));
}

void add_memory(std::vector<Series>& series, const Device& device, bool peak_was_reset) {
  const ProcessMemory memory = read_process_memory(0);
  if (peak_was_reset && memory.peak_rss_bytes) {
    add_scalar(series, "peak_rss", static_cast<double>(*memory.peak_rss_bytes));
    if (memory.file_bytes) {
      add_scalar(series, "peak_anonymous", static_cast<double>(*memory.peak_rss_bytes - *memory.file_bytes));
    }
  }
  add_scalar(series, "pss_at_end", read_pss_bytes(0));
  add_scalar(series, "peak_allocated", static_cast<double>(device.peak_allocated_bytes()));
}

void add_noise(std::vector<Series>& series, const NoiseReport& noise) {
  add_scalar(series, "window", noise.window_s);
  add_scalar(series, "own_cpu_time", noise.own_cpu_s);
  add_scalar(series, "foreign_cpu_time", noise.foreign_cpu_s);
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

// Starts are relative to the beginning of measuring, so what came before is negative.
Series before_measuring(Series samples) {
  const double end_s = samples.start_s.back() + samples.value.back();
  for (double& start : samples.start_s) start -= end_s;
  return samples;
}

std::string precision_that_ran(const std::string& linear_kernel, c10::ScalarType outputs) {
  if (linear_kernel == "int8" || linear_kernel == "int8_weight_only") return linear_kernel;
  return linear_kernel == "onednn_int8" ? "int8_static" : precision_name(outputs);
}

StoppingOptions stopping_options(const MeasureRequest& request) {
  StoppingOptions options;
  options.limit_s = request.limit_s;
  options.hard_limit = request.limit_is_hard;
  if (request.exactly) options.exact_count = static_cast<std::size_t>(*request.exactly);
  return options;
}

}  // namespace

Measurement::Measurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock)
    : case_(std::move(prepared)), request_(request), clock_(clock) {}

Prepared Measurement::prepared() const {
  return {case_.effective, case_.series};
}

std::vector<WorkSize> Measurement::sizes() const {
  std::vector<WorkSize> sizes;
  for (const StagedBatch& batch : cycle()) {
    sizes.push_back({batch.examples, batch.useful_tokens, batch.processed_tokens});
  }
  return sizes;
}

Warmed Measurement::warm(const WarmRequest& request) {
  Sampler sampler(
      clock_, [this](std::size_t index) { outputs_ = case_.engine->forward(cycle()[index]); }, sizes());
  Warmed warmed;
  double first_s = 0;
  {
    const KernelProbe probe;
    first_s = sampler.take(0, kSampleWarmup | kSampleFirst);
    const auto first_result = clock_.now().time_since_epoch();
    const double cold_s =
        std::chrono::duration<double>(first_result - std::chrono::nanoseconds(request_.spawned_at_ns)).count();
    // A model from outside the tree may have no attention, or one that no engine exchanges.
    const std::string kernel = probe.attention_kernel();
    const bool was_asked = kernel == "eager" && case_.request.attention == "eager";
    const bool is_own = case_.is_foreign && (kernel == "none" || (kernel == "eager" && !was_asked));
    warmed.effective["attention_kernel"] = is_own ? "own" : kernel;
    warmed.effective["linear_kernel"] = probe.linear_kernel();
    warmed.effective["precision"] = precision_that_ran(probe.linear_kernel(), outputs_.front().scalar_type());
    warmed.series.push_back(scalar_series("first_forward", first_s));
    warmed.series.push_back(scalar_series("cold_start", cold_s));
  }
  warmed.effective["device"] = outputs_.front().device().str();

  // Auto: a second pass, and with several batches as much of one cycle as fits, because each new shape pays once for
  // what the libraries prepare.
  const auto cycle_batches = static_cast<std::int64_t>(case_.batches.size());
  const std::int64_t passes =
      std::max<std::int64_t>(request.count.value_or(std::max<std::int64_t>(cycle_batches, 2)), 1);
  double spent_s = first_s;
  std::int64_t tokens = 0;
  for (std::int64_t pass = 1; pass < passes; ++pass) {
    if (!request.count && pass >= 2 && spent_s > kLongestAutoWarmupS) break;
    const auto index = static_cast<std::size_t>(pass % cycle_batches);
    spent_s += sampler.take(index, kSampleWarmup);
    tokens += case_.batches[index].processed_tokens;
  }
  // The first pass is left out of the forecast where there is another.
  const double counted_s = tokens > 0 ? spent_s - first_s : first_s;
  if (tokens == 0) tokens = case_.batches.front().processed_tokens;
  std::int64_t all_tokens = 0;
  for (const StagedBatch& batch : case_.batches) all_tokens += batch.processed_tokens;
  warmed.cycle_forecast_s = counted_s * static_cast<double>(all_tokens) / static_cast<double>(tokens);
  warmed.cycle_batches = cycle_batches;
  warmed.series.push_back(before_measuring(sampler.drain()));
  return warmed;
}

Series Measurement::cut_cycle(std::int64_t examples) {
  CycleOptions options = case_.source.options;
  options.cut_examples = examples;
  const Cycle cut = build_cycle(case_.source.order, case_.source.encodings, case_.source.frame, options);
  cut_.clear();
  for (const Batch& batch : cut.batches) cut_.push_back(case_.engine->stage(batch));
  case_.cycle_work = case_.work->series(cut.batches);
  Sampler sampler(
      clock_, [this](std::size_t index) { outputs_ = case_.engine->forward(cut_[index]); }, sizes());
  for (std::size_t index = 0; index < cut_.size(); ++index) sampler.take(index, kSampleWarmup);
  return before_measuring(sampler.drain());
}

Measured Measurement::measure(const MeasureRequest& request, const BlockSink& sink) {
  if (request.cycle_examples && *request.cycle_examples < static_cast<std::int64_t>(case_.source.order.size())) {
    sink(cut_cycle(*request.cycle_examples));
  }
  BatchScenarioOptions options;
  options.stopping = stopping_options(request);
  Measured measured;
  measured.series.push_back(scalar_series("harness_cost", measure_harness_cost(clock_, options.stopping)));
  add_scalar(measured.series, "clock_resolution", [this]() -> std::optional<double> {
    const TimerCost cost = measure_timer(clock_);
    return cost.resolution ? std::optional<double>(cost.resolution->count()) : std::nullopt;
  }());

  Sampler sampler(
      clock_, [this](std::size_t index) { outputs_ = case_.engine->forward(cycle()[index]); }, sizes());
  outputs_.clear();
  const bool peak_was_reset = reset_peak_rss(0);
  case_.device->reset_peak_allocated();
  const std::vector<pid_t> own = own_pids(request_.own_pids);
  const NoiseSnapshot before = take_noise_snapshot(own, clock_);
  sampler.set_origin(clock_.now());
  measured.stop_reason = measure_batches(sampler, clock_, options, sink);
  const NoiseReport noise = noise_between(before, take_noise_snapshot(own, clock_));
  add_memory(measured.series, *case_.device, peak_was_reset);
  add_noise(measured.series, noise);
  measured.series.insert(measured.series.end(), case_.cycle_work.begin(), case_.cycle_work.end());
  measured.effective = read_launch_settings(request_.settings);
  measured.effective["cycle_batches"] = cycle().size();
  measured.effective["stop_reason"] = measured.stop_reason;
  return measured;
}

Evaluated Measurement::evaluate(const EvaluateRequest& request,
                                const std::function<void(const Evaluating&)>& on_progress) const {
  return evaluate_case(case_, request, clock_, on_progress);
}

}  // namespace transformeter
