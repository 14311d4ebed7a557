// SqueezeBERT (Iandola et al. 2020, arXiv:2006.11316): BERT with grouped pointwise convolutions for its matrices. Names
// and defaults as in transformers/models/squeezebert.
#include <fmt/format.h>

#include "spec/encoder_spec.h"

namespace transformeter {

namespace {

constexpr double kLayerEpsilon = 1e-12;  // of norms in layers, whatever layer_norm_eps says of the others

void read(const ConfigReader& reader, ModelConfig& config) {
  read_encoder_config(reader, config);
  const std::int64_t embedding = reader.size("embedding_size", 768);
  if (embedding != config.hidden_size) {
    throw reader.bad("embedding_size", embedding, fmt::format("hidden_size {}", config.hidden_size));
  }
}

LinearSpec convolution(const ConfigReader& reader, const std::string& prefix, const LinearSpec& sizes,
                       const char* groups_key) {
  LinearSpec spec = linear_spec(prefix, sizes.in, sizes.out);
  spec.layout = WeightLayout::kConvolution;
  spec.groups = reader.size(groups_key, std::string_view(groups_key) == "post_attention_groups" ? 1 : 4);
  if (spec.in % spec.groups != 0 || spec.out % spec.groups != 0) {
    throw reader.bad(groups_key, spec.groups, fmt::format("a divisor of {} and {}", spec.in, spec.out));
  }
  return spec;
}

LayerSpec layer_of(const ConfigReader& reader, const EncoderSizes& sizes, const std::string& prefix) {
  LinearSpec square, wide, narrow;
  square.in = square.out = wide.in = narrow.out = sizes.hidden;
  wide.out = narrow.in = sizes.intermediate;
  LayerSpec layer;
  AttentionSpec& attention = layer.attention;
  attention.heads = attention.key_value_heads = sizes.heads;
  attention.head_dim = sizes.hidden / sizes.heads;
  attention.dropout = sizes.attention_dropout;
  attention.inputs = {convolution(reader, prefix + "attention.query", square, "q_groups"),
                      convolution(reader, prefix + "attention.key", square, "k_groups"),
                      convolution(reader, prefix + "attention.value", square, "v_groups")};
  attention.output = convolution(reader, prefix + "post_attention.conv1d", square, "post_attention_groups");
  layer.attention_norm = {prefix + "post_attention.layernorm", sizes.hidden, kLayerEpsilon};
  layer.feed_forward.in = convolution(reader, prefix + "intermediate.conv1d", wide, "intermediate_groups");
  layer.feed_forward.out = convolution(reader, prefix + "output.conv1d", narrow, "output_groups");
  layer.feed_forward.activation = sizes.activation;
  layer.feed_forward_norm = {prefix + "output.layernorm", sizes.hidden, kLayerEpsilon};
  return layer;
}

LinearSpec pooler(const ModelConfig& config) {
  return linear_spec("transformer.pooler.dense", config.hidden_size, config.hidden_size);
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  const EncoderSizes sizes = read_encoder_sizes(reader, config);
  Blueprint blueprint;
  blueprint.embedding = encoder_embedding(reader, config, "transformer.embeddings.");
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(layer_of(reader, sizes, fmt::format("transformer.encoder.layers.{}.", i)));
  }
  blueprint.channels_first = true;
  blueprint.head = bert_head(reader, config, blueprint.embedding, pooler(config), sizes.hidden_dropout, kind);
  blueprint.hidden_dropout = sizes.hidden_dropout;
  return blueprint;
}

Json sizes(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  return {{"num_hidden_layers", layers},
          {"hidden_size", width},
          {"embedding_size", width},
          {"num_attention_heads", heads},
          {"intermediate_size", 4 * width},
          {"q_groups", 4},
          {"k_groups", 4},
          {"v_groups", 4},
          {"post_attention_groups", 1},
          {"intermediate_groups", 4},
          {"output_groups", 4},
          {"pad_token_id", 0}};
}

}  // namespace

Architecture squeezebert_architecture() {
  Architecture squeezebert;
  squeezebert.family = "squeezebert";
  squeezebert.class_prefix = "SqueezeBert";
  squeezebert.base_prefixes = {"transformer."};
  squeezebert.heads = encoder_heads();
  squeezebert.read = read;
  squeezebert.draw = draw;
  squeezebert.ignored_tensors = {"embeddings.position_ids", "pooler.", "cls.", "classifier.", "qa_outputs."};
  squeezebert.pooler = pooler;
  squeezebert.presets = {{"squeezebert-test", sizes(2, 64, 2)}, {"squeezebert", sizes(12, 768, 12)}};
  return squeezebert;
}

}  // namespace transformeter
