// The transfers around a forward pass: inputs from page-locked host memory to the device, outputs back.
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "device/device.h"
#include "engine/staged_batch.h"

namespace transformeter {

class BatchTransfers {
 public:
  /// Takes a copy of the batch's inputs, which must live as long.
  BatchTransfers(StagedBatch& batch, Device& device);

  /// Hands the copies of all inputs to the device, over what the batch's pass reads.
  void upload() const;
  /// Hands the copy of `output` to the device, into memory that is kept for it.
  void download(const at::Tensor& output);

  /// The downloaded output, whole once the device is done.
  const at::Tensor& result() const { return result_; }

 private:
  Device& device_;
  std::vector<std::pair<at::Tensor, at::Tensor>> inputs_;  // on the host, on the device
  at::Tensor result_;
};

}  // namespace transformeter
