// FLOPs and bytes of a forward pass for a worker's batches, by the formulas of spec/formulas.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "datasets/cycle.h"
#include "measure/worker_case.h"
#include "schema/series.h"
#include "spec/model_config.h"

namespace transformeter {

class ForwardWork {
 public:
  /// A model of a family without a blueprint, or a TorchScript file, has no formula.
  ForwardWork(ModelConfig config, const Case& request);

  /// useful_flops, processed_flops (what the engine computes) and padded_flops (all tokens, padding included) of each
  /// batch, and weight_bytes_read; nothing for a model without a formula.
  std::vector<Series> series(const std::vector<Batch>& batches) const;
  /// The sum of useful_flops; nothing for a model without a formula.
  std::optional<double> useful_flops(const std::vector<Batch>& batches) const;

 private:
  ModelConfig config_;
  Task task_;
  bool is_packed_, leaves_out_tokens_;
  std::optional<double> weight_bytes_;
};

}  // namespace transformeter
