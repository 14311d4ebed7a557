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
  /// See worker/evaluation.h.
  Evaluated evaluate(const EvaluateRequest& request, const std::function<void(const Evaluating&)>& on_progress) const;

 private:
  /// The batches that are measured.
  const std::vector<StagedBatch>& cycle() const { return cut_.empty() ? case_.batches : cut_; }
  /// Draws the examples of the cut cycle and runs each of its batches once, flagged: a new shape pays once.
  Series cut_cycle(std::int64_t examples);
  std::vector<WorkSize> sizes() const;

  PreparedCase case_;
  std::vector<StagedBatch> cut_;  // empty: the cycle is whole
  PrepareRequest request_;
  const Clock& clock_;
  std::vector<at::Tensor> outputs_;  // of the last batch
};

}  // namespace transformeter
