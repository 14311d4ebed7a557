// Losses are put back where their labels stand in the loader's batch, so that packed rows are as padded ones.
#include "measure/first_losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "engine/staged_batch.h"
#include "measure/output_collector.h"
#include "tasks/ignored_label.h"
#include "train/loss.h"
#include "train/trained_weights.h"

namespace transformeter {
namespace {

constexpr std::int64_t kMostBatches = 64;  // whatever rows they have

// [B, T] or [B, D], 1 where a token's label counts.
at::Tensor counted_labels(const TrainingBatch& batch, LossKind loss) {
  at::Tensor counted = at::from_blob(const_cast<std::int64_t*>(batch.labels.data()),
                                     {static_cast<std::int64_t>(batch.labels.size())}, at::kLong)
                           .ne(kNoLabel)
                           .to(at::kFloat)
                           .view({batch.inputs.batch_size, -1});
  if (loss == LossKind::kNextToken) counted.select(1, 0).zero_();  // no token predicts the first one
  return counted;
}

// [B], of losses as counted_labels has their labels.
at::Tensor mean_of_labels(const at::Tensor& losses, const TrainingBatch& batch, LossKind loss) {
  return losses.sum(1) / counted_labels(batch, loss).sum(1).clamp_min(1);
}

// [B]; `losses` as label_losses gives them, on the host.
at::Tensor text_losses(const TrainingBatch& batch, const StagedBatch& staged, const at::Tensor& losses, LossKind loss) {
  const StagedChunk* chunk = staged.chunks.empty() ? nullptr : staged.chunks.data();
  const std::int64_t rows = batch.inputs.batch_size;
  if (batch.label_kind == LabelKind::kTranscript || batch.label_kind == LabelKind::kCaption) return losses;
  if (batch.label_kind == LabelKind::kTarget) return mean_of_labels(losses, batch, loss);
  if (batch.label_kind != LabelKind::kToken) {
    const bool is_reordered = chunk != nullptr && batch.label_kind != LabelKind::kSpan;
    return is_reordered ? at::zeros({rows}).index_copy(0, chunk->rows, losses) : losses;
  }
  const std::int64_t length = batch.inputs.sequence_length;
  const at::Tensor flat = losses.flatten();
  const at::Tensor all = chunk == nullptr ? flat : at::zeros({rows * length}).index_copy(0, chunk->places, flat);
  return mean_of_labels(all.view({rows, length}), batch, loss);
}

}  // namespace

Outputs first_losses(const Training& training, const Trainer& trainer, const OutputRequest& request,
                     const std::function<void()>& alive) {
  OutputCollector collector(request, {});
  const LoaderOptions options = loader_options(training);
  BatchLoader loader(*training.rows.rows, options);
  const MicroBatchOptions layout = micro_batch_options(training);
  const std::int64_t batches = std::min(loader.batches_per_epoch(), kMostBatches);
  for (std::int64_t i = 0; i < batches && !collector.is_full(); ++i) {
    const TrainingBatch batch = loader.next();
    const StagedBatch staged = lay_out(batch.inputs, {layout.packed, 1, std::nullopt, layout.blanks});
    const bool has_targets = has_own_lengths(batch.label_kind);
    const std::vector<std::int64_t> keys = has_targets ? target_keys(staged, batch) : input_keys(staged);
    if (!collector.wants(keys)) continue;
    MicroBatch micro_batch = make_micro_batch(batch, layout);
    if (!request.attention_mask) micro_batch.inputs.attention_mask = at::Tensor();
    const at::Tensor outputs = trainer.outputs(micro_batch);
    const at::Tensor losses = label_losses(layout.loss, outputs, micro_batch.labels).detach().cpu();
    const at::Tensor by_text = text_losses(batch, staged, losses, layout.loss);
    const std::vector<std::int64_t> lengths = row_lengths(batch.inputs);
    for (std::size_t row = 0; row < keys.size(); ++row) {
      collector.add_input(keys[row], lengths[row], by_text[static_cast<std::int64_t>(row)].view({1, 1}));
    }
    alive();
  }
  return collector.outputs();
}

void reset_weights(Training& training, const WorkerParts& parts) {
  forget_gradients(training.weights.weights);  // their memory is the weights' twin's
  const Parameters compared = compared_weights(training, parts);
  const at::NoGradGuard guard;
  const Parameters& parameters = training.weights.parameters;
  for (const TensorSpec& tensor : tensor_inventory(training.config, training.request.task)) {
    parameters.at(tensor.name).copy_(compared.at(tensor.name));
  }
  if (training.lora) cancel_adapters(parameters, *training.lora, training.request.seed);
}

}  // namespace transformeter
