// Scenario `generate`: one request at a time, greedy or with several beams, with a key-value cache of its own; prefill
// and decode within the same request.
#include "measure/measurement.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/isfinite.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/generation_request.h"
#include "engine/kernel_probe.h"
#include "measure/measuring_window.h"
#include "measure/output_collector.h"
#include "measure/prepared_case.h"
#include "measure/profiled_passes.h"
#include "measure/request_sampler.h"

namespace transformeter {
namespace {

constexpr std::int64_t kUsualWarmupRequests = 2;

// So many clock readings around nothing show what one costs, however many tokens a request has.
constexpr std::int64_t kNullReadings = 100'000;

std::size_t null_requests(std::int64_t new_tokens) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(kNullReadings / (new_tokens + 1), 10, 2000));
}

std::int64_t non_finite_count(const at::Tensor& logits) {
  const c10::InferenceMode guard;
  return logits.numel() - at::isfinite(logits).sum().item<std::int64_t>();
}

// A model that passes the cache over answers each step as if the newest token were all there is.
void check_cache(const KeyValueCache& cache, std::int64_t tokens) {
  if (cache.length() == tokens) return;
  throw Error(ErrorKind::kUnsupported, "scenario generate needs a key-value cache, which this model does not have");
}

// [2, V]: as the first new token is chosen, and as a later one is.
at::Tensor compared_logits(const InferenceEngine& engine, const StagedBatch& prompt, std::int64_t beams, bool plain) {
  constexpr std::int64_t kSteps = 8;
  const c10::InferenceMode guard;
  const std::int64_t steps = std::min(kSteps, prompt.inputs.input_ids.size(1) - 1);
  if (plain && engine.start_token()) {
    // A pass gives what follows the first token, and each of the prompt's tokens after it.
    const at::Tensor logits = engine.forward(prompt);
    return at::cat({logits.select(1, 0), logits.select(1, steps)});
  }
  if (plain) return engine.forward(prompt).select(1, -1).repeat({2, 1});
  const std::unique_ptr<GenerationRequest> request = engine.start(prompt, 1, beams);
  request->first_token();
  return at::cat({request->logits(), engine.forward_cached(prompt, steps, beams)});
}

Outputs logits_of_prompts(const PreparedCase& prepared, const OutputRequest& request,
                          const std::function<void()>& alive) {
  OutputCollector collector(request, prepared.calibration_keys);
  const auto look_at = [&](const StagedBatch& prompt) {
    const std::vector<std::int64_t> keys = input_keys(prompt);
    if (!collector.wants(keys)) return;
    collector.add_input(keys.front(), prompt.processed_tokens,
                        compared_logits(*prepared.engine, prompt, prepared.request.num_beams, request.plain));
    alive();
  };
  for (const StagedBatch& prompt : prepared.batches) look_at(prompt);
  if (collector.is_full()) return collector.outputs();
  for (const Batch& prompt : prepared.further_batches(prepared.data, request.fewest_inputs)) {
    look_at(prepared.engine->stage(prompt));
  }
  return collector.outputs();
}

class GenerateMeasurement final : public Measurement {
 public:
  /// The clock must outlive the measurement.
  GenerateMeasurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock);

  Prepared prepared() const override { return {case_.effective, case_.series}; }
  Warmed warm(const WarmRequest& request) override;
  Measured measure(const MeasureRequest& request, const BlockSink& sink) override;
  /// One request whose logits are looked at; generated text has no score. Outputs are of each prompt the logits after
  /// it, twice: of the prefill, and of decode steps over its last tokens; of a model that encodes the prompt those
  /// after the decoder's first token, and of steps over the prompt's first tokens. With several beams each has that
  /// text.
  Evaluated evaluate(const EvaluateRequest& request,
                     const std::function<void(const Evaluating&)>& on_progress) override;
  /// Of whole requests.
  Profiled profile(const ProfileRequest& request, const std::function<void(const Profiling&)>& on_progress) override;

 private:
  RequestShape shape() const;
  RequestWork work();
  std::unique_ptr<GenerationRequest> start(std::size_t prompt) const;
  /// Its samples, flagged; what was seen of it goes to `warmed`.
  std::vector<Series> first_request(Clock::TimePoint origin, Warmed& warmed);

  PreparedCase case_;
  PrepareRequest request_;
  const Clock& clock_;
  std::unique_ptr<GenerationRequest> running_;
  bool is_warm_ = false;
};

GenerateMeasurement::GenerateMeasurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock)
    : case_(std::move(prepared)), request_(request), clock_(clock) {}

RequestShape GenerateMeasurement::shape() const {
  return {case_.batches.size(), case_.request.prompt_length, case_.request.new_tokens, case_.request.num_beams};
}

RequestWork GenerateMeasurement::work() {
  return {[this](std::size_t prompt) {
            running_ = start(prompt);
            running_->first_token();
          },
          [this] { running_->next_token(); }, [this] { running_.reset(); }};
}

std::unique_ptr<GenerationRequest> GenerateMeasurement::start(std::size_t prompt) const {
  const Case& request = case_.request;
  return case_.engine->start(case_.batches[prompt], request.new_tokens, request.num_beams);
}

