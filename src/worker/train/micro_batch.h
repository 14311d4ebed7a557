// A micro-batch: a loader's batch on the model's device.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

#include "model/model.h"
#include "tasks/batch_loader.h"
#include "train/loss.h"

namespace transformeter {

struct MicroBatch {
  ModelInputs inputs;
  Labels labels;  // on the inputs' device
  /// Of packed rows whose answers are places in a row: where each token stands in [B · T], and B and T. Else undefined.
  at::Tensor places;
  std::int64_t rows = 0;
  std::int64_t row_length = 0;
};

struct MicroBatchOptions {
  LossKind loss = LossKind::kLabels;
  bool packed = false;                                     // rows one after another, without padding
  c10::ScalarType type = c10::ScalarType::Float;           // of the weights
  std::optional<BlankTokens> blanks = std::nullopt;        // of the model
  std::optional<EndToken> end = std::nullopt;              // the same
  std::optional<std::int64_t> start_token = std::nullopt;  // of targets, see DecoderSpec::training_start_token
  CtcSpec ctc = {};                                        // of transcripts
  PairLoss pairs = PairLoss::kSoftmax;                     // of captions
  c10::Device device = c10::Device(c10::DeviceType::CPU);
};

/// Labels lie as the model's outputs do: of packed rows those of tokens follow one another too. A decoder reads its
/// target shifted right, behind the start token. No label depends on what it reads past the target's end. Captions are
/// texts beside the images.
MicroBatch make_micro_batch(const TrainingBatch& batch, const MicroBatchOptions& options);

/// A model's outputs as the batch's labels want them: [1, N, C] of rows that answer by places as [B, T, C], where what
/// lies over padding is the type's lowest number, which no softmax sees. Others as they are.
at::Tensor spread(const at::Tensor& outputs, const MicroBatch& batch);

}  // namespace transformeter
