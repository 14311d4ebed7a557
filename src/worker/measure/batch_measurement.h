// Scenario `batch`: the batches of the cycle, one after another.
#pragma once

#include <functional>
#include <vector>

#include "measure/batch_runner.h"
#include "measure/measurement.h"
#include "measure/prepared_case.h"
#include "measure/unit_sampler.h"

namespace transformeter {

class BatchMeasurement final : public Measurement {
 public:
  /// The clock must outlive the measurement.
  BatchMeasurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock);

  Prepared prepared() const override { return {case_.effective, case_.series}; }
  Warmed warm(const WarmRequest& request) override;
  Measured measure(const MeasureRequest& request, const BlockSink& sink) override;
  /// See measure/evaluation.h.
  Evaluated evaluate(const EvaluateRequest& request,
                     const std::function<void(const Evaluating&)>& on_progress) override;

 private:
  /// A short warm-up of what has been measured before: other work may have taken the caches meanwhile.
  Warmed warm_again();
  /// The first pass that is timed, watched: which kernels ran, when the first result came. Returns its seconds.
  double first_forward(UnitSampler& sampler, Warmed& warmed);
  /// Draws the examples of the cut cycle and runs each of its batches once, flagged: a new shape pays once.
  std::vector<Series> cut_cycle(std::int64_t examples);
  /// The batches of the full cycle that the warm-up, cut short by its time, has not reached; none where the user fixed
  /// the warm-up.
  std::vector<Series> finish_warm_cycle();
  /// Throughput without waiting between batches; nothing where the device is never behind the host.
  void measure_throughput(const MeasureRequest& request, const BlockSink& sink);

  PreparedCase case_;
  std::vector<StagedBatch> cut_;  // a part of the cycle that is measured in its place
  PrepareRequest request_;
  const Clock& clock_;
  BatchRunner runner_;
  bool is_warm_ = false;
  std::size_t next_cold_ = 0;  // index of the first batch that has not run
};

}  // namespace transformeter
