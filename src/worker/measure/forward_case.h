// A case of forward passes over the batches of a cycle: first result, warm-up, the cycle that is measured, and checking
// the outputs. What a unit of work is, is the scenario's affair.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "measure/batch_runner.h"
#include "measure/measuring_loop.h"
#include "measure/prepared_case.h"
#include "measure/unit_sampler.h"
#include "schema/messages.h"

namespace transformeter {

class ForwardCase {
 public:
  /// The clock must outlive the case.
  ForwardCase(PreparedCase prepared, const PrepareRequest& request, const Clock& clock);

  Prepared prepared() const { return {case_.effective, case_.series}; }
  /// Batch by batch, whatever the units are that are measured.
  Warmed warm(const WarmRequest& request);
  /// Makes the cycle ready that `request` asks for, and returns the samples of warming it up, flagged: of a part of the
  /// cycle all batches; of the whole one those that have not run, unless the user fixed the warm-up and
  /// `may_leave_cold`.
  std::vector<Series> ready(const MeasureRequest& request, bool may_leave_cold);
  /// See measure/measuring_window.h.
  Measured measure(UnitSampler& sampler, const MeasureRequest& request, const BlockSink& sink,
                   std::size_t slice_samples);
  /// See measure/evaluation.h.
  Evaluated evaluate(const EvaluateRequest& request, const std::function<void(const Evaluating&)>& on_progress);

  /// Of the cycle's first batches. Throws as check_is_profiled and profile_passes.
  Profiled profile(const ProfileRequest& request, const std::function<void(const Profiling&)>& on_progress);

  BatchRunner& runner() { return runner_; }
  Device& device() { return *case_.device; }
  /// FLOPs and bytes of the cycle that is measured, batch by batch; see measure/forward_work.h.
  const std::vector<Series>& cycle_work() const { return case_.cycle_work; }

 private:
  /// A short warm-up of what has been measured before: other work may have taken the caches meanwhile.
  Warmed warm_again();
  /// The first pass that is timed, watched: which kernels ran, when the first result came. Returns its seconds.
  double first_forward(UnitSampler& sampler, Warmed& warmed);
  /// Draws the examples of the cut cycle and runs each of its batches once, flagged: a new shape pays once.
  std::vector<Series> cut_cycle(std::int64_t examples);
  /// The batches of the full cycle that the warm-up, cut short by its time or its count, has not reached.
  std::vector<Series> finish_warm_cycle();

  PreparedCase case_;
  std::vector<StagedBatch> cut_;  // a part of the cycle that is measured in its place
  PrepareRequest request_;
  const Clock& clock_;
  BatchRunner runner_;
  bool is_warm_ = false;
  bool is_warmup_fixed_ = false;
  std::size_t next_cold_ = 0;  // index of the first batch that has not run
};

}  // namespace transformeter
