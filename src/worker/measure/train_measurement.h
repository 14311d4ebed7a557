// Scenario `train`: consecutive training steps over shuffled texts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "measure/measurement.h"
#include "measure/memory_forecast.h"
#include "measure/step_work.h"
#include "measure/training.h"
#include "tasks/batch_loader.h"
#include "train/trainer.h"

namespace transformeter {

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

}  // namespace transformeter
