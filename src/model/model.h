// A model ready to run: token ids in, task outputs out.
#pragma once

#include <ATen/core/Tensor.h>

#include "model/operators.h"

namespace transformeter {

/// One batch on the model's device.
struct ModelInputs {
  at::Tensor input_ids;       // [B, T] int64
  at::Tensor token_type_ids;  // [B, T] int64, or undefined: all 0
  at::Tensor token_mask;      // [B, T] bool, true where a token is not padding; undefined: no padding
  at::Tensor attention_mask;  // additive, [B, 1, 1, T], 0 or the type's lowest number; undefined: none
};

class Model {
 public:
  virtual ~Model() = default;
  /// sequence_classification: logits [B, classes]; embedding: [B, C], the mean over tokens that are not padding;
  /// token_classification: [B, T, classes]; question_answering: [B, T, 2]; masked_lm: [B, T, V].
  virtual at::Tensor forward(const ModelInputs& inputs, const Operators& operators) const = 0;
};

}  // namespace transformeter
