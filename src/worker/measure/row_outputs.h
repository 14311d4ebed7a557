// A model's outputs for decoding: one row per example, on the CPU, as 32-bit floats.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "datasets/cycle.h"
#include "tasks/prediction_task.h"

namespace transformeter {

class RowOutputs {
 public:
  /// `of_no_numbers` is the kind of error for NaN or infinite outputs: kUnsupported for a model as given, kDiverged in
  /// training.
  explicit RowOutputs(std::size_t rows, ErrorKind of_no_numbers = ErrorKind::kUnsupported)
      : of_no_numbers_(of_no_numbers), rows_(rows) {}

  /// `output` is [B, T, width] or [B, width] for the batch, whose example_index says which rows they are. Throws
  /// Error(of_no_numbers) for numbers that are infinite or NaN.
  void add(const at::Tensor& output, const Batch& batch);
  const std::vector<RowOutput>& rows() const { return rows_; }

 private:
  ErrorKind of_no_numbers_;
  std::vector<at::Tensor> tensors_;  // what the rows borrow
  std::vector<RowOutput> rows_;
};

}  // namespace transformeter
