// OPT (Zhang et al. 2022, arXiv:2205.01068). The 350m size norms after each part and has narrower embeddings than
// layers. Names and defaults as in transformers/models/opt.
#include <fmt/format.h>

#include "spec/decoder_spec.h"

namespace transformeter {

namespace {

constexpr double kEpsilon = 1e-5;            // PyTorch's default, which modeling_opt.py keeps
constexpr std::int64_t kPositionOffset = 2;  // the table's first two rows serve padding
constexpr std::int64_t kPaddingId = 1;       // where config.json does not say
const std::string kPrefix = "model.decoder.";

void read(const ConfigReader& reader, ModelConfig& config) {
  config.vocab_size = reader.integer("vocab_size", 50272, 1, kMaxVocabulary);
  config.hidden_size = reader.size("hidden_size", 768);
  config.num_layers = reader.integer("num_hidden_layers", 12, 1, kMaxLayers);
  config.num_heads = reader.size("num_attention_heads", 12);
  config.max_length = reader.integer("max_position_embeddings", 2048, 1, kMaxPositions);
  config.initializer_range = reader.number("init_std", 0.02, 1000);
  config.pad_token_id = kPaddingId;
  if (config.hidden_size % config.num_heads != 0) {
    throw reader.bad("hidden_size", config.hidden_size,
                     fmt::format("a multiple of num_attention_heads {}", config.num_heads));
  }
  reader.require("layer_norm_elementwise_affine", true, "every norm has a weight and a bias");
  reader.ignore({"activation_dropout"});
}

LayerSpec layer_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  const std::int64_t c = config.hidden_size;
  const std::int64_t inner = reader.size("ffn_dim", 3072);
  const bool has_bias = reader.flag("enable_bias", true);
  LayerSpec layer;
  layer.norm_first = reader.flag("do_layer_norm_before", true);
  layer.attention.heads = layer.attention.key_value_heads = config.num_heads;
  layer.attention.head_dim = c / config.num_heads;
  for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
    layer.attention.inputs.push_back(linear_spec(prefix + "self_attn." + part, c, c, has_bias));
  }
  layer.attention.output = linear_spec(prefix + "self_attn.out_proj", c, c, has_bias);
  layer.attention.dropout = reader.number("attention_dropout", 0, 1);
  layer.attention_norm = {prefix + "self_attn_layer_norm", c, kEpsilon};
  layer.feed_forward.in = linear_spec(prefix + "fc1", c, inner, has_bias);
  layer.feed_forward.out = linear_spec(prefix + "fc2", inner, c, has_bias);
  layer.feed_forward.activation = reader.activation("activation_function", "relu");
  layer.feed_forward_norm = {prefix + "final_layer_norm", c, kEpsilon};
  return layer;
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  const std::int64_t c = config.hidden_size;
  Blueprint blueprint;
  EmbeddingSpec& embedding = blueprint.embedding;
  embedding.words = kPrefix + "embed_tokens.weight";
  embedding.vocabulary = config.vocab_size;
  embedding.padding_row = config.pad_token_id.value_or(kPaddingId);
  embedding.width = reader.size("word_embed_proj_dim", c);
  embedding.positions = kPrefix + "embed_positions.weight";
  embedding.position_offset = kPositionOffset;
  embedding.position_rows = config.max_length + kPositionOffset;
  const bool is_narrow = embedding.width != c;
  if (is_narrow) {
    embedding.projection = linear_spec(kPrefix + "project_in", embedding.width, c, false);
    embedding.project_before_positions = true;
    blueprint.final_projection = linear_spec(kPrefix + "project_out", c, embedding.width, false);
  }
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(layer_of(reader, config, fmt::format("{}layers.{}.", kPrefix, i)));
  }
  const bool has_final_norm =
      reader.flag("do_layer_norm_before", true) && !reader.flag("_remove_final_layer_norm", false);
  if (has_final_norm) blueprint.final_norm = NormSpec{kPrefix + "final_layer_norm", c, kEpsilon};
  DecoderHeadNames names;
  names.ties_words = true;
  names.width = embedding.width;
  finish_decoder(reader, config, names, kind, blueprint);
  blueprint.hidden_dropout = reader.number("dropout", 0.1, 1);
  return blueprint;
}

Json sizes(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  return {{"num_hidden_layers", layers},     {"hidden_size", width}, {"word_embed_proj_dim", width},
          {"num_attention_heads", heads},    {"ffn_dim", 4 * width}, {"vocab_size", 50272},
          {"max_position_embeddings", 2048}, {"pad_token_id", 1},    {"eos_token_id", 2}};
}

}  // namespace

Architecture opt_architecture() {
  Architecture opt;
  opt.family = "opt";
  opt.class_prefix = "OPT";
  opt.base_prefixes = {"model."};
  opt.heads = {HeadKind::kNextToken, HeadKind::kSequenceClasses, HeadKind::kSpan, HeadKind::kNone};
  opt.read = read;
  opt.refused_keys = cache_keys();
  opt.draw = draw;
  opt.ignored_tensors = {"score.", "qa_outputs.", "lm_head."};
  Json middle = sizes(24, 1024, 16);
  middle["word_embed_proj_dim"] = 512;
  middle["do_layer_norm_before"] = false;
  opt.presets = {{"opt-test", sizes(2, 64, 2)},
                 {"opt-125m", sizes(12, 768, 12)},
                 {"opt-350m", middle},
                 {"opt-1.3b", sizes(24, 2048, 32)}};
  return opt;
}

}  // namespace transformeter
