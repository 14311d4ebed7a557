// The Llama family (Touvron et al. 2023, arXiv:2302.13971): RMS norms, rotary positions, grouped-query attention and a
// gated feed-forward. Qwen2 has a bias on query, key and value; Qwen3 norms query and key instead; Mistral and Qwen
// may look back through a window only. SmolLM and TinyLlama are Llama. Names and defaults as in
// transformers/models/{llama,qwen2,qwen3,mistral}.
#include <fmt/format.h>

#include "spec/decoder_spec.h"
#include "spec/read_rotary.h"

namespace transformeter {

namespace {

/// In what the members of the family differ.
struct Member {
  std::int64_t vocabulary = 32000;
  std::int64_t positions = 2048;
  std::int64_t intermediate = 11008;
  std::int64_t head_dim = 0;          // 0: the width divided by the heads
  bool query_key_value_bias = false;  // of Qwen2; Llama and Qwen3 have attention_bias, which the output has too
  bool has_query_norm = false;
  std::int64_t window = 0;           // by default, of every layer; 0: none
  bool has_layer_windows = false;    // where use_sliding_window says so, of some layers
  std::int64_t key_value_heads = 0;  // where the key is missing; 0: as many as heads
};

constexpr const char* kSpanPrefix = "transformer.";  // not Mistral's, though its older checkpoints may have it

constexpr Member kLlama;
constexpr Member kQwen2 = {151936, 32768, 22016, 0, true, false, 0, true, 32};
constexpr Member kQwen3 = {151936, 32768, 22016, 128, false, true, 0, true, 32};
constexpr Member kMistral = {32000, 131072, 14336, 0, false, false, 4096, false, 8};

void read(const Member& member, const ConfigReader& reader, ModelConfig& config) {
  config.vocab_size = reader.integer("vocab_size", member.vocabulary, 1, kMaxVocabulary);
  config.hidden_size = reader.size("hidden_size", 4096);
  config.num_layers = reader.integer("num_hidden_layers", 32, 1, kMaxLayers);
  config.num_heads = reader.size("num_attention_heads", 32);
  config.max_length = reader.integer("max_position_embeddings", member.positions, 1, kMaxPositions);
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
  // Of distributed training and of dropout.
  reader.ignore({"pretraining_tp", "classifier_dropout", "hidden_dropout"});
  if (member.has_layer_windows) {
    reader.ignore({"max_window_layers", "use_sliding_window", "sliding_window", "layer_types"});
    reader.require("use_mrope", false, "only one position per token is supported");
  }
  reader.require("token_classification_bias", true, "the classifier of tokens has a bias");
}

std::int64_t head_dim(const Member& member, const ConfigReader& reader, const ModelConfig& config) {
  const bool divides = config.hidden_size % config.num_heads == 0;
  if (!divides && member.head_dim == 0 && reader.find("head_dim") == nullptr) {
    throw reader.bad("hidden_size", config.hidden_size,
                     fmt::format("a multiple of num_attention_heads {} where head_dim is not given", config.num_heads));
  }
  return rotated_head_dim(reader, member.head_dim > 0 ? member.head_dim : config.hidden_size / config.num_heads);
}

// What the list `types` says of layer `index`.
bool is_windowed(const ConfigReader& reader, const Json& types, std::int64_t index, bool has_window) {
  if (!is_sliding_layer(reader, types, index)) return false;
  if (has_window) return true;
  throw reader.unsupported("layer_types", "sliding_attention", "it needs sliding_window, and use_sliding_window true");
}

/// How far layer `index` looks back; 0: all the way.
std::int64_t window_of(const Member& member, const ConfigReader& reader, std::int64_t index) {
  if (member.window == 0 && !member.has_layer_windows) return 0;
  const Json* width = reader.find("sliding_window");
  if (member.window > 0) {  // Mistral: every layer has the same; null is none, and only a missing key is the default
    const bool is_none = reader.has("sliding_window") && width == nullptr;
    return is_none ? 0 : reader.integer("sliding_window", member.window, 1, kMaxPositions);
  }
  const bool has_window = reader.flag("use_sliding_window", false) && width != nullptr;
  const std::int64_t window = has_window ? reader.integer("sliding_window", 4096, 1, kMaxPositions) : 0;
  if (const Json* types = reader.find("layer_types")) {
    return is_windowed(reader, *types, index, has_window) ? window : 0;
  }
  if (!has_window) return 0;
  return index >= reader.integer("max_window_layers", 28, 0, kMaxLayers) ? window : 0;
}

AttentionSpec attention_of(const Member& member, const ConfigReader& reader, const ModelConfig& config,
                           const std::string& prefix) {
  const bool has_default = !reader.has("num_key_value_heads") && member.key_value_heads > 0;
  const bool has_bias = reader.flag("attention_bias", false);
  AttentionSpec attention =
      grouped_attention(reader, config, prefix,
                        {.key_value_heads = has_default ? member.key_value_heads : config.num_heads,
                         .head_dim = head_dim(member, reader, config),
                         .has_input_bias = has_bias || member.query_key_value_bias,
                         .has_output_bias = has_bias});
  if (member.has_query_norm) {
    const double epsilon = reader.number("rms_norm_eps", 1e-6, 1);
    attention.query_norm = NormSpec{prefix + "q_norm", attention.head_dim, epsilon, NormKind::kRms};
    attention.key_norm = NormSpec{prefix + "k_norm", attention.head_dim, epsilon, NormKind::kRms};
  }
  return attention;
}

LayerSpec layer_of(const Member& member, const ConfigReader& reader, const ModelConfig& config, std::int64_t index) {
  const std::int64_t c = config.hidden_size;
  const std::int64_t inner = reader.size("intermediate_size", member.intermediate);
  const double epsilon = reader.number("rms_norm_eps", 1e-6, 1);
  const bool has_bias = reader.flag("mlp_bias", false);
  const std::string prefix = fmt::format("model.layers.{}.", index);
  LayerSpec layer;
  layer.norm_first = true;
  layer.attention = attention_of(member, reader, config, prefix + "self_attn.");
  layer.attention.window = window_of(member, reader, index);
  layer.attention_norm = {prefix + "input_layernorm", c, epsilon, NormKind::kRms};
  layer.feed_forward.gate = linear_spec(prefix + "mlp.gate_proj", c, inner, has_bias);
  layer.feed_forward.in = linear_spec(prefix + "mlp.up_proj", c, inner, has_bias);
  layer.feed_forward.out = linear_spec(prefix + "mlp.down_proj", inner, c, has_bias);
  layer.feed_forward.activation = reader.activation("hidden_act", "silu");
  layer.feed_forward_norm = {prefix + "post_attention_layernorm", c, epsilon, NormKind::kRms};
  return layer;
}

Blueprint draw(const Member& member, const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  Blueprint blueprint;
  blueprint.embedding.words = "model.embed_tokens.weight";
  blueprint.embedding.vocabulary = config.vocab_size;
  blueprint.embedding.padding_row = config.pad_token_id;
  blueprint.embedding.width = config.hidden_size;
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(layer_of(member, reader, config, i));
  }
  blueprint.rotary = read_rotary(reader, head_dim(member, reader, config), config.max_length);
  blueprint.final_norm =
      NormSpec{"model.norm", config.hidden_size, reader.number("rms_norm_eps", 1e-6, 1), NormKind::kRms};
  DecoderHeadNames names;
  names.width = config.hidden_size;
  names.dropout = 0.1;
  finish_decoder(reader, config, names, kind, blueprint);
  return blueprint;
}

Architecture member_architecture(const Member& member, const std::string& family, const std::string& class_prefix) {
  Architecture architecture;
  architecture.family = family;
  architecture.class_prefix = class_prefix;
  architecture.base_prefixes = {"model.", kSpanPrefix};
  architecture.heads = decoder_heads();
  architecture.read = [member](const ConfigReader& reader, ModelConfig& config) { read(member, reader, config); };
  architecture.refused_keys = cache_keys();
  architecture.draw = [member](const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
    return draw(member, reader, config, kind);
  };
  architecture.ignored_tensors = {"score.", "qa_outputs.", "lm_head."};
  architecture.ignored_endings = {".rotary_emb.inv_freq"};
  return architecture;
}

/// {layers, width, heads, key-value heads, inner width}
Json sizes(const std::vector<std::int64_t>& numbers, const Json& more) {
  Json json = {{"num_hidden_layers", numbers[0]},
               {"hidden_size", numbers[1]},
               {"num_attention_heads", numbers[2]},
               {"num_key_value_heads", numbers[3]},
               {"intermediate_size", numbers[4]}};
  json.update(more);
  return json;
}

Json rotary(double theta) {
  return {{"rope_theta", theta}, {"rope_type", "default"}};
}

}  // namespace

