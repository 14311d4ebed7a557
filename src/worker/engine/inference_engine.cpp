// The pass over a batch or its chunks.
#include "engine/inference_engine.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "engine/operators.h"
#include "model/attention_masks.h"

namespace transformeter {
namespace {

std::unique_ptr<StreamPool> make_streams(std::int64_t streams) {
  if (streams == 1) return nullptr;
  const int threads = at::get_num_threads();
  if (threads % streams != 0) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{1} threads cannot be divided evenly among {0} streams", streams, threads));
  }
  return std::make_unique<StreamPool>(static_cast<int>(streams), threads / static_cast<int>(streams));
}

}  // namespace

InferenceEngine::InferenceEngine(std::unique_ptr<Model> model, const EngineOptions& options, Device& device)
    : model_(std::move(model)),
      options_(options),
      device_(device),
      operators_(make_operators(options.attention, options.fused, device.name() != "cpu")),
      streams_(make_streams(options.streams)) {
  if (options_.streams > 1 && device_.name() != "cpu") {
    throw Error(ErrorKind::kUnsupported, "streams need a CPU; on a GPU a batch is a single stream");
  }
  if (options_.packed && !model_->takes_packed_rows()) {
    throw Error(ErrorKind::kUnsupported, "the model only supports padded batches; packed rows need a built-in family");
  }
  if ((options_.streams > 1 || options_.chunk_tokens) && !model_->takes_chunks()) {
    throw Error(ErrorKind::kUnsupported,
                "the model only supports whole batches; use --streams 1 and --chunk-tokens none");
  }
}

InferenceEngine::~InferenceEngine() = default;

std::vector<AttentionChoice> InferenceEngine::attention_choices() const {
  return operators_->attention_choices();
}

StagedBatch InferenceEngine::stage(const Batch& batch) const {
  const c10::InferenceMode guard;
  StagedBatch staged = lay_out(
      batch, {options_.packed, options_.streams, options_.chunk_tokens, model_->blank_tokens(), model_->end_token()});
  move_to(staged, device_.torch_device());
  return staged;
}

at::Tensor InferenceEngine::pass(const ModelInputs& inputs, bool masked) const {
  return model_->forward(as_asked(inputs, masked), *operators_);
}

ModelInputs InferenceEngine::as_asked(ModelInputs inputs, bool masked) const {
  inputs.needed_tokens_only = options_.needed_tokens;
  if (masked && inputs.token_mask.defined()) {
    inputs.attention_mask = additive_mask(inputs.token_mask, options_.type);
  }
  return inputs;
}

std::vector<at::Tensor> InferenceEngine::pass_chunks(const std::vector<StagedChunk>& chunks, bool masked) const {
  std::vector<at::Tensor> outputs(chunks.size());
  const auto run_chunk = [&](std::size_t i) { outputs[i] = pass(chunks[i].inputs, masked); };
  if (streams_ != nullptr && chunks.size() > 1) {
    streams_->run(chunks.size(), run_chunk);
  } else {
    for (std::size_t i = 0; i < chunks.size(); ++i) run_chunk(i);
  }
  return outputs;
}

at::Tensor InferenceEngine::run(const StagedBatch& batch, bool masked) const {
  const c10::InferenceMode guard;
  return batch.chunks.empty() ? pass(batch.inputs, masked) : join_chunks(batch, pass_chunks(batch.chunks, masked));
}

at::Tensor InferenceEngine::launch(const StagedBatch& batch) const {
  return run(batch, options_.attention_mask);
}

at::Tensor InferenceEngine::forward(const StagedBatch& batch) const {
  at::Tensor output = launch(batch);
  device_.synchronize();
  return output;
}

at::Tensor InferenceEngine::forward_unmasked(const StagedBatch& batch) const {
  at::Tensor output = run(batch, false);
  device_.synchronize();
  return output;
}

namespace {

// As if the text were chosen in each beam: of the passes of a search all but the choice. Logits are of the last beam.
class RepeatedText {
 public:
  RepeatedText(CachedDecoding& decoding, std::int64_t inputs) : decoding_(decoding), inputs_(inputs) {}

  /// [B, V] that follow `ids` [B].
  at::Tensor step(const at::Tensor& ids) {
    const std::int64_t beams = decoding_.beams();
    if (beams == 1) return decoding_.step(ids);
    std::vector<std::int64_t> sources;
    for (std::int64_t row = 0; row < inputs_ * beams; ++row) {
      sources.push_back(row / beams * beams + (is_split_ ? (row + 1) % beams : 0));
    }
    is_split_ = true;
    decoding_.reorder(sources);
    const at::Tensor logits = decoding_.step(ids.repeat_interleave(beams, 0));
    return logits.view({inputs_, beams, -1}).select(1, -1);
  }

 private:
  CachedDecoding& decoding_;
  std::int64_t inputs_;
  bool is_split_ = false;  // before, an input has a single row
};

}  // namespace

at::Tensor InferenceEngine::forward_cached(const StagedBatch& batch, std::int64_t steps, std::int64_t beams) const {
  const c10::InferenceMode guard;
  ModelInputs prompt = as_asked(batch.inputs, false);
  const at::Tensor ids = prompt.input_ids;
  if (model_->start_token()) {
    CachedDecoding decoding(*model_, *operators_, prompt, steps + 1, beams);
    RepeatedText text(decoding, ids.size(0));
    at::Tensor logits = decoding.prefill();
    for (std::int64_t i = 0; i < steps; ++i) logits = text.step(ids.select(1, i));
    device_.synchronize();
    return logits;
  }
  const std::int64_t begin = ids.size(1) - steps;
  prompt.input_ids = ids.slice(1, 0, begin);
  if (prompt.token_type_ids.defined()) prompt.token_type_ids = prompt.token_type_ids.slice(1, 0, begin);
  CachedDecoding decoding(*model_, *operators_, prompt, steps, beams);
  RepeatedText text(decoding, ids.size(0));
  at::Tensor logits = decoding.prefill();
  for (std::int64_t i = begin; i < ids.size(1); ++i) logits = text.step(ids.select(1, i));
  device_.synchronize();
  return logits;
}

std::vector<std::vector<std::int64_t>> InferenceEngine::generate(const StagedBatch& batch,
                                                                 const GenerationOptions& options) const {
  const c10::InferenceMode guard;
  CachedDecoding decoding(*model_, *operators_, as_asked(batch.inputs, options_.attention_mask),
                          options.max_new_tokens);
  return greedy_generate(decoding, batch.inputs, options);
}

std::vector<Beam> InferenceEngine::search(const StagedBatch& batch, const GenerationOptions& options) const {
  const c10::InferenceMode guard;
  CachedDecoding decoding(*model_, *operators_, as_asked(batch.inputs, options_.attention_mask), options.max_new_tokens,
                          options.settings.beams.num_beams);
  return beam_generate(decoding, batch.inputs, options);
}

std::unique_ptr<GenerationRequest> InferenceEngine::start(const StagedBatch& prompt, std::int64_t new_tokens,
                                                          std::int64_t num_beams) const {
  const c10::InferenceMode guard;
  auto decoding = std::make_unique<CachedDecoding>(
      *model_, *operators_, as_asked(prompt.inputs, options_.attention_mask), new_tokens, num_beams);
  if (num_beams == 1) return std::make_unique<GreedyRequest>(std::move(decoding));
  return std::make_unique<BeamRequest>(std::move(decoding), prompt.inputs, new_tokens, num_beams);
}

}  // namespace transformeter
