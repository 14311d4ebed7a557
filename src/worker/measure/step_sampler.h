// Takes timed samples of the steps of a training, with their phases.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/device.h"
#include "measure/sampler.h"
#include "measure/unit_sampler.h"
#include "train/trainer.h"

namespace transformeter {

/// Operations of forward and backward passes.
struct StepFlops {
  double useful = 0;
  double processed = 0;
  double padded = 0;  // of all tokens, padding included
};

/// What a step processes.
struct StepSize {
  WorkSize work;
  std::optional<StepFlops> flops;  // nothing where there is no formula
};

/// What a step does.
struct TrainingWork {
  std::function<void()> take;  // waits for the texts of the next step and puts them in place
  std::function<StepResult(const std::function<void(StepPhase)>&)> step;
  std::function<StepSize()> size;  // of the step that was taken; outside of its time
};

/// Series, a value a step each: latency, and within it data_wait, forward_time, backward_time and optimizer_time; loss,
/// gradient_norm and skipped_step; useful_step_flops, processed_step_flops and padded_step_flops where there is a
/// formula. Phases are by the host's clock, on a device that works behind the host's back by the device's.
class StepSampler final : public UnitSampler {
 public:
  /// Clock and device must outlive the sampler.
  StepSampler(const Clock& clock, Device& device, TrainingWork work);

  void set_origin(Clock::TimePoint origin) override { origin_ = origin; }
  /// Each step draws as many new texts: steps are alike.
  std::size_t unit_count() const override { return 1; }
  std::size_t shape_count() const override { return 1; }

 protected:
  double do_take(std::size_t index, std::uint32_t flags) override;
  std::vector<Series> do_drain() override;

 private:
  void begin_piece();
  void end_piece(StepPhase phase);
  /// Seconds of a phase's pieces.
  double total(StepPhase phase);

  const Clock& clock_;
  Device& device_;
  TrainingWork work_;
  Clock::TimePoint origin_;
  Clock::TimePoint piece_begin_;
  std::vector<std::pair<StepPhase, double>> pieces_;  // of the present step, by the host's clock
  std::vector<std::unique_ptr<DeviceTimer>> timers_;  // of each piece; empty: the host's clock suffices
  bool has_timers_;
  std::vector<Series> series_;  // in the order of their names' table
};

}  // namespace transformeter
