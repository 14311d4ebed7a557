// BERT (Devlin et al. 2018): parameter names as in Hugging Face checkpoints.
#include "model/bert.h"

#include <fmt/format.h>

#include "model/encoder_model.h"
#include "model/registry.h"
#include "spec/tensor_inventory.h"

namespace transformeter {
namespace {

EncoderLayerNames layer_names(std::int64_t layer) {
  const std::string at = fmt::format("bert.encoder.layer.{}.", layer);
  EncoderLayerNames names;
  names.query = at + "attention.self.query";
  names.key = at + "attention.self.key";
  names.value = at + "attention.self.value";
  names.attention_output = at + "attention.output.dense";
  names.attention_norm = at + "attention.output.LayerNorm";
  names.feed_forward_in = at + "intermediate.dense";
  names.feed_forward_out = at + "output.dense";
  names.output_norm = at + "output.LayerNorm";
  return names;
}

EncoderNames bert_names() {
  EncoderNames names;
  names.word_embeddings = "bert.embeddings.word_embeddings.weight";
  names.position_embeddings = "bert.embeddings.position_embeddings.weight";
  names.type_embeddings = "bert.embeddings.token_type_embeddings.weight";
  names.embedding_norm = "bert.embeddings.LayerNorm";
  names.layer = layer_names;
  names.head.pooler = "bert.pooler.dense";
  names.head.pooler_activation = [](const at::Tensor& x) { return x.tanh(); };
  names.head.transform = "cls.predictions.transform.dense";
  names.head.transform_norm = "cls.predictions.transform.LayerNorm";
  names.head.vocabulary_bias = "cls.predictions.bias";
  names.head.word_embeddings = names.word_embeddings;
  return names;
}

}  // namespace

void register_bert(ModelRegistry& registry) {
  registry.add("bert", encoder_tasks(),
               [](const ModelConfig& config, const std::string& task, const Parameters& parameters) {
                 return make_encoder_model(config, task, parameters, bert_names());
               });
}

}  // namespace transformeter
