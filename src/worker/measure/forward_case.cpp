// Warm-up over the cycle, and the measuring window.
#include "measure/forward_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "engine/backends.h"
#include "engine/kernel_probe.h"
#include "measure/evaluation.h"
#include "measure/measuring_window.h"
#include "measure/profiled_passes.h"

namespace transformeter {
namespace {

constexpr double kLongestAutoWarmupS = 2;

}  // namespace

ForwardCase::ForwardCase(PreparedCase prepared, const PrepareRequest& request, const Clock& clock)
    : case_(std::move(prepared)), request_(request), clock_(clock), runner_(case_, clock) {}

double ForwardCase::first_forward(UnitSampler& sampler, Warmed& warmed) {
  const KernelProbe probe;
  const double first_s = sampler.take(0, first_sample_flags(case_));
  warmed.series.push_back(cold_start(request_, clock_.now()));
  add_first_forward(case_, first_s, warmed);
  warmed.effective.update(kernels_of_forward(case_, probe, runner_.output()));
  warmed.effective["device"] = case_.device->place_of(runner_.output());
  return first_s;
}

Warmed ForwardCase::warm_again() {
  const std::unique_ptr<UnitSampler> sampler = runner_.make_sampler();
  return warmed_again(*sampler);
}

Warmed ForwardCase::warm(const WarmRequest& request) {
  if (std::exchange(is_warm_, true)) return warm_again();
  Warmed warmed;
  runner_.take(case_.batches);
  const std::unique_ptr<UnitSampler> sampler = runner_.make_sampler();
  const double first_s = first_forward(*sampler, warmed);
  runner_.settle();
  warmed.effective.update(runner_.effective());

  // Auto: a second pass, and with several batches as much of one cycle as fits, because each new shape pays once for
  // what the libraries prepare.
  const auto cycle_batches = static_cast<std::int64_t>(case_.batches.size());
  const std::int64_t passes =
      std::max<std::int64_t>(request.count.value_or(std::max<std::int64_t>(cycle_batches, 2)), 1);
  double spent_s = first_s;
  std::int64_t tokens = 0;
  std::int64_t pass = 1;
  for (; pass < passes; ++pass) {
    if (!request.count && pass >= 2 && spent_s > kLongestAutoWarmupS) break;
    const auto index = static_cast<std::size_t>(pass % cycle_batches);
    spent_s += sampler->take(index, kSampleWarmup);
    tokens += case_.batches[index].processed_tokens;
  }
  is_warmup_fixed_ = request.count.has_value();
  next_cold_ = static_cast<std::size_t>(std::min(pass, cycle_batches));
  // The first pass is left out of the forecast where there is another.
  const double counted_s = tokens > 0 ? spent_s - first_s : first_s;
  if (tokens == 0) tokens = case_.batches.front().processed_tokens;
  std::int64_t all_tokens = 0;
  for (const StagedBatch& batch : case_.batches) all_tokens += batch.processed_tokens;
  warmed.cycle_forecast_s = counted_s * static_cast<double>(all_tokens) / static_cast<double>(tokens);
  warmed.cycle_batches = cycle_batches;
  for (Series& series : before_measuring(sampler->drain())) warmed.series.push_back(std::move(series));
  return warmed;
}

std::vector<Series> ForwardCase::cut_cycle(std::int64_t examples) {
  const Cycle cut = case_.cut_cycle(examples);
  cut_.clear();
  for (const Batch& batch : cut.batches) cut_.push_back(case_.engine->stage(batch));
  case_.cycle_work = work_of(case_, cut.batches);
  CycleShape shape = CycleShape::of(cut);
  // The whole cycle stays staged.
  shape.beside = std::move(case_.cycle_shape.beside.empty() ? case_.cycle_shape.batches : case_.cycle_shape.beside);
  case_.cycle_shape = std::move(shape);
  case_.memory_forecast = nullptr;
  runner_.take(cut_);
  runner_.settle();
  const std::unique_ptr<UnitSampler> sampler = runner_.make_sampler();
  for (std::size_t index = 0; index < cut_.size(); ++index) sampler->take(index, kSampleWarmup);
  return before_measuring(sampler->drain());
}

std::vector<Series> ForwardCase::finish_warm_cycle() {
  if (next_cold_ >= case_.batches.size()) return {};
  const std::unique_ptr<UnitSampler> sampler = runner_.make_sampler();
  for (; next_cold_ < case_.batches.size(); ++next_cold_) sampler->take(next_cold_, kSampleWarmup);
  return before_measuring(sampler->drain());
}

std::vector<Series> ForwardCase::ready(const MeasureRequest& request, bool may_leave_cold) {
  if (request.slice > 0) return {};
  const bool is_cut = request.cycle_examples && *request.cycle_examples < case_.selected_examples;
  if (is_cut) return cut_cycle(*request.cycle_examples);
  return is_warmup_fixed_ && may_leave_cold ? std::vector<Series>() : finish_warm_cycle();
}

Measured ForwardCase::measure(UnitSampler& sampler, const MeasureRequest& request, const BlockSink& sink,
                              std::size_t slice_samples) {
  const std::unique_ptr<UnitSampler> nothing = runner_.make_null_sampler();
  runner_.forget_output();
  const bool hides_memory = case_.request.graphs || is_backend(case_.request.engine);
  Measured measured = measure_window({.sampler = sampler, .null_sampler = *nothing, .slice_samples = slice_samples},
                                     {*case_.device, request_, clock_, hides_memory}, request, sink);
  measured.effective["cycle_batches"] = runner_.cycle().size();
  measured.effective.update(runner_.effective());
  add_attention_trials(case_, measured.effective);
  add_memory_forecast(case_, measured);
  return measured;
}

Evaluated ForwardCase::evaluate(const EvaluateRequest& request,
                                const std::function<void(const Evaluating&)>& on_progress) {
  return evaluate_case(case_, request, clock_, on_progress);
}

Profiled ForwardCase::profile(const ProfileRequest& request, const std::function<void(const Profiling&)>& on_progress) {
  check_is_profiled(case_.request, *case_.device, request.options);
  PassSource source{.run = [this](std::size_t batch) { runner_.launch(batch); },
                    .batches = runner_.cycle().size(),
                    .streams = case_.request.streams.value_or(1),
                    .gpu = gpu_of(*case_.device),
                    .on_progress = on_progress};
  if (!case_.load_counted) return {profile_passes(source, request.options, clock_)};
  // Counting takes time in each pass: the model that is measured does not count.
  const LoadedModel counted = case_.load_counted();
  at::Tensor output;
  source.run_node_counted = [&](std::size_t batch) { output = counted.engine->launch(runner_.cycle()[batch]); };
  source.node_counters = counted.engine->node_counters();
  if (source.node_counters == nullptr) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("the plug-in of engine {} does not count nodes; run `make programs`", case_.request.engine));
  }
  return {profile_passes(source, request.options, clock_)};
}

}  // namespace transformeter
