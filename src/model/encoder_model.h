// A post-norm encoder with a task head. BERT and its kin differ only in the names of their weights.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "model/heads.h"
#include "model/model.h"
#include "model/parameters.h"
#include "spec/model_config.h"

namespace transformeter {

struct EncoderNames {
  std::string word_embeddings, position_embeddings;  // with ".weight"
  std::string type_embeddings;                       // empty: the model has no token types
  std::string embedding_norm;                        // a prefix
  std::function<EncoderLayerNames(std::int64_t layer)> layer;
  TaskHeadNames head;
};

/// Throws Error(kInternal) when a name is not in `parameters`.
std::unique_ptr<Model> make_encoder_model(const ModelConfig& config, const std::string& task,
                                          const Parameters& parameters, const EncoderNames& names);

}  // namespace transformeter
