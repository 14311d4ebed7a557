// ELECTRA (Clark et al. 2020, arXiv:2003.10555): BERT's layers over embeddings that may be narrower than the model.
// Names and defaults as in transformers/models/electra.
#include <fmt/format.h>

#include "spec/encoder_spec.h"

namespace transformeter {

namespace {

void read(const ConfigReader& reader, ModelConfig& config) {
  EncoderSizes usual;
  usual.hidden = 256;
  usual.heads = 4;
  read_encoder_config(reader, config, usual);
  reader.ignore({"summary_activation", "summary_last_dropout", "summary_type", "summary_use_proj"});
}

HeadSpec head_of(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding, HeadKind kind) {
  const EncoderSizes sizes = read_encoder_sizes(reader, config);
  const std::int64_t c = config.hidden_size;
  EncoderHeads own;
  own.classes = first_token_head(linear_spec("classifier.dense", c, c), Activation::kGelu,
                                 linear_spec("classifier.out_proj", c, config.num_labels), sizes.classifier_dropout);
  own.masked_tokens.dense = linear_spec("generator_predictions.dense", c, embedding.width);
  own.masked_tokens.activation = Activation::kGelu;
  own.masked_tokens.norm = NormSpec{"generator_predictions.LayerNorm", embedding.width, sizes.epsilon};
  own.decoder = {"generator_lm_head.bias", "generator_lm_head.weight", ""};
  own.token_dropout = sizes.classifier_dropout;
  return encoder_head(reader, config, embedding, std::move(own), kind);
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  require_absolute_positions(reader);
  EncoderSizes sizes = read_encoder_sizes(reader, config);
  sizes.intermediate = reader.size("intermediate_size", 1024);
  Blueprint blueprint;
  EmbeddingSpec& embedding = blueprint.embedding;
  embedding = encoder_embedding(reader, config, "electra.embeddings.");
  embedding.width = embedding.norm->width = reader.size("embedding_size", 128);
  if (embedding.width != config.hidden_size) {
    embedding.projection = linear_spec("electra.embeddings_project", embedding.width, config.hidden_size);
  }
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(bert_layer(sizes, fmt::format("electra.encoder.layer.{}.", i)));
  }
  blueprint.head = head_of(reader, config, embedding, kind);
  blueprint.hidden_dropout = sizes.hidden_dropout;
  return blueprint;
}

Json sizes(std::int64_t width, std::int64_t heads, std::int64_t embedding) {
  return {{"num_hidden_layers", 12},      {"hidden_size", width},           {"embedding_size", embedding},
          {"num_attention_heads", heads}, {"intermediate_size", 4 * width}, {"pad_token_id", 0}};
}

}  // namespace

Architecture electra_architecture() {
  Architecture electra;
  electra.family = "electra";
  electra.class_prefix = "Electra";
  electra.base_prefixes = {"electra."};
  electra.heads = encoder_heads();
  electra.read = read;
  electra.draw = draw;
  electra.ignored_tensors = {"embeddings.position_ids",
                             "embeddings.token_type_ids",
                             "generator_",
                             "discriminator_predictions.",
                             "classifier.",
                             "qa_outputs."};
  electra.presets = {{"electra-small", sizes(256, 4, 128)}, {"electra-base", sizes(768, 12, 768)}};
  return electra;
}

}  // namespace transformeter
