// Runs a model on batches. Options select the row layout, the kernels and the number of streams; the defaults are what
// a Python user gets: padded batches, LibTorch's kernels, one stream.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "engine/beam_search.h"
#include "engine/generation.h"
#include "engine/staged_batch.h"
#include "engine/stream_pool.h"
#include "model/model.h"

namespace transformeter {

struct EngineOptions {
  c10::ScalarType type = c10::ScalarType::Float;  // of activations, and of weights that are not in int8
  std::string attention = "sdpa";                 // see engine/operators.h
  bool attention_mask = true;                     // false: padding is attended to
  bool packed = false;                            // rows one after another, without padding
  bool fused = false;                             // see engine/operators.h
  bool needed_tokens = false;                     // the last layer leaves out what no output depends on
  std::int64_t streams = 1;                       // chunks of a batch at a time, each on its share of the threads
  std::optional<std::int64_t> chunk_tokens;       // a chunk's tokens at most; nothing: only as streams need
};

class InferenceEngine {
 public:
  /// Throws Error(kUnsupported) for an unavailable kernel, packed rows with a model that does not support them, and a
  /// number of streams that does not divide the threads.
  InferenceEngine(std::unique_ptr<Model> model, const EngineOptions& options, Device& device);
  ~InferenceEngine();

  /// Copies a batch to the device, cut and packed as it will run. A batch without padding gets no mask, as none is
  /// needed.
  StagedBatch stage(const Batch& batch) const;

  /// The task's output by rows of the batch, as Model::forward gives it. What lies over padding means nothing. The work
  /// is handed to the device and may not be done when this returns.
  at::Tensor launch(const StagedBatch& batch) const;
  /// The same, but waits until the result is computed; this is what is timed.
  at::Tensor forward(const StagedBatch& batch) const;
  /// Wrong on purpose: padding is attended to, whatever the options say. What a broken mask would look like.
  at::Tensor forward_unmasked(const StagedBatch& batch) const;
  /// Of a model for causal_lm: logits [B, V] after each row of a batch without padding, whose last `steps` tokens,
  /// fewer than it has, go through the key-value cache one by one, as if they had been generated. Of a model with a
  /// decoder of its own: after its first token and the row's first `steps` ones, which go through the cache likewise.
  /// With several beams each of a row has its text, and the logits are those of the last one.
  at::Tensor forward_cached(const StagedBatch& batch, std::int64_t steps, std::int64_t beams = 1) const;

  /// Of a model for causal_lm: the most likely tokens that follow each row, which is padded on the left; for
  /// seq2seq_lm: those of the text that is made of it.
  std::vector<std::vector<std::int64_t>> generate(const StagedBatch& batch, const GenerationOptions& options) const;
  /// The same by beam search, with scores.
  std::vector<Beam> search(const StagedBatch& batch, const GenerationOptions& options) const;

  /// Of such a model: a request for `new_tokens` tokens after the batch's row, with a cache of its own, greedy or with
  /// several beams. Nothing is computed yet but the mask. The engine outlives it.
  std::unique_ptr<GenerationRequest> start(const StagedBatch& prompt, std::int64_t new_tokens,
                                           std::int64_t num_beams = 1) const;

  /// As of Model.
  std::optional<std::int64_t> start_token() const { return model_->start_token(); }
  const EngineOptions& options() const { return options_; }
  /// As of Operators.
  std::vector<AttentionChoice> attention_choices() const;
  /// As of Model.
  std::optional<ModelReadback> readback() const { return model_->readback(); }
  /// As of Model.
  NodeCounters* node_counters() { return model_->node_counters(); }
  /// Whether the model leaves out what no output depends on: it was asked to, and knows how.
  bool leaves_out_tokens() const { return options_.needed_tokens && model_->leaves_out_tokens(); }

 private:
  /// The outputs of a batch or of its chunks; `masked`: padding is not attended to.
  at::Tensor run(const StagedBatch& batch, bool masked) const;
  at::Tensor pass(const ModelInputs& inputs, bool masked) const;
  /// The inputs with the engine's options applied; `masked`: with the additive mask if there is padding.
  ModelInputs as_asked(ModelInputs inputs, bool masked) const;
  /// The outputs of each chunk.
  std::vector<at::Tensor> pass_chunks(const std::vector<StagedChunk>& chunks, bool masked) const;

  std::unique_ptr<Model> model_;
  EngineOptions options_;
  Device& device_;
  std::unique_ptr<Operators> operators_;
  std::unique_ptr<StreamPool> streams_;  // null: one stream
};

}  // namespace transformeter
