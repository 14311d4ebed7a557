// Micro-batches of a step, and what they compute.
#include "measure/step_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "measure/fitting_batch.h"
#include "measure/out_of_memory.h"
#include "schema/divergence.h"
#include "spec/architecture.h"

namespace transformeter {
namespace {

void add(StepSize& sum, const StepSize& part) {
  sum.work.examples += part.work.examples;
  sum.work.useful_tokens += part.work.useful_tokens;
  sum.work.processed_tokens += part.work.processed_tokens;
  if (!part.flops) return;
  StepFlops& flops = sum.flops ? *sum.flops : sum.flops.emplace();
  flops.useful += part.flops->useful;
  flops.processed += part.flops->processed;
  flops.padded += part.flops->padded;
}

template <typename T>
void keep_rows(std::vector<T>& values, std::int64_t rows, std::int64_t row_length) {
  if (!values.empty()) values.resize(static_cast<std::size_t>(rows * row_length));
}

TrainingBatch first_rows(TrainingBatch batch, std::int64_t rows) {
  const std::int64_t length = batch.inputs.sequence_length;
  keep_rows(batch.inputs.input_ids, rows, length);
  keep_rows(batch.inputs.attention_mask, rows, length);
  keep_rows(batch.inputs.token_type_ids, rows, length);
  if (batch.inputs.images) keep_rows(batch.inputs.images->values, rows, batch.inputs.images->shape.values());
  if (batch.inputs.sounds) {
    keep_rows(batch.inputs.sounds->values, rows, batch.inputs.sounds->samples);
    keep_rows(batch.inputs.sounds->lengths, rows, 1);
  }
  keep_rows(batch.inputs.example_index, rows, 1);
  keep_rows(batch.labels, rows, static_cast<std::int64_t>(batch.labels.size()) / batch.inputs.batch_size);
  keep_rows(batch.ends, rows, 1);
  keep_rows(batch.numbers, rows, static_cast<std::int64_t>(batch.numbers.size()) / batch.inputs.batch_size);
  batch.inputs.batch_size = rows;
  return batch;
}

// With padding, of texts or sounds and of targets.
std::int64_t tokens_of(const TrainingBatch& batch) {
  return batch.inputs.processed_tokens + batch.inputs.batch_size * batch.target_length;
}

}  // namespace

// A large scale makes gradients of fp16 overflow, and is halved then. What overflows below 1 does so of itself.
void check_step(const StepResult& result, std::int64_t step) {
  if (!result.is_skipped) return;
  if (!result.loss_scale || !std::isfinite(result.loss)) {
    throw Error(ErrorKind::kDiverged, fmt::format("step {}: {}{}, the gradient norm is {}; a lower learning_rate, a "
                                                  "longer warm-up or a smaller max_gradient_norm may help",
                                                  step, kDivergedLoss, result.loss, result.gradient_norm));
  }
  if (*result.loss_scale >= 1) return;
  throw Error(ErrorKind::kDiverged,
              fmt::format("step {}: {}{}, but gradients are NaN or infinite even at a loss scale of {}; a lower "
                          "learning_rate, a longer warm-up or precision bf16_autocast may help",
                          step, kDivergedLoss, result.loss, *result.loss_scale));
}

StepWork::StepWork(const Training& training, BatchLoader& loader, Trainer& trainer)
    : training_(training), loader_(loader), trainer_(trainer), options_(micro_batch_options(training)) {
  const ModelConfig& config = training.config;
  if (config.architecture && config.architecture->draw) formula_.emplace(config, training.request.task, training.lora);
}

StepSize StepWork::size_of(const TrainingBatch& batch) const {
  StepSize size;
  const Batch& inputs = batch.inputs;
  size.work = {inputs.batch_size, inputs.useful_tokens,
               options_.packed ? inputs.useful_tokens : inputs.processed_tokens};
  const std::vector<std::int64_t> targets = target_lengths(batch);
  if (batch.label_kind == LabelKind::kCaption) {  // which the model reads as it does images
    size.work.useful_tokens = std::accumulate(targets.begin(), targets.end(), size.work.useful_tokens);
    size.work.processed_tokens = tokens_of(batch);
  }
  if (!formula_) return size;
  const std::vector<std::int64_t> run = rows_of(batch).lengths;
  const std::vector<std::int64_t> padded_targets(targets.size(), batch.target_length);
  const std::vector<std::int64_t> all(static_cast<std::size_t>(inputs.batch_size), inputs.sequence_length);
  const Case& request = training_.request;
  size.flops = StepFlops{formula_->flops(row_lengths(inputs), targets),
                         formula_->flops(run, padded_targets, {request.needed_tokens, request.gradient_checkpointing}),
                         formula_->flops(all, padded_targets, {.checkpoints_layers = request.gradient_checkpointing})};
  return size;
}

ComputedRows StepWork::rows_of(const TrainingBatch& batch) const {
  const Batch& inputs = batch.inputs;
  if (options_.packed) return {row_lengths(inputs), true, false};
  const auto rows = static_cast<std::size_t>(inputs.batch_size);
  ComputedRows computed{std::vector(rows, inputs.sequence_length), false, inputs.has_padding};
  if (has_own_lengths(batch.label_kind)) computed.target_lengths.assign(rows, batch.target_length);
  if (batch.label_kind == LabelKind::kCaption) {
    computed.has_padding = std::find(batch.labels.begin(), batch.labels.end(), kNoLabel) != batch.labels.end();
  }
  if (inputs.sounds) computed.samples = inputs.sounds->samples;
  return computed;
}

StepSize StepWork::size() const {
  StepSize size;
  for (const TrainingBatch& batch : batches_) add(size, size_of(batch));
  return size;
}

std::vector<ComputedRows> StepWork::rows() const {
  std::vector<ComputedRows> rows;
  for (const TrainingBatch& batch : batches_) rows.push_back(rows_of(batch));
  return rows;
}

void StepWork::take() {
  batches_.clear();
  micro_batches_.clear();
  for (std::int64_t i = 0; i < training_.request.gradient_accumulation; ++i) {
    batches_.push_back(next_batch());
    micro_batches_.push_back(make_micro_batch(batches_.back(), options_));
    if (batches_.back().ends_epoch && !training_.request.is_train()) break;
  }
}

// Steps that are measured are alike: an epoch's last batch, where it is smaller, is passed over.
TrainingBatch StepWork::next_batch() {
  while (true) {
    TrainingBatch batch = loader_.next();
    ++taken_;
    if (!training_.request.is_train() || batch.inputs.batch_size == training_.request.batch_size) return batch;
  }
}

StepResult StepWork::step(const std::function<void(StepPhase)>& on_phase) {
  StepResult result;
  const std::int64_t number = trainer_.steps_taken() + 1;
  try {
    result = trainer_.step(micro_batches_, on_phase);
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
    throw Error(ErrorKind::kOutOfMemory, fmt::format("step {}: {}", number, what_fits()));
  }
  check_step(result, trainer_.steps_taken());
  return result;
}

// The training is over, so what trying does to the weights does not matter.
std::string StepWork::what_fits() {
  micro_batches_.clear();
  const auto largest = std::max_element(
      batches_.begin(), batches_.end(),
      [](const TrainingBatch& left, const TrainingBatch& right) { return tokens_of(left) < tokens_of(right); });
  const std::int64_t least = least_batch_size(training_.request.task);
  for (std::int64_t rows = largest->inputs.batch_size; rows > least;) {
    rows = std::max(rows / 2, least);
    try {
      trainer_.step({make_micro_batch(first_rows(*largest, rows), options_)});
    } catch (const std::exception& error) {
      if (!is_out_of_memory(error)) {
        return fmt::format("batch_size {} does not fit into memory; an attempt with fewer rows failed: {}",
                           training_.request.batch_size, error.what());
      }
      continue;
    }
    return fitting_batch_text(*largest, training_.request, rows);
  }
  return no_fitting_batch_text(*largest, training_.request);
}

}  // namespace transformeter
