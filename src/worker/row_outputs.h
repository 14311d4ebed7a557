// A model's outputs as decoding reads them: one row each, on the processor, as 32-bit floats.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "data/cycle.h"
#include "data/prediction_task.h"

namespace transformeter {

class RowOutputs {
 public:
  explicit RowOutputs(std::size_t rows) : rows_(rows) {}

  /// `output` is [B, T, width] or [B, width] for the batch, whose example_index says which rows they are. Throws
  /// Error(kUnsupported) for numbers that are infinite or NaN.
  void add(const at::Tensor& output, const Batch& batch);
  const std::vector<RowOutput>& rows() const { return rows_; }

 private:
  std::vector<at::Tensor> tensors_;  // what the rows borrow
  std::vector<RowOutput> rows_;
};

}  // namespace transformeter
