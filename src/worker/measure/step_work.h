// Training steps: batches from the loader, forward, backward, optimizer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "measure/step_sampler.h"
#include "measure/training.h"
#include "spec/step_formula.h"
#include "spec/training_memory.h"
#include "tasks/batch_loader.h"
#include "train/trainer.h"

namespace transformeter {

/// Throws Error(kDiverged), naming the step, for a loss that is no number, and for gradients that are none where no
/// loss scale explains it: losses are not scaled, or by less than 1.
void check_step(const StepResult& result, std::int64_t step);

class StepWork {
 public:
  /// All must outlive it.
  StepWork(const Training& training, BatchLoader& loader, Trainer& trainer);

  /// Puts the micro-batches of the next step on the model's device: as many as gradients are accumulated over; while
  /// fine-tuning, what is left of the epoch at most.
  void take();
  /// Throws as check_step, and Error(kOutOfMemory) with the largest micro-batch that a step was tried with and fits.
  StepResult step(const std::function<void(StepPhase)>& on_phase);

  /// Of the micro-batches that were taken last, as all that follows.
  StepSize size() const;
  std::vector<ComputedRows> rows() const;
  bool ends_epoch() const { return batches_.back().ends_epoch; }
  std::int64_t epoch() const { return batches_.back().epoch; }
  /// Taken so far.
  std::int64_t micro_batches() const { return taken_; }

 private:
  TrainingBatch next_batch();
  StepSize size_of(const TrainingBatch& batch) const;
  ComputedRows rows_of(const TrainingBatch& batch) const;
  std::string what_fits();

  const Training& training_;
  BatchLoader& loader_;
  Trainer& trainer_;
  MicroBatchOptions options_;
  std::optional<StepFormula> formula_;  // nothing: there is none
  std::vector<TrainingBatch> batches_;
  std::vector<MicroBatch> micro_batches_;
  std::int64_t taken_ = 0;
};

}  // namespace transformeter
