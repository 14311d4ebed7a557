// ALBERT (Lan et al. 2019, arXiv:1909.11942): narrow embeddings projected to the model's width, and layers that share
// their weights. Names and defaults as in transformers/models/albert.
#include <fmt/format.h>

#include "spec/encoder_spec.h"

namespace transformeter {

namespace {

constexpr std::int64_t kWidth = 4096;  // of the xxlarge size, whose settings are the defaults
constexpr std::int64_t kHeads = 64;
constexpr std::int64_t kInner = 16384;

void read(const ConfigReader& reader, ModelConfig& config) {
  EncoderSizes usual;
  usual.hidden = kWidth;
  usual.heads = kHeads;
  read_encoder_config(reader, config, usual);
  config.vocab_size = reader.integer("vocab_size", 30000, 1, kMaxVocabulary);
  reader.ignore(
      {"classifier_dropout_prob", "down_scale_factor", "gap_size", "net_structure_type", "num_memory_blocks"});
  if (reader.size("inner_group_num", 1) != 1) {
    throw reader.unsupported("inner_group_num", reader.size("inner_group_num", 1), "a group has one layer");
  }
}

LayerSpec layer_of(const ConfigReader& reader, const EncoderSizes& sizes, const std::string& prefix) {
  const std::int64_t c = sizes.hidden;
  LayerSpec layer;
  layer.attention.heads = layer.attention.key_value_heads = sizes.heads;
  layer.attention.head_dim = c / sizes.heads;
  layer.attention.dropout = sizes.attention_dropout;
  for (const char* part : {"query", "key", "value"}) {
    layer.attention.inputs.push_back(linear_spec(prefix + "attention." + part, c, c));
  }
  layer.attention.output = linear_spec(prefix + "attention.dense", c, c);
  layer.attention_norm = {prefix + "attention.LayerNorm", c, sizes.epsilon};
  layer.feed_forward.in = linear_spec(prefix + "ffn", c, sizes.intermediate);
  layer.feed_forward.out = linear_spec(prefix + "ffn_output", sizes.intermediate, c);
  layer.feed_forward.activation = reader.activation("hidden_act", "gelu_new");
  layer.feed_forward_norm = {prefix + "full_layer_layer_norm", c, sizes.epsilon};
  return layer;
}

LinearSpec pooler(const ModelConfig& config) {
  return linear_spec("albert.pooler", config.hidden_size, config.hidden_size);
}

HeadSpec head_of(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding, HeadKind kind) {
  const double dropout = reader.number("classifier_dropout_prob", 0.1, 1);
  EncoderHeads own;
  own.classes = first_token_head(pooler(config), Activation::kTanh,
                                 linear_spec("classifier", config.hidden_size, config.num_labels), dropout);
  own.masked_tokens.dense = linear_spec("predictions.dense", config.hidden_size, embedding.width);
  own.masked_tokens.activation = reader.activation("hidden_act", "gelu_new");
  own.masked_tokens.norm = NormSpec{"predictions.LayerNorm", embedding.width, embedding.norm->epsilon};
  own.decoder = {"predictions.bias", "predictions.decoder.weight", "predictions.decoder.bias"};
  own.token_dropout = dropout;
  return encoder_head(reader, config, embedding, std::move(own), kind);
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  require_absolute_positions(reader);
  EncoderSizes sizes = read_encoder_sizes(reader, config);
  sizes.intermediate = reader.size("intermediate_size", kInner);
  sizes.hidden_dropout = reader.number("hidden_dropout_prob", 0, 1);
  sizes.attention_dropout = reader.number("attention_probs_dropout_prob", 0, 1);
  const std::int64_t groups = reader.integer("num_hidden_groups", 1, 1, config.num_layers);
  Blueprint blueprint;
  EmbeddingSpec& embedding = blueprint.embedding;
  embedding = encoder_embedding(reader, config, "albert.embeddings.");
  embedding.width = embedding.norm->width = reader.size("embedding_size", 128);
  embedding.projection = linear_spec("albert.encoder.embedding_hidden_mapping_in", embedding.width, config.hidden_size);
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    const std::int64_t group = i * groups / config.num_layers;
    blueprint.layers.push_back(
        layer_of(reader, sizes, fmt::format("albert.encoder.albert_layer_groups.{}.albert_layers.0.", group)));
  }
  blueprint.head = head_of(reader, config, embedding, kind);
  blueprint.hidden_dropout = sizes.hidden_dropout;
  return blueprint;
}

}  // namespace

Architecture albert_architecture() {
  Architecture albert;
  albert.family = "albert";
  albert.class_prefix = "Albert";
  albert.base_prefixes = {"albert."};
  albert.heads = encoder_heads();
  albert.read = read;
  albert.draw = draw;
  albert.ignored_tensors = {"embeddings.position_ids", "pooler.",     "predictions.",
                            "sop_classifier.",         "classifier.", "qa_outputs."};
  albert.pooler = pooler;
  albert.presets = {{"albert-base",
                     {{"num_hidden_layers", 12},
                      {"hidden_size", 768},
                      {"embedding_size", 128},
                      {"num_attention_heads", 12},
                      {"intermediate_size", 3072},
                      {"hidden_act", "gelu_new"},
                      {"pad_token_id", 0}}}};
  return albert;
}

}  // namespace transformeter
