// Task heads on an encoder's hidden states. Shapes: B batch, T tokens, C width, V vocabulary.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "model/blocks.h"
#include "model/model.h"

namespace transformeter {

/// Mean over the tokens that are not padding: hidden [B, T, C] to [B, C]. An undefined mask means no padding.
at::Tensor mean_pool(const at::Tensor& hidden, const at::Tensor& token_mask);

/// Where the heads' weights lie in a checkpoint.
struct TaskHeadNames {
  std::string pooler;  // dense layer on the first token, before the sequence classifier
  ActivationFunction pooler_activation = nullptr;
  std::string transform, transform_norm, vocabulary_bias, word_embeddings;  // masked LM, decoder tied to the embeddings
};

/// The output layers of one task: see Model::forward for what each gives.
class TaskHead {
 public:
  TaskHead(const ModelConfig& config, const std::string& task, const Parameters& parameters,
           const TaskHeadNames& names);

  /// hidden [B, T, C] to the task's output.
  at::Tensor forward(const at::Tensor& hidden, const ModelInputs& inputs, const Operators& operators) const;

 private:
  std::string task_;
  Linear dense_;   // pooler, or the masked LM's transform
  Linear output_;  // classifier, span scores, or the tied decoder
  LayerNorm norm_;
  ActivationFunction activation_ = nullptr;  // after dense_
};

}  // namespace transformeter
