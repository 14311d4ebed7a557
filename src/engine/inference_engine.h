// The engine `pytorch`: a model run as a Python user gets it: plain weights, padded batches, LibTorch's kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/cycle.h"
#include "device/device.h"
#include "engine/generation.h"
#include "model/model.h"
#include "terms/capabilities.h"

namespace transformeter {

struct EngineOptions {
  c10::ScalarType type = c10::ScalarType::Float;  // of weights and activations
  std::string attention = "sdpa";                 // see engine/operators.h
  bool attention_mask = true;                     // false: padding is attended to
};

/// A batch as it lies on the device, with what its sample needs to know of it.
struct StagedBatch {
  ModelInputs inputs;
  std::int64_t examples = 0;
  std::int64_t useful_tokens = 0;
  std::int64_t processed_tokens = 0;
  std::vector<std::size_t> example_index;  // of each row in the data set
};

class InferenceEngine {
 public:
  InferenceEngine(std::unique_ptr<Model> model, const EngineOptions& options, Device& device);

  /// Copies a batch to the device. A batch without padding gets no mask, as none is needed.
  StagedBatch stage(const Batch& batch) const;

  /// The task's output, computed when this returns.
  at::Tensor run(const StagedBatch& batch) const;

  /// Of a model for causal_lm: the most likely tokens that follow each row, which is padded on the left.
  std::vector<std::vector<std::int64_t>> generate(const StagedBatch& batch, const GenerationOptions& options) const;

  /// Of a model for causal_lm: a request for `new_tokens` tokens after the batch's row, with a cache of its own.
  /// Nothing is computed yet. The engine outlives it.
  GreedyRequest start(const StagedBatch& prompt, std::int64_t new_tokens) const;

 private:
  std::unique_ptr<Model> model_;
  EngineOptions options_;
  Device& device_;
  std::unique_ptr<Operators> operators_;
};

/// What this engine can run on this machine's devices.
Capabilities inference_capabilities();

}  // namespace transformeter