// The first request, watched: which kernels ran, what its cache holds, when the first result came.
std::vector<Series> GenerateMeasurement::first_request(Clock::TimePoint origin, Warmed& warmed) {
  const RequestWork usual = work();
  const auto first_token = [&](std::size_t prompt) {
    const KernelProbe probe;
    usual.first_token(prompt);
    warmed.series.push_back(cold_start(request_, clock_.now()));
    warmed.effective["attention_kernel_prefill"] = attention_kernel_of(case_, probe);
    warmed.effective["linear_kernel"] = probe.linear_kernel();
    warmed.effective["linear_types"] = probe.linear_types();
    warmed.effective["precision"] = precision_that_ran(case_, probe, running_->logits());
    check_cache(running_->cache(), case_.engine->start_token() ? 1 : case_.request.prompt_length);
  };
  const auto next_token = [&] {
    const KernelProbe probe;
    usual.next_token();
    warmed.effective["attention_kernel_decode"] = attention_kernel_of(case_, probe);
    warmed.effective["linear_kernel_decode"] = probe.linear_kernel();
    warmed.effective["linear_types_decode"] = probe.linear_types();
  };
  const auto end = [&] {
    warmed.effective["device"] = case_.device->place_of(running_->logits());
    warmed.series.push_back(scalar_series("cache_bytes", static_cast<double>(running_->cache_bytes())));
    usual.end();
  };
  RequestSampler sampler(clock_, {first_token, next_token, end}, shape());
  count_cpu_time(sampler, *case_.device, clock_);
  sampler.set_origin(origin);
  sampler.take(0, first_sample_flags(case_));
  return sampler.drain();
}

Warmed GenerateMeasurement::warm(const WarmRequest& request) {
  if (std::exchange(is_warm_, true)) {
    RequestSampler again(clock_, work(), shape());
    count_cpu_time(again, *case_.device, clock_);
    return warmed_again(again);
  }
  Warmed warmed;
  const Clock::TimePoint origin = clock_.now();
  std::vector<Series> samples = first_request(origin, warmed);
  add_first_forward(case_, find_series(samples, "time_to_first_token")->value.front(), warmed);
  RequestSampler sampler(clock_, work(), shape());
  count_cpu_time(sampler, *case_.device, clock_);
  sampler.set_origin(origin);
  warmed.cycle_forecast_s = samples.front().value.front();
  const std::int64_t requests = request.count.value_or(kUsualWarmupRequests);
  for (std::int64_t i = 1; i < requests; ++i) {
    warmed.cycle_forecast_s = sampler.take(static_cast<std::size_t>(i) % case_.batches.size(), kSampleWarmup);
  }
  const std::vector<Series> rest = sampler.drain();
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].append(rest[i]);
  for (Series& series : before_measuring(std::move(samples))) warmed.series.push_back(std::move(series));
  warmed.cycle_batches = 1;
  return warmed;
}

Measured GenerateMeasurement::measure(const MeasureRequest& request, const BlockSink& sink) {
  RequestSampler sampler(clock_, work(), shape());
  count_cpu_time(sampler, *case_.device, clock_);
  RequestSampler nothing(clock_, {[](std::size_t) {}, [] {}, [] {}}, shape());
  const WindowWork requests{sampler, nothing, null_requests(case_.request.new_tokens)};
  Measured measured = measure_window(requests, {*case_.device, request_, clock_}, request, sink);
  measured.effective["cycle_batches"] = 1;
  add_attention_trials(case_, measured.effective);
  add_memory_forecast(case_, measured);
  return measured;
}

Evaluated GenerateMeasurement::evaluate(const EvaluateRequest& request,
                                        const std::function<void(const Evaluating&)>& on_progress) {
  constexpr std::chrono::seconds kProgressPeriod{1};
  Clock::TimePoint told = clock_.now();
  const auto tell = [&] {
    if (clock_.now() - told < kProgressPeriod) return;
    on_progress({0, 1});
    told = clock_.now();
  };
  const std::unique_ptr<GenerationRequest> generated = start(0);
  generated->first_token();
  std::int64_t non_finite = non_finite_count(generated->logits());
  for (std::int64_t token = 1; token < case_.request.new_tokens; ++token) {
    generated->next_token();
    non_finite += non_finite_count(generated->logits());
    tell();
  }
  Evaluated evaluated{{scalar_series("non_finite_outputs", static_cast<double>(non_finite))}, std::nullopt};
  if (request.outputs) evaluated.outputs = logits_of_prompts(case_, *request.outputs, tell);
  return evaluated;
}

Profiled GenerateMeasurement::profile(const ProfileRequest& request,
                                      const std::function<void(const Profiling&)>& on_progress) {
  check_is_profiled(case_.request, *case_.device, request.options);
  const RequestWork parts = work();
  const auto whole = [&](std::size_t prompt) {
    parts.first_token(prompt);
    for (std::int64_t token = 1; token < case_.request.new_tokens; ++token) parts.next_token();
  };
  const PassSource source{.run = whole,
                          .end = parts.end,
                          .batches = case_.batches.size(),
                          .scope = kRequestScope,
                          .gpu = gpu_of(*case_.device),
                          .on_progress = on_progress};
  return {profile_passes(source, request.options, clock_)};
}

}  // namespace

std::unique_ptr<Measurement> prepare_generate(const Case& the_case, const PrepareRequest& request,
                                              const Context& context, const WorkerParts& parts) {
  return std::make_unique<GenerateMeasurement>(prepare_case(the_case, context, parts), request, context.clock);
}

}  // namespace transformeter
