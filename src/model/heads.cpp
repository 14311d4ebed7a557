// Pooling and the output layers.
#include "model/heads.h"

#include <ATen/TensorOperators.h>

namespace transformeter {

at::Tensor mean_pool(const at::Tensor& hidden, const at::Tensor& token_mask) {
  if (!token_mask.defined()) return hidden.mean(1);
  const at::Tensor weights = token_mask.to(hidden.scalar_type()).unsqueeze(-1);
  return (hidden * weights).sum(1) / weights.sum(1);
}

TaskHead::TaskHead(const ModelConfig& config, const std::string& task, const Parameters& parameters,
                   const TaskHeadNames& names)
    : task_(task) {
  if (task == "sequence_classification") {
    dense_ = parameters.linear(names.pooler);
    activation_ = names.pooler_activation;
    output_ = parameters.linear("classifier");
  } else if (task == "token_classification") {
    output_ = parameters.linear("classifier");
  } else if (task == "question_answering") {
    output_ = parameters.linear("qa_outputs");
  } else if (task == "masked_lm") {
    dense_ = parameters.linear(names.transform);
    norm_ = make_layer_norm(parameters, names.transform_norm, config.layer_norm_eps);
    activation_ = activation_function(config.hidden_act);
    output_ = {parameters.at(names.word_embeddings), parameters.at(names.vocabulary_bias)};
  }
}

at::Tensor TaskHead::forward(const at::Tensor& hidden, const ModelInputs& inputs, const Operators& operators) const {
  if (task_ == "embedding") return mean_pool(hidden, inputs.token_mask);
  if (task_ == "sequence_classification") {
    return operators.linear(activation_(operators.linear(hidden.select(1, 0), dense_)), output_);
  }
  if (task_ == "masked_lm") {
    return operators.linear(norm_(activation_(operators.linear(hidden, dense_))), output_);
  }
  return operators.linear(hidden, output_);
}

}  // namespace transformeter
