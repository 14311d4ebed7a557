// MPNet (Song et al. 2020, arXiv:2004.09297): BERT's layers under other names, RoBERTa's positions and heads, and a
// bias of scores by distance. Names and defaults as in transformers/models/mpnet.
#include <fmt/format.h>

#include "spec/encoder_spec.h"

namespace transformeter {
namespace {

// The original's, whatever pad_token_id says.
constexpr std::int64_t kPaddingId = 1;
constexpr std::int64_t kFirstPosition = kPaddingId + 1;
// Read by the original, however many the table has.
constexpr std::int64_t kBuckets = 32;

void read(const ConfigReader& reader, ModelConfig& config) {
  read_encoder_config(reader, config);
  config.vocab_size = reader.integer("vocab_size", 30527, kPaddingId + 1, kMaxVocabulary);
  config.pad_token_id = kPaddingId;
  config.max_length -= kFirstPosition;
  if (config.max_length < 1) {
    throw reader.bad("max_position_embeddings", config.max_length + kFirstPosition,
                     fmt::format("more than {}, since the first tokens have other rows", kFirstPosition));
  }
}

LayerSpec layer_of(const EncoderSizes& sizes, const std::string& prefix) {
  LayerSpec layer = bert_layer(sizes, prefix);
  const std::int64_t c = sizes.hidden;
  layer.attention.inputs = {linear_spec(prefix + "attention.attn.q", c, c),
                            linear_spec(prefix + "attention.attn.k", c, c),
                            linear_spec(prefix + "attention.attn.v", c, c)};
  layer.attention.output = linear_spec(prefix + "attention.attn.o", c, c);
  layer.attention_norm.name = prefix + "attention.LayerNorm";
  return layer;
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  const EncoderSizes sizes = read_encoder_sizes(reader, config);
  Blueprint blueprint;
  EmbeddingSpec& embedding = blueprint.embedding;
  embedding = encoder_embedding(reader, config, "mpnet.embeddings.");
  embedding.types.clear();
  embedding.type_rows = 0;
  embedding.padding_row = kPaddingId;
  embedding.position_offset = kFirstPosition;
  blueprint.positions_skip_padding = true;
  blueprint.blanks = BlankTokens{kPaddingId, true, false};
  blueprint.relative_bias = {
      .table = "mpnet.encoder.relative_attention_bias.weight",
      .rows = reader.integer("relative_attention_num_buckets", kBuckets, kBuckets, kMaxVocabulary),
      .heads = config.num_heads,
      .buckets = kBuckets};
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(layer_of(sizes, fmt::format("mpnet.encoder.layer.{}.", i)));
  }
  blueprint.head = roberta_head(reader, config, embedding, sizes.hidden_dropout, kind);
  blueprint.hidden_dropout = sizes.hidden_dropout;
  return blueprint;
}

Json base_sizes() {
  return {{"num_hidden_layers", 12},   {"hidden_size", 768},  {"num_attention_heads", 12},
          {"intermediate_size", 3072}, {"vocab_size", 30527}, {"max_position_embeddings", 514},
          {"layer_norm_eps", 1e-5},    {"pad_token_id", 1},   {"bos_token_id", 0},
          {"eos_token_id", 2},         {"hidden_act", "gelu"}};
}

}  // namespace

Architecture mpnet_architecture() {
  Architecture mpnet;
  mpnet.family = "mpnet";
  mpnet.class_prefix = "MPNet";
  mpnet.base_prefixes = {"mpnet."};
  mpnet.heads = encoder_heads();
  mpnet.read = read;
  mpnet.draw = draw;
  mpnet.ignored_tensors = {"embeddings.position_ids", "pooler.", "lm_head.", "classifier.", "qa_outputs."};
  mpnet.pooler = [](const ModelConfig& config) {
    return linear_spec("mpnet.pooler.dense", config.hidden_size, config.hidden_size);
  };
  Json test = base_sizes();
  test.update({{"num_hidden_layers", 2},
               {"hidden_size", 128},
               {"num_attention_heads", 2},
               {"intermediate_size", 512},
               {"vocab_size", 4096},
               {"max_position_embeddings", 130}});
  mpnet.presets = {{"mpnet-test", test}, {"mpnet-base", base_sizes()}};
  return mpnet;
}

}  // namespace transformeter