Architecture llama_architecture() {
  Architecture llama = member_architecture(kLlama, "llama", "Llama");
  llama.span_prefix = kSpanPrefix;
  const Json llama3 = {{"rope_type", "llama3"},  {"rope_theta", 500000.0},  {"factor", 32.0},
                       {"low_freq_factor", 1.0}, {"high_freq_factor", 4.0}, {"original_max_position_embeddings", 8192}};
  llama.presets = {{"llama-test", sizes({2, 64, 4, 2, 128}, {{"vocab_size", 4096}, {"max_position_embeddings", 256}})},
                   {"smollm2-135m", sizes({30, 576, 9, 3, 1536}, {{"vocab_size", 49152},
                                                                  {"max_position_embeddings", 8192},
                                                                  {"rms_norm_eps", 1e-5},
                                                                  {"rope_parameters", rotary(100000)},
                                                                  {"tie_word_embeddings", true}})},
                   {"tinyllama-1.1b", sizes({22, 2048, 32, 4, 5632}, {{"rms_norm_eps", 1e-5}})},
                   {"llama-3.2-1b", sizes({16, 2048, 32, 8, 8192}, {{"vocab_size", 128256},
                                                                    {"max_position_embeddings", 131072},
                                                                    {"rms_norm_eps", 1e-5},
                                                                    {"rope_parameters", llama3},
                                                                    {"tie_word_embeddings", true}})}};
  return llama;
}

