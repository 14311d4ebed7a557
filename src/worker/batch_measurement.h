// Scenario `batch`: the batches of the cycle, one after another.
#pragma once

#include <functional>
#include <vector>

#include "scenario/sampler.h"
#include "worker/measurement.h"

namespace transformeter {

class BatchMeasurement final : public Measurement {
 public:
  /// The clock must outlive the measurement.
  BatchMeasurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock);

  Warmed warm(const WarmRequest& request) override;
  Measured measure(const MeasureRequest& request, const BlockSink& sink) override;
  /// See worker/evaluation.h.
  Evaluated evaluate(const EvaluateRequest& request,
                     const std::function<void(const Evaluating&)>& on_progress) override;

 private:
  /// The batches that are measured.
  const std::vector<StagedBatch>& cycle() const { return cut_.empty() ? case_.batches : cut_; }
  /// Draws the examples of the cut cycle and runs each of its batches once, flagged: a new shape pays once.
  std::vector<Series> cut_cycle(std::int64_t examples);
  std::vector<WorkSize> sizes() const;

  PreparedCase case_;
  std::vector<StagedBatch> cut_;  // empty: the cycle is whole
  PrepareRequest request_;
  const Clock& clock_;
  at::Tensor outputs_;  // of the last batch
};

}  // namespace transformeter
