// Runs a fine-tuning from its first step or a checkpoint to its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "measure/step_work.h"
#include "measure/training.h"
#include "schema/finetune_options.h"
#include "session/training_progress.h"
#include "session/validation.h"
#include "tasks/batch_loader.h"
#include "train/checkpoint.h"
#include "train/trainer.h"

namespace transformeter {

/// Events, each a JSON object with "event" (docs/finetune.md): started, resumed, step, evaluation, checkpoint, and
/// alive, a mere heartbeat.
using OnEvent = std::function<void(const Json&)>;

class FineTuning {
 public:
  /// `validation` may be null: nothing is scored, and the last weights are the best. The clock must outlive it. Throws
  /// Error(kBadInput) for options that the training cannot have, and for an adapter that PEFT could not load.
  FineTuning(Training training, std::unique_ptr<Validation> validation, FineTuneOptions options, const Clock& clock,
             OnEvent on_event);

  /// Returns the summary. Throws what a step throws, and Error(kDiverged) if outputs are NaN or infinite during
  /// validation; checkpoints and the best model so far are kept.
  Json run();

 private:
  std::int64_t steps_per_epoch() const;
  std::int64_t steps_in_all() const;
  TrainerOptions options_of_trainer() const;
  void resume();
  void take_step();
  bool is_evaluation_due(bool ends_epoch) const;
  bool is_checkpoint_due() const;
  void evaluate();
  ValidationResult run_validation();
  void write_checkpoint();
  void write_best();
  void write_model(const std::filesystem::path& folder) const;
  void write_adapter(const std::filesystem::path& folder) const;
  TrainingState state() const;
  std::vector<std::string> class_names() const;  // their numbers where they have no names; empty: no classes
  Json summary() const;
  void tell(const Json& event);
  void send_heartbeat();

  Training training_;
  std::unique_ptr<Validation> validation_;
  FineTuneOptions options_;
  const Clock& clock_;
  OnEvent on_event_;
  TrainingCheckpoints checkpoints_;
  TrainingProgress progress_;
  std::int64_t first_micro_batch_ = 0;  // from which this program takes them
  std::int64_t steps_;                  // in all
  Trainer trainer_;
  std::unique_ptr<BatchLoader> loader_;
  std::unique_ptr<StepWork> work_;
  Clock::TimePoint told_;  // the last event
  Clock::TimePoint kept_;  // the last checkpoint, or the beginning
};

}  // namespace transformeter
