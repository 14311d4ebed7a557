// The layout is the engines' own.
#include "train/micro_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>

#include <utility>
#include <vector>

#include "base/error.h"
#include "datasets/pad_rows.h"
#include "engine/staged_batch.h"
#include "model/attention_masks.h"

namespace transformeter {
namespace {

// from_blob borrows; the copy is ours.
at::Tensor copied(const std::vector<std::int64_t>& values) {
  return at::from_blob(const_cast<std::int64_t*>(values.data()), {static_cast<std::int64_t>(values.size())}, at::kLong)
      .clone();
}

// [B, C].
at::Tensor numbers_of(const TrainingBatch& batch, const StagedChunk* chunk) {
  const at::Tensor numbers = at::from_blob(const_cast<float*>(batch.numbers.data()),
                                           {static_cast<std::int64_t>(batch.numbers.size())}, at::kFloat)
                                 .clone()
                                 .view({batch.inputs.batch_size, -1});
  return chunk != nullptr ? numbers.index_select(0, chunk->rows) : numbers;
}

// A packed row's first token follows another row's last, which is not what it is held against.
void forget_first_labels(const at::Tensor& labels, const PackedRows& rows) {
  labels.select(0, 0).index_fill_(0, rows.first_tokens().to(at::kLong), kNoLabel);
}

// What a decoder reads to give the labels [B, D]: before each label the one before it. As Transformers'
// _shift_right. That puts the padding token where a label is ignored, here the start token stands; no label that counts
// depends on it.
at::Tensor decoder_inputs(const at::Tensor& labels, const std::optional<std::int64_t>& start_token) {
  if (!start_token) throw Error(ErrorKind::kInternal, "a model without a decoder of its own makes no texts");
  const at::Tensor first = at::full_like(labels.slice(1, 0, 1), *start_token);
  const at::Tensor shifted = at::cat({first, labels.slice(1, 0, -1)}, 1);
  return shifted.masked_fill(shifted.eq(kNoLabel), *start_token);
}

// [B]: as Transformers, which counts padding where the model gets no mask.
std::vector<std::int64_t> heard_frames(const Batch& batch) {
  if (batch.has_padding) return row_lengths(batch);
  return std::vector<std::int64_t>(static_cast<std::size_t>(batch.batch_size), batch.sequence_length);
}

// [B, D], as the text tower reads them; its tokens see nothing of the padding, whatever stands there.
Batch captions_of(const TrainingBatch& batch) {
  Batch captions;
  captions.batch_size = batch.inputs.batch_size;
  captions.sequence_length = batch.target_length;
  for (const std::int64_t token : batch.labels) {
    captions.input_ids.push_back(token == kNoLabel ? 0 : token);
    captions.attention_mask.push_back(token == kNoLabel ? 0 : 1);
  }
  count_tokens(captions);
  return captions;
}

// An answer's places are those of the batch, whose rows `spread` brings back.
at::Tensor laid_out(const TrainingBatch& batch, const std::vector<std::int64_t>& values, const StagedChunk* chunk) {
  if (batch.label_kind == LabelKind::kNumbers) return numbers_of(batch, chunk);
  at::Tensor labels = copied(values);
  if (batch.label_kind == LabelKind::kSpan) return labels;
  if (has_own_lengths(batch.label_kind)) return labels.view({batch.inputs.batch_size, batch.target_length});
  if (batch.label_kind == LabelKind::kToken) {
    if (chunk != nullptr) return labels.index_select(0, chunk->places).unsqueeze(0);
    return labels.view({batch.inputs.batch_size, batch.inputs.sequence_length});
  }
  return chunk != nullptr ? labels.index_select(0, chunk->rows) : labels;
}

}  // namespace

MicroBatch make_micro_batch(const TrainingBatch& batch, const MicroBatchOptions& options) {
  StagedBatch staged = lay_out(batch.inputs, {options.packed, 1, std::nullopt, options.blanks});
  const StagedChunk* chunk = staged.chunks.empty() ? nullptr : staged.chunks.data();
  if (batch.label_kind == LabelKind::kCaption) {
    const at::Tensor pixels = staged.inputs.pixel_values;
    staged.inputs = lay_out(captions_of(batch), {false, 1, std::nullopt, options.blanks, options.end}).inputs;
    staged.inputs.pixel_values = pixels;
  }
  Labels labels;
  labels.classes = laid_out(batch, batch.labels, chunk);
  if (batch.label_kind == LabelKind::kSpan) labels.ends = laid_out(batch, batch.ends, chunk);
  if (chunk != nullptr && options.loss == LossKind::kNextToken) forget_first_labels(labels.classes, chunk->inputs.rows);
  labels.count = count_labels(options.loss, labels.classes);
  labels.pairs = options.pairs;
  if (batch.label_kind == LabelKind::kTranscript) {
    labels.frames = heard_frames(batch.inputs);
    labels.lengths = target_lengths(batch);
    labels.ctc = options.ctc;
  }
  move_to(staged, options.device);
  labels.classes = labels.classes.to(options.device);
  if (labels.ends.defined()) labels.ends = labels.ends.to(options.device);
  ModelInputs inputs = chunk != nullptr ? staged.chunks.front().inputs : staged.inputs;
  if (batch.label_kind == LabelKind::kTarget) {
    inputs.decoder_input_ids = decoder_inputs(labels.classes, options.start_token);
  }
  if (inputs.token_mask.defined()) inputs.attention_mask = additive_mask(inputs.token_mask, options.type);
  MicroBatch micro_batch;
  micro_batch.inputs = std::move(inputs);
  micro_batch.labels = std::move(labels);
  if (chunk != nullptr && batch.label_kind == LabelKind::kSpan) {
    micro_batch.places = staged.chunks.front().places;
    micro_batch.rows = batch.inputs.batch_size;
    micro_batch.row_length = batch.inputs.sequence_length;
  }
  return micro_batch;
}

at::Tensor spread(const at::Tensor& outputs, const MicroBatch& batch) {
  if (!batch.places.defined()) return outputs;
  const std::int64_t width = outputs.size(-1);
  const at::Tensor lowest =
      at::full({batch.rows * batch.row_length, width}, lowest_of(outputs.scalar_type()), outputs.options());
  return lowest.index_copy(0, batch.places, outputs.squeeze(0)).view({batch.rows, batch.row_length, width});
}

}  // namespace transformeter
