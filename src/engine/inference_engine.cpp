// Staging of batches and the forward pass.
#include "engine/inference_engine.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <utility>

#include "device/runtime.h"
#include "engine/operators.h"
#include "model/attention_masks.h"

namespace transformeter {
namespace {

template <typename T>
at::Tensor copy_matrix(const std::vector<T>& values, std::int64_t rows, std::int64_t columns, c10::ScalarType type,
                       c10::Device device) {
  // from_blob borrows; the copy is the device's own.
  return at::from_blob(const_cast<T*>(values.data()), {rows, columns}, at::TensorOptions(type)).clone().to(device);
}

// 0 where a token counts and the type's lowest number where it is padding, as Transformers builds it.
at::Tensor additive_mask(const at::Tensor& token_mask, c10::ScalarType type) {
  at::Tensor mask = at::zeros(token_mask.sizes(), token_mask.options().dtype(type));
  mask.masked_fill_(token_mask.logical_not(), lowest_of(type));
  return mask.unsqueeze(1).unsqueeze(1);
}

}  // namespace

InferenceEngine::InferenceEngine(std::unique_ptr<Model> model, const EngineOptions& options, Device& device)
    : model_(std::move(model)), options_(options), device_(device), operators_(make_operators(options.attention)) {}

StagedBatch InferenceEngine::stage(const Batch& batch) const {
  const c10::InferenceMode guard;
  const c10::Device device = device_.torch_device();
  StagedBatch staged;
  staged.inputs.input_ids =
      copy_matrix(batch.input_ids, batch.batch_size, batch.sequence_length, c10::ScalarType::Long, device);
  const bool has_types = std::any_of(batch.token_type_ids.begin(), batch.token_type_ids.end(),
                                     [](std::int64_t type) { return type != 0; });
  if (has_types) {
    staged.inputs.token_type_ids =
        copy_matrix(batch.token_type_ids, batch.batch_size, batch.sequence_length, c10::ScalarType::Long, device);
  }
  if (batch.has_padding) {
    staged.inputs.token_mask =
        copy_matrix(batch.attention_mask, batch.batch_size, batch.sequence_length, c10::ScalarType::Bool, device);
    if (options_.attention_mask) {
      staged.inputs.attention_mask = additive_mask(staged.inputs.token_mask, options_.type);
    }
  }
  staged.examples = batch.batch_size;
  staged.useful_tokens = batch.useful_tokens;
  staged.processed_tokens = batch.processed_tokens;
  staged.example_index = batch.example_index;
  return staged;
}

at::Tensor InferenceEngine::run(const StagedBatch& batch) const {
  const c10::InferenceMode guard;
  at::Tensor output = model_->forward(batch.inputs, *operators_);
  device_.synchronize();
  return output;
}

std::vector<std::vector<std::int64_t>> InferenceEngine::generate(const StagedBatch& batch,
                                                                 const GenerationOptions& options) const {
  const c10::InferenceMode guard;
  CachedDecoding decoding(*model_, *operators_, batch.inputs, options.max_new_tokens);
  return greedy_generate(decoding, options);
}

GreedyRequest InferenceEngine::start(const StagedBatch& prompt, std::int64_t new_tokens) const {
  return GreedyRequest(std::make_unique<CachedDecoding>(*model_, *operators_, prompt.inputs, new_tokens));
}

Capabilities inference_capabilities() {
  Capabilities capabilities;
  capabilities.values = {{"device", device_names()},
                         {"precision", cpu_precisions()},
                         {"attention", attention_names()},
                         {"attention_mask", {"on", "off"}}};
  capabilities.native = {{"precision", native_cpu_precisions()}};
  return capabilities;
}

}  // namespace transformeter
