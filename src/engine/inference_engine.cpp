// Staging, the pass over chunks, and outputs put back in the order of the rows.
#include "engine/inference_engine.h"

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "engine/chunks.h"
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

at::Tensor row_index(const std::vector<std::size_t>& rows) {
  return at::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()), at::kLong);
}

// The rows of a matrix [B, T] or [B, 1, 1, T]; undefined stays so.
at::Tensor select_rows(const at::Tensor& matrix, const at::Tensor& rows) {
  return matrix.defined() ? matrix.index_select(0, rows) : at::Tensor();
}

ModelInputs padded_rows(const ModelInputs& whole, const std::vector<std::size_t>& rows) {
  const at::Tensor index = row_index(rows).to(whole.input_ids.device());
  ModelInputs inputs;
  inputs.input_ids = select_rows(whole.input_ids, index);
  inputs.token_type_ids = select_rows(whole.token_type_ids, index);
  inputs.token_mask = select_rows(whole.token_mask, index);
  return inputs;
}

// The tokens of the rows that are not padding, one row after another.
ModelInputs packed_rows(const ModelInputs& whole, const std::vector<std::size_t>& rows,
                        const std::vector<std::int64_t>& lengths) {
  const auto tokens = [&](const at::Tensor& matrix) {
    if (!matrix.defined()) return at::Tensor();
    std::vector<at::Tensor> parts;
    for (const std::size_t row : rows) {
      const at::Tensor all = matrix.select(0, static_cast<std::int64_t>(row));
      parts.push_back(whole.token_mask.defined()
                          ? all.masked_select(whole.token_mask.select(0, static_cast<std::int64_t>(row)))
                          : all);
    }
    return at::cat(parts).unsqueeze(0);
  };
  ModelInputs inputs;
  inputs.input_ids = tokens(whole.input_ids);
  inputs.token_type_ids = tokens(whole.token_type_ids);
  for (const std::size_t row : rows) inputs.row_lengths.push_back(lengths[row]);
  return inputs;
}

std::unique_ptr<StreamPool> make_streams(std::int64_t streams) {
  if (streams == 1) return nullptr;
  const int threads = at::get_num_threads();
  if (threads % streams != 0) {
    throw Error(ErrorKind::kUnsupported, fmt::format("{} streams cannot share {} threads evenly", streams, threads));
  }
  return std::make_unique<StreamPool>(static_cast<int>(streams), threads / static_cast<int>(streams));
}

}  // namespace

InferenceEngine::InferenceEngine(std::unique_ptr<Model> model, const EngineOptions& options, Device& device)
    : model_(std::move(model)),
      options_(options),
      device_(device),
      operators_(make_operators(options.attention, options.fused, device.torch_device().type())),
      streams_(make_streams(options.streams)) {
  if (options_.packed && !model_->takes_packed_rows()) {
    throw Error(ErrorKind::kUnsupported, "the model takes padded batches only; packed rows need a built-in family");
  }
  if ((options_.streams > 1 || options_.chunk_tokens) && !model_->takes_chunks()) {
    throw Error(ErrorKind::kUnsupported, "the model takes whole batches only; streams and chunks cut them");
  }
}

InferenceEngine::~InferenceEngine() = default;

StagedBatch InferenceEngine::stage(const Batch& batch) const {
  const c10::InferenceMode guard;
  const c10::Device device = device_.torch_device();
  const auto matrix = [&](const auto& values, c10::ScalarType type) {
    return copy_matrix(values, batch.batch_size, batch.sequence_length, type, device);
  };
  StagedBatch staged;
  staged.inputs.input_ids = matrix(batch.input_ids, c10::ScalarType::Long);
  const bool has_types = std::any_of(batch.token_type_ids.begin(), batch.token_type_ids.end(),
                                     [](std::int64_t type) { return type != 0; });
  if (has_types) staged.inputs.token_type_ids = matrix(batch.token_type_ids, c10::ScalarType::Long);
  if (batch.has_padding) staged.inputs.token_mask = matrix(batch.attention_mask, c10::ScalarType::Bool);
  staged.chunks = cut(batch, staged);
  staged.sequence_length = batch.sequence_length;
  staged.examples = batch.batch_size;
  staged.useful_tokens = batch.useful_tokens;
  staged.processed_tokens = options_.packed ? batch.useful_tokens : batch.processed_tokens;
  staged.example_index = batch.example_index;
  return staged;
}

