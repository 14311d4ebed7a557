// Gemma 3's text models (Gemma Team 2025, arXiv:2503.19786): as Llama, with norms before and after each part whose
// weights count from 1, scaled embeddings, normed queries and keys, and five layers with a window and a rotation of
// their own before each that sees all. Names and defaults as in transformers/models/gemma3. The models that see images
// (model_type gemma3) are another family.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "spec/decoder_spec.h"
#include "spec/read_rotary.h"

namespace transformeter {

namespace {

constexpr std::int64_t kVocabulary = 262208;
constexpr std::int64_t kPositions = 131072;
constexpr std::int64_t kHeadDim = 256;

void read(const ConfigReader& reader, ModelConfig& config) {
  config.vocab_size = reader.integer("vocab_size", kVocabulary, 1, kMaxVocabulary);
  config.hidden_size = reader.size("hidden_size", 2304);
  config.num_layers = reader.integer("num_hidden_layers", 26, 1, kMaxLayers);
  config.num_heads = reader.size("num_attention_heads", 8);
  config.max_length = reader.integer("max_position_embeddings", kPositions, 1, kMaxPositions);
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
  config.pad_token_id = 0;
  reader.require("use_bidirectional_attention", false, "windows of layers (sliding_window) only look back");
  for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"}) {
    if (const Json* cap = reader.find(key)) throw reader.unsupported(key, *cap, "no score and no logit is capped");
  }
}

NormSpec norm(const ConfigReader& reader, std::string name, std::int64_t width) {
  NormSpec spec{std::move(name), width, reader.number("rms_norm_eps", 1e-6, 1), NormKind::kRms};
  spec.weight_offset = 1;
  return spec;
}

/// layer_types, else all but every sixth, or what the older sliding_window_pattern says.
bool is_windowed(const ConfigReader& reader, std::int64_t index) {
  const std::int64_t pattern = reader.integer("sliding_window_pattern", 6, 1, kMaxLayers);
  const Json* types = reader.find("layer_types");
  return types == nullptr ? (index + 1) % pattern != 0 : is_sliding_layer(reader, *types, index);
}

std::int64_t window(const ConfigReader& reader) {
  if (!reader.has("sliding_window") || reader.find("sliding_window") != nullptr) {
    return reader.integer("sliding_window", 4096, 1, kMaxPositions);
  }
  throw reader.bad("sliding_window", nullptr, "a number of tokens, since layers are sliding_attention");
}

AttentionSpec attention_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  const bool has_bias = reader.flag("attention_bias", false);
  AttentionSpec attention = grouped_attention(reader, config, prefix,
                                              {.key_value_heads = 4,
                                               .head_dim = rotated_head_dim(reader, kHeadDim),
                                               .has_input_bias = has_bias,
                                               .has_output_bias = has_bias});
  attention.query_norm = norm(reader, prefix + "q_norm", attention.head_dim);
  attention.key_norm = norm(reader, prefix + "k_norm", attention.head_dim);
  const auto scalar = static_cast<double>(reader.size("query_pre_attn_scalar", 256));
  attention.score_scale = std::sqrt(static_cast<double>(attention.head_dim) / scalar);
  return attention;
}

LayerSpec layer_of(const ConfigReader& reader, const ModelConfig& config, std::int64_t index) {
  const std::int64_t c = config.hidden_size;
  const std::int64_t inner = reader.size("intermediate_size", 9216);
  const std::string prefix = fmt::format("model.layers.{}.", index);
  LayerSpec layer;
  layer.norm_first = true;
  layer.attention = attention_of(reader, config, prefix + "self_attn.");
  layer.attention.window = is_windowed(reader, index) ? window(reader) : 0;
  layer.attention_norm = norm(reader, prefix + "input_layernorm", c);
  layer.attention_output_norm = norm(reader, prefix + "post_attention_layernorm", c);
  layer.feed_forward.gate = linear_spec(prefix + "mlp.gate_proj", c, inner, false);
  layer.feed_forward.in = linear_spec(prefix + "mlp.up_proj", c, inner, false);
  layer.feed_forward.out = linear_spec(prefix + "mlp.down_proj", inner, c, false);
  layer.feed_forward.activation = reader.activation("hidden_activation", "gelu_pytorch_tanh");
  layer.feed_forward_norm = norm(reader, prefix + "pre_feedforward_layernorm", c);
  layer.feed_forward_output_norm = norm(reader, prefix + "post_feedforward_layernorm", c);
  return layer;
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  Blueprint blueprint;
  EmbeddingSpec& embedding = blueprint.embedding;
  embedding.words = "model.embed_tokens.weight";
  embedding.vocabulary = config.vocab_size;
  embedding.padding_row = config.pad_token_id;
  embedding.width = config.hidden_size;
  embedding.scale = std::sqrt(static_cast<double>(config.hidden_size));
  for (std::int64_t i = 0; i < config.num_layers; ++i) blueprint.layers.push_back(layer_of(reader, config, i));
  const std::int64_t dimensions = rotated_head_dim(reader, kHeadDim);
  blueprint.rotary = read_rotary_of_layers(reader, {"full_attention", "rope_theta", 1e6, "rope_scaling"}, dimensions,
                                           config.max_length);
  blueprint.window_rotary = read_rotary_of_layers(reader, {"sliding_attention", "rope_local_base_freq", 1e4, ""},
                                                  dimensions, config.max_length);
  blueprint.final_norm = norm(reader, "model.norm", config.hidden_size);
  DecoderHeadNames names;
  names.width = config.hidden_size;
  names.ties_words = true;
  finish_decoder(reader, config, names, kind, blueprint);
  return blueprint;
}

/// {layers, width, heads, key-value heads, width of a head, inner width}
Json sizes(const std::vector<std::int64_t>& numbers, const Json& more) {
  Json json = {{"num_hidden_layers", numbers[0]},
               {"hidden_size", numbers[1]},
               {"num_attention_heads", numbers[2]},
               {"num_key_value_heads", numbers[3]},
               {"head_dim", numbers[4]},
               {"intermediate_size", numbers[5]},
               {"eos_token_id", 1},
               {"pad_token_id", 0}};
  json.update(more);
  return json;
}

}  // namespace

Architecture gemma3_architecture() {
  Architecture gemma3;
  gemma3.family = "gemma3_text";
  gemma3.class_prefix = "Gemma3Text";
  gemma3.causal_lm_class = "Gemma3ForCausalLM";
  gemma3.base_prefixes = {"model."};
  gemma3.heads = {HeadKind::kNextToken, HeadKind::kSequenceClasses, HeadKind::kNone};
  gemma3.read = read;
  gemma3.refused_keys = cache_keys();
  gemma3.draw = draw;
  gemma3.ignored_tensors = {"score.", "lm_head."};
  const Json published = {{"vocab_size", 262144}, {"max_position_embeddings", 32768}, {"sliding_window", 512}};
  gemma3.presets = {
      {"gemma3-test",
       sizes({6, 64, 4, 1, 32, 128}, {{"vocab_size", 4096}, {"max_position_embeddings", 256}, {"sliding_window", 64}})},
      {"gemma-3-270m", sizes({18, 640, 4, 1, 256, 2048}, published)},
      {"gemma-3-1b", sizes({26, 1152, 4, 1, 256, 6912}, published)}};
  return gemma3;
}

}  // namespace transformeter
