// How the batches of a cycle run and are timed, as the case asks: pass by pass or recorded, with transfers or without.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "engine/batch_transfers.h"
#include "engine/recorded_batch.h"
#include "measure/prepared_case.h"
#include "measure/sampler.h"
#include "measure/unit_sampler.h"

namespace transformeter {

class BatchRunner {
 public:
  /// The case and the clock must outlive the runner.
  BatchRunner(const PreparedCase& prepared, const Clock& clock) : case_(prepared), clock_(clock) {}

  /// The cycle must live until the next one is taken. Its passes run as they are.
  void take(std::vector<StagedBatch>& cycle);
  /// What the passes need once they have run: records each where graphs are on, which are replayed from now on, and
  /// makes room for each output where transfers are. Throws as RecordedBatch.
  void settle();

  /// Hands the pass over batch `index` to the device.
  void launch(std::size_t index);
  /// The same with its transfers, where these are on.
  void launch_whole(std::size_t index);
  /// The output of the pass launched last, on the device.
  const at::Tensor& output() const { return output_; }
  void forget_output() { output_ = at::Tensor(); }

  /// Times the cycle's batches by the host's clock, or on a device that works behind the host's back by both.
  std::unique_ptr<UnitSampler> make_sampler();
  /// The same around nothing.
  std::unique_ptr<UnitSampler> make_null_sampler() const;

  const std::vector<StagedBatch>& cycle() const { return *cycle_; }
  std::vector<WorkSize> sizes() const;
  /// Whether calls return before their work is done.
  bool is_asynchronous() const { return case_.device->make_timer() != nullptr; }
  /// What was read back of graphs and transfers.
  Json effective() const;

 private:
  const PreparedCase& case_;
  const Clock& clock_;
  std::vector<StagedBatch>* cycle_ = nullptr;
  std::deque<RecordedBatch> recorded_;  // of each batch; empty: graphs are off
  std::vector<BatchTransfers> transfers_;
  at::Tensor output_;
};

}  // namespace transformeter
