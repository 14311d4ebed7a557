// Records a batch's forward pass once as a CUDA graph and replays it, so that the host launches one graph instead of
// hundreds of kernels.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "device/device.h"
#include "engine/inference_engine.h"

namespace transformeter {

class RecordedBatch {
 public:
  /// Runs the pass, records it, replays it and compares both outputs. The batch must outlive this object and not move.
  /// Throws Error(kUnsupported) where the device records none, or this pass cannot be recorded, or its replay gives
  /// other outputs than rounding explains.
  RecordedBatch(const InferenceEngine& engine, const StagedBatch& batch, Device& device);

  /// Hands the pass to the device; the output is whole once that is done, and overwritten by the next replay.
  const at::Tensor& launch();

  /// Largest difference of the two outputs, relative to the largest output; 0 where they are the same.
  double difference() const { return difference_; }

 private:
  at::Tensor output_;
  std::unique_ptr<RecordedWork> work_;
  double difference_ = 0;
};

}  // namespace transformeter
