// DistilBERT (Sanh et al. 2019): parameter names as in Hugging Face checkpoints.
#include "model/distilbert.h"

#include <fmt/format.h>

#include "model/encoder_model.h"
#include "model/registry.h"
#include "spec/tensor_inventory.h"

namespace transformeter {
namespace {

EncoderLayerNames layer_names(std::int64_t layer) {
  const std::string at = fmt::format("distilbert.transformer.layer.{}.", layer);
  EncoderLayerNames names;
  names.query = at + "attention.q_lin";
  names.key = at + "attention.k_lin";
  names.value = at + "attention.v_lin";
  names.attention_output = at + "attention.out_lin";
  names.attention_norm = at + "sa_layer_norm";
  names.feed_forward_in = at + "ffn.lin1";
  names.feed_forward_out = at + "ffn.lin2";
  names.output_norm = at + "output_layer_norm";
  return names;
}

EncoderNames distilbert_names() {
  EncoderNames names;
  names.word_embeddings = "distilbert.embeddings.word_embeddings.weight";
  names.position_embeddings = "distilbert.embeddings.position_embeddings.weight";
  names.embedding_norm = "distilbert.embeddings.LayerNorm";
  names.layer = layer_names;
  names.head.pooler = "pre_classifier";
  names.head.pooler_activation = [](const at::Tensor& x) { return x.relu(); };
  names.head.transform = "vocab_transform";
  names.head.transform_norm = "vocab_layer_norm";
  names.head.vocabulary_bias = "vocab_projector.bias";
  names.head.word_embeddings = names.word_embeddings;
  return names;
}

}  // namespace

void register_distilbert(ModelRegistry& registry) {
  registry.add("distilbert", encoder_tasks(),
               [](const ModelConfig& config, const std::string& task, const Parameters& parameters) {
                 return make_encoder_model(config, task, parameters, distilbert_names());
               });
}

}  // namespace transformeter
