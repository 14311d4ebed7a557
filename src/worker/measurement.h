// The verbs after prepare: first result and warm-up, measuring, and checking the outputs.
#pragma once

#include <functional>

#include "base/clock.h"
#include "protocol/messages.h"
#include "scenario/batch_scenario.h"
#include "worker/prepared_case.h"

namespace transformeter {

class Measurement {
 public:
  /// The clock must outlive the measurement.
  Measurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock);

  Prepared prepared() const;
  Warmed warm(const WarmRequest& request);
  Measured measure(const MeasureRequest& request, const BlockSink& sink);
  /// Over all batches of the data set, cut cycle or not.
  Evaluated evaluate(const EvaluateRequest& request, const std::function<void(const Evaluating&)>& on_progress);

 private:
  /// Draws the batches of the cut cycle.
  void cut_cycle(std::int64_t batches);
  std::vector<WorkSize> sizes() const;

  const StagedBatch& batch_at(std::size_t index) const { return case_.batches[cycle_[index]]; }
  bool is_scored() const;

  PreparedCase case_;
  std::vector<std::size_t> cycle_;  // the batches that are measured, in order; indices into case_.batches
  PrepareRequest request_;
  const Clock& clock_;
  at::Tensor output_;  // of the last batch
};

}  // namespace transformeter