Architecture qwen2_architecture() {
  Architecture qwen2 = member_architecture(kQwen2, "qwen2", "Qwen2");
  qwen2.span_prefix = kSpanPrefix;
  qwen2.presets = {{"qwen2.5-0.5b", sizes({24, 896, 14, 2, 4864}, {{"vocab_size", 151936},
                                                                   {"max_position_embeddings", 32768},
                                                                   {"rope_parameters", rotary(1000000)},
                                                                   {"eos_token_id", 151643},
                                                                   {"tie_word_embeddings", true}})},
                   {"qwen2.5-1.5b", sizes({28, 1536, 12, 2, 8960}, {{"vocab_size", 151936},
                                                                    {"max_position_embeddings", 131072},
                                                                    {"rope_parameters", rotary(1000000)},
                                                                    {"eos_token_id", 151643},
                                                                    {"tie_word_embeddings", true}})}};
  return qwen2;
}

Architecture qwen3_architecture() {
  Architecture qwen3 = member_architecture(kQwen3, "qwen3", "Qwen3");
  qwen3.span_prefix = kSpanPrefix;
  qwen3.presets = {{"qwen3-0.6b", sizes({28, 1024, 16, 8, 3072}, {{"vocab_size", 151936},
                                                                  {"head_dim", 128},
                                                                  {"max_position_embeddings", 40960},
                                                                  {"rope_parameters", rotary(1000000)},
                                                                  {"eos_token_id", 151645},
                                                                  {"tie_word_embeddings", true}})}};
  return qwen3;
}

Architecture mistral_architecture() {
  Architecture mistral = member_architecture(kMistral, "mistral", "Mistral");
  mistral.presets = {{"mistral-7b", sizes({32, 4096, 32, 8, 14336}, {{"vocab_size", 32000},
                                                                     {"max_position_embeddings", 32768},
                                                                     {"rms_norm_eps", 1e-5},
                                                                     {"sliding_window", 4096}})}};
  return mistral;
}

}  // namespace transformeter
