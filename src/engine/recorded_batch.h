// A batch's pass recorded once (a CUDA graph) and replayed: the host hands over one piece of work in place of hundreds.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "device/device.h"
#include "engine/inference_engine.h"

namespace transformeter {

class RecordedBatch {
 public:
  /// Runs the pass as it is, records it, replays it and holds the two outputs against each other. The batch must live
  /// as long, where it is. Throws Error(kUnsupported) where the device records none, or this pass cannot be recorded,
  /// or its replay gives other outputs than rounding explains.
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
