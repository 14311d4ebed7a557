// Embeddings, layers and head of a post-norm encoder.
#include "model/encoder_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>

#include <utility>
#include <vector>

namespace transformeter {
namespace {

class EncoderModel final : public Model {
 public:
  EncoderModel(const ModelConfig& config, const std::string& task, const Parameters& parameters,
               const EncoderNames& names)
      : words_(parameters.at(names.word_embeddings)),
        positions_(parameters.at(names.position_embeddings)),
        norm_(make_layer_norm(parameters, names.embedding_norm, config.layer_norm_eps)),
        head_(config, task, parameters, names.head) {
    if (!names.type_embeddings.empty()) types_ = parameters.at(names.type_embeddings);
    const EncoderLayerOptions options{config.num_heads, config.layer_norm_eps, activation_function(config.hidden_act)};
    for (std::int64_t layer = 0; layer < config.num_layers; ++layer) {
      layers_.emplace_back(parameters, names.layer(layer), options);
    }
  }

  at::Tensor forward(const ModelInputs& inputs, const Operators& operators) const override {
    at::Tensor hidden = norm_(embed(inputs));
    for (const EncoderLayer& layer : layers_) hidden = layer.forward(hidden, inputs.attention_mask, operators);
    return head_.forward(hidden, inputs, operators);
  }

 private:
  // [B, T, C], summed in the originals' order: words, token types, positions.
  at::Tensor embed(const ModelInputs& inputs) const {
    at::Tensor sum = at::embedding(words_, inputs.input_ids);
    if (types_.defined()) {
      sum = sum + (inputs.token_type_ids.defined() ? at::embedding(types_, inputs.token_type_ids)
                                                   : types_.slice(0, 0, 1).unsqueeze(0));
    }
    return sum + positions_.slice(0, 0, inputs.input_ids.size(1));
  }

  at::Tensor words_, positions_, types_;
  LayerNorm norm_;
  std::vector<EncoderLayer> layers_;
  TaskHead head_;
};

}  // namespace

std::unique_ptr<Model> make_encoder_model(const ModelConfig& config, const std::string& task,
                                          const Parameters& parameters, const EncoderNames& names) {
  return std::make_unique<EncoderModel>(config, task, parameters, names);
}

}  // namespace transformeter
