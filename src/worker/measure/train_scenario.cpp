// Scenario `train`: consecutive training steps over shuffled texts.
#include "measure/measurement.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel_probe.h"
#include "measure/first_losses.h"
#include "measure/measuring_window.h"
#include "measure/memory_forecast.h"
#include "measure/precision.h"
#include "measure/profiled_passes.h"
#include "measure/step_work.h"
#include "measure/training.h"
#include "tasks/batch_loader.h"
#include "train/trainer.h"

namespace transformeter {
namespace {

constexpr std::int64_t kUsualWarmupSteps = 2;

std::int64_t live_bytes(Device& device) {
  device.reset_peak_allocated();
  return device.peak_allocated_bytes();
}

double gradient_bytes(const std::vector<TrainedWeight>& weights) {
  double bytes = 0;
  for (const TrainedWeight& weight : weights) {
    if (const at::Tensor gradient = weight.value.grad(); gradient.defined()) {
      bytes += static_cast<double>(gradient.nbytes());
    }
  }
  return bytes;
}

class TrainMeasurement final : public Measurement {
 public:
  /// The clock and the parts must outlive the measurement.
  TrainMeasurement(Training training, const PrepareRequest& request, const Clock& clock, const WorkerParts& parts);

  Prepared prepared() const override;
  Warmed warm(const WarmRequest& request) override;
  Measured measure(const MeasureRequest& request, const BlockSink& sink) override;
  /// Nothing is scored. Outputs are first_losses; the training is over with them, as its weights are others.
  Evaluated evaluate(const EvaluateRequest& request,
                     const std::function<void(const Evaluating&)>& on_progress) override;
  /// Of further steps of the training.
  Profiled profile(const ProfileRequest& request, const std::function<void(const Profiling&)>& on_progress) override;

 private:
  TrainingWork work();
  TrainingWork null_work() const;
  /// The first is weighed: what its first forward pass leaves alive.
  StepResult step(const std::function<void(StepPhase)>& on_phase);

