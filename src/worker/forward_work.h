// What a forward pass must compute and read, by the formulas of spec/formulas.h, for a worker's own batches.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string>
#include <vector>

#include "data/cycle.h"
#include "protocol/series.h"
#include "spec/model_config.h"

namespace transformeter {

class ForwardWork {
 public:
  /// A model of a family without a blueprint, or a TorchScript file, has no formula.
  ForwardWork(ModelConfig config, std::string task, c10::ScalarType type);

  /// useful_flops and processed_flops of each batch, and weight_bytes_read; nothing for a model without a formula.
  std::vector<Series> series(const std::vector<Batch>& batches) const;

 private:
  ModelConfig config_;
  std::string task_;
  std::optional<double> weight_bytes_;
};

}  // namespace transformeter