std::vector<StagedChunk> InferenceEngine::cut(const Batch& batch, const StagedBatch& whole) const {
  if (!options_.packed && options_.streams == 1 && !options_.chunk_tokens) return {};
  const std::vector<std::int64_t> useful = row_lengths(batch);
  const std::vector<std::int64_t> padded(useful.size(), batch.sequence_length);
  const ChunkOptions options{options_.chunk_tokens, options_.streams, options_.packed};
  std::vector<StagedChunk> chunks;
  for (std::vector<std::size_t>& rows : plan_chunks(options_.packed ? useful : padded, options)) {
    ModelInputs inputs = options_.packed ? packed_rows(whole.inputs, rows, useful) : padded_rows(whole.inputs, rows);
    chunks.push_back({std::move(inputs), std::move(rows)});
  }
  return chunks;
}

at::Tensor InferenceEngine::pass(const ModelInputs& inputs) const {
  return model_->forward(as_asked(inputs), *operators_);
}

ModelInputs InferenceEngine::as_asked(ModelInputs inputs) const {
  inputs.needed_tokens_only = options_.fused;
  if (options_.attention_mask && inputs.token_mask.defined()) {
    inputs.attention_mask = additive_mask(inputs.token_mask, options_.type);
  }
  return inputs;
}

namespace {

// [1, N, ...] into rows of [B, T, ...].
void unpack(const at::Tensor& packed, const StagedChunk& chunk, at::Tensor& output) {
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < chunk.rows.size(); ++i) {
    const std::int64_t length = chunk.inputs.row_lengths[i];
    output.select(0, static_cast<std::int64_t>(chunk.rows[i]))
        .slice(0, 0, length)
        .copy_(packed.select(0, 0).slice(0, begin, begin + length));
    begin += length;
  }
}

// A batch's output from its chunks'.
at::Tensor join(const StagedBatch& batch, const std::vector<at::Tensor>& outputs) {
  const at::Tensor& first = outputs.front();
  const bool by_token = first.dim() == 3 && batch.chunks.front().inputs.is_packed();
  std::vector<std::int64_t> shape = first.sizes().vec();
  shape.front() = batch.examples;
  if (by_token) shape[1] = batch.sequence_length;
  at::Tensor output = by_token ? at::zeros(shape, first.options()) : at::empty(shape, first.options());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const StagedChunk& chunk = batch.chunks[i];
    if (by_token) {
      unpack(outputs[i], chunk, output);
    } else {
      output.index_copy_(0, row_index(chunk.rows).to(first.device()), outputs[i]);
    }
  }
  return output;
}

}  // namespace

std::vector<at::Tensor> InferenceEngine::pass_chunks(const std::vector<StagedChunk>& chunks) const {
  std::vector<at::Tensor> outputs(chunks.size());
  const auto run_chunk = [&](std::size_t i) { outputs[i] = pass(chunks[i].inputs); };
  if (streams_ != nullptr && chunks.size() > 1) {
    streams_->run(chunks.size(), run_chunk);
  } else {
    for (std::size_t i = 0; i < chunks.size(); ++i) run_chunk(i);
  }
  return outputs;
}

at::Tensor InferenceEngine::forward(const StagedBatch& batch) const {
  const c10::InferenceMode guard;
  at::Tensor output = batch.chunks.empty() ? pass(batch.inputs) : join(batch, pass_chunks(batch.chunks));
  device_.synchronize();
  return output;
}

std::vector<std::vector<std::int64_t>> InferenceEngine::generate(const StagedBatch& batch,
                                                                 const GenerationOptions& options) const {
  const c10::InferenceMode guard;
  CachedDecoding decoding(*model_, *operators_, as_asked(batch.inputs), options.max_new_tokens);
  return greedy_generate(decoding, options);
}

GreedyRequest InferenceEngine::start(const StagedBatch& prompt, std::int64_t new_tokens) const {
  const c10::InferenceMode guard;
  return GreedyRequest(std::make_unique<CachedDecoding>(*model_, *operators_, as_asked(prompt.inputs), new_tokens));
}

}  // namespace transformeter