  Training training_;
  PrepareRequest request_;
  const Clock& clock_;
  const WorkerParts& parts_;
  Trainer trainer_;
  std::unique_ptr<BatchLoader> loader_;  // ends before what it reads from
  StepWork steps_;
  std::optional<std::int64_t> activation_bytes_;
  LargestRows largest_;
  bool is_warm_ = false;
};

TrainMeasurement::TrainMeasurement(Training training, const PrepareRequest& request, const Clock& clock,
                                   const WorkerParts& parts)
    : training_(std::move(training)),
      request_(request),
      clock_(clock),
      parts_(parts),
      trainer_(*training_.model, *training_.operators, training_.weights.weights, trainer_options(training_.request)),
      loader_(std::make_unique<BatchLoader>(*training_.rows.rows, loader_options(training_))),
      steps_(training_, *loader_, trainer_) {}

Prepared TrainMeasurement::prepared() const {
  return {effective_settings(training_), training_.series};
}

TrainingWork TrainMeasurement::work() {
  return {[this] { steps_.take(); }, [this](const std::function<void(StepPhase)>& on_phase) { return step(on_phase); },
          [this] {
            for (const ComputedRows& rows : steps_.rows()) largest_.look_at(rows);
            return steps_.size();
          }};
}

TrainingWork TrainMeasurement::null_work() const {
  const std::int64_t micro_batches = training_.request.gradient_accumulation;
  return {[] {},
          [micro_batches](const std::function<void(StepPhase)>& on_phase) {
            for (std::int64_t i = 0; i < micro_batches; ++i) {
              on_phase(StepPhase::kForward);
              on_phase(StepPhase::kBackward);
            }
            on_phase(StepPhase::kOptimizer);
            return StepResult{};
          },
          [] { return StepSize{}; }};
}

StepResult TrainMeasurement::step(const std::function<void(StepPhase)>& on_phase) {
  if (activation_bytes_) return steps_.step(on_phase);
  const std::int64_t before = live_bytes(*training_.device);
  return steps_.step([&](StepPhase phase) {
    if (!activation_bytes_) activation_bytes_ = live_bytes(*training_.device) - before;
    on_phase(phase);
  });
}

Warmed TrainMeasurement::warm(const WarmRequest& request) {
  if (std::exchange(is_warm_, true)) {
    StepSampler again(clock_, *training_.device, work());
    count_cpu_time(again, *training_.device, clock_);
    return warmed_again(again);
  }
  Warmed warmed;
  StepSampler sampler(clock_, *training_.device, work());
  count_cpu_time(sampler, *training_.device, clock_);
  double last_s = 0;
  {
    const KernelProbe probe;
    last_s = sampler.take(0, kSampleWarmup | kSampleFirst);
    if (const auto forecast = forecast_memory(training_, steps_.rows().front())) {
      warmed.series.push_back(scalar_series("activation_bytes_forecast", forecast->activations));
    }
    warmed.series.push_back(cold_start(request_, clock_.now()));
    warmed.effective["attention_kernel"] = probe.attention_kernel();
    warmed.effective["linear_kernel"] = probe.linear_kernel();
    warmed.effective["linear_types"] = probe.linear_types();
  }
  const at::Tensor& weight = training_.weights.weights.front().value;
  warmed.effective["device"] = training_.device->place_of(weight);
  const c10::ScalarType type = weight.scalar_type();
  warmed.effective["precision"] = precision_of(type, trainer_.output_type().value_or(type), *training_.device);
  warmed.series.push_back(scalar_series("gradient_bytes", gradient_bytes(training_.weights.weights)));
  warmed.series.push_back(scalar_series("optimizer_bytes", static_cast<double>(state_bytes(trainer_.optimizer()))));
  if (activation_bytes_) {
    warmed.series.push_back(scalar_series("activation_bytes", static_cast<double>(*activation_bytes_)));
  }
  const std::int64_t steps = std::max<std::int64_t>(request.count.value_or(kUsualWarmupSteps), 1);
  for (std::int64_t step = 1; step < steps; ++step) last_s = sampler.take(0, kSampleWarmup);
  warmed.cycle_forecast_s = last_s;
  warmed.cycle_batches = 1;
  for (Series& series : before_measuring(sampler.drain())) warmed.series.push_back(std::move(series));
  return warmed;
}

Measured TrainMeasurement::measure(const MeasureRequest& request, const BlockSink& sink) {
  StepSampler sampler(clock_, *training_.device, work());
  count_cpu_time(sampler, *training_.device, clock_);
  StepSampler nothing(clock_, *training_.device, null_work());
  const WindowWork steps{sampler, nothing};
  largest_ = {};
  Measured measured = measure_window(steps, {*training_.device, request_, clock_}, request, sink);
  add_forecast(training_, largest_, measured);
  measured.effective["cycle_batches"] = 1;
  if (const auto choices = training_.operators->attention_choices(); !choices.empty()) {
    measured.effective["attention_trials"] = choices;
  }
  measured.effective["batches_per_epoch"] = loader_->batches_per_epoch();
  return measured;
}

// A loss that is no number has ended the case before.
Evaluated TrainMeasurement::evaluate(const EvaluateRequest& request,
                                     const std::function<void(const Evaluating&)>& on_progress) {
  Evaluated evaluated;
  if (!request.outputs) return evaluated;
  on_progress({0, 1});
  reset_weights(training_, parts_);
  evaluated.outputs = first_losses(training_, trainer_, *request.outputs, [&] { on_progress({0, 1}); });
  return evaluated;
}

Profiled TrainMeasurement::profile(const ProfileRequest& request,
                                   const std::function<void(const Profiling&)>& on_progress) {
  check_is_profiled(training_.request, *training_.device, request.options);
  const auto step = [this](std::size_t) {
    {
      const StageScope stage(ProfileStage::kData);
      steps_.take();
    }
    steps_.step([](StepPhase) {});
  };
  const PassSource source{
      .run = step, .scope = kStepScope, .gpu = gpu_of(*training_.device), .on_progress = on_progress};
  return {profile_passes(source, request.options, clock_)};
}

}  // namespace

std::unique_ptr<Measurement> prepare_train(const Case& the_case, const PrepareRequest& request, const Context& context,
                                           const WorkerParts& parts) {
  Training training =
      load_training(the_case, context, parts, [&](const Training& loaded) { return read_rows(loaded, context); });
  return std::make_unique<TrainMeasurement>(std::move(training), request, context.clock, parts);
}

}  // namespace transformeter
