// BERT (Devlin et al. 2018, arXiv:1810.04805); small sizes: Turc et al. 2019 (arXiv:1908.08962). Names and defaults as
// in transformers/models/bert.
#include <fmt/format.h>

#include "spec/encoder_spec.h"

namespace transformeter {

namespace {

LinearSpec pooler(const ModelConfig& config) {
  return linear_spec("bert.pooler.dense", config.hidden_size, config.hidden_size);
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  require_absolute_positions(reader);
  const EncoderSizes sizes = read_encoder_sizes(reader, config);
  Blueprint blueprint;
  blueprint.embedding = encoder_embedding(reader, config, "bert.embeddings.");
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(bert_layer(sizes, fmt::format("bert.encoder.layer.{}.", i)));
  }
  blueprint.head = bert_head(reader, config, blueprint.embedding, pooler(config), sizes.classifier_dropout, kind);
  blueprint.hidden_dropout = sizes.hidden_dropout;
  return blueprint;
}

Json sizes(std::int64_t layers, std::int64_t width, std::int64_t vocabulary = 30522, std::int64_t positions = 512) {
  return {{"num_hidden_layers", layers},
          {"hidden_size", width},
          {"num_attention_heads", width / 64},
          {"intermediate_size", 4 * width},
          {"vocab_size", vocabulary},
          {"max_position_embeddings", positions},
          {"pad_token_id", 0}};
}

}  // namespace

Architecture bert_architecture() {
  Architecture bert;
  bert.family = "bert";
  bert.class_prefix = "Bert";
  bert.base_prefixes = {"bert."};
  bert.heads = encoder_heads();
  bert.read = [](const ConfigReader& reader, ModelConfig& config) { read_encoder_config(reader, config); };
  bert.draw = draw;
  bert.ignored_tensors = {
      "embeddings.position_ids", "embeddings.token_type_ids", "pooler.", "cls.", "classifier.", "qa_outputs."};
  bert.pooler = pooler;
  Json test = sizes(2, 64, 4096, 128);
  test["num_attention_heads"] = 2;
  test["intermediate_size"] = 128;
  bert.presets = {{"bert-test", test},
                  {"bert-tiny", sizes(2, 128)},
                  {"bert-mini", sizes(4, 256)},
                  {"bert-small", sizes(4, 512)},
                  {"bert-medium", sizes(8, 512)},
                  {"bert-base", sizes(12, 768)},
                  {"bert-large", sizes(24, 1024)}};
  return bert;
}

}  // namespace transformeter
