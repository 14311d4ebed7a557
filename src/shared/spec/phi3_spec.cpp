// Phi-3 (Abdin et al. 2024, arXiv:2404.14219), also Phi-3.5-mini and Phi-4-mini: Llama's layers with query, key and
// value in one matrix, gate and input of the feed-forward network in another, and a rotation that may leave out the
// last dimensions of each head. Names and defaults as in transformers/models/phi3.
#include <fmt/format.h>

#include "spec/decoder_spec.h"
#include "spec/read_rotary.h"

namespace transformeter {
namespace {

constexpr std::int64_t kPositions = 4096;
constexpr std::int64_t kPaddingId = 32000;

std::int64_t head_dim(const ConfigReader& reader, const ModelConfig& config) {
  return rotated_head_dim(reader, config.hidden_size / config.num_heads);
}

// The configuration class has a value beside the parameters in any case, which counts more than theirs.
std::int64_t original_positions(const ConfigReader& reader) {
  return reader.integer("original_max_position_embeddings", kPositions, 2, kMaxPositions);
}

RotarySpec rotary_of(const ConfigReader& reader, const ModelConfig& config) {
  return read_rotary(reader, head_dim(reader, config), config.max_length,
                     {.turns_part = true, .has_longrope_only = true, .original_positions = original_positions(reader)});
}

void read(const ConfigReader& reader, ModelConfig& config) {
  config.vocab_size = reader.integer("vocab_size", 32064, 1, kMaxVocabulary);
  config.hidden_size = reader.size("hidden_size", 3072);
  config.num_layers = reader.integer("num_hidden_layers", 32, 1, kMaxLayers);
  config.num_heads = reader.size("num_attention_heads", 32);
  config.max_length = reader.integer("max_position_embeddings", kPositions, 1, kMaxPositions);
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
  config.pad_token_id = kPaddingId;
  if (!reader.has("pad_token_id") && config.vocab_size <= kPaddingId) {
    throw reader.bad("vocab_size", config.vocab_size,
                     fmt::format("above {}, or a pad_token_id, which is {} by default", kPaddingId, kPaddingId));
  }
  reader.ignore({"embd_pdrop"});  // the original drops nothing there
  if (const double share = reader.number("resid_pdrop", 0, 1); share > 0) {
    throw reader.unsupported("resid_pdrop", share, "what parts of a layer add is not dropped");
  }
  if (config.hidden_size < config.num_heads) {
    throw reader.bad("hidden_size", config.hidden_size,
                     fmt::format("at least num_attention_heads {}", config.num_heads));
  }
  reader.require("token_classification_bias", true, "the classifier of tokens has a bias");
  if (depends_on_length(rotary_of(reader, config))) config.cache_limit = original_positions(reader);
}

AttentionSpec attention_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  AttentionSpec attention = grouped_attention(
      reader, config, prefix,
      {.key_value_heads = config.num_heads, .head_dim = head_dim(reader, config), .has_input_bias = false});
  const std::int64_t width = (attention.heads + 2 * attention.key_value_heads) * attention.head_dim;
  attention.inputs = {linear_spec(prefix + "qkv_proj", config.hidden_size, width, false)};
  const bool has_window = reader.find("sliding_window") != nullptr;
  attention.window = has_window ? reader.integer("sliding_window", kPositions, 1, kMaxPositions) : 0;
  return attention;
}

LayerSpec layer_of(const ConfigReader& reader, const ModelConfig& config, std::int64_t index) {
  const std::int64_t c = config.hidden_size;
  const std::int64_t inner = reader.size("intermediate_size", 8192);
  const double epsilon = reader.number("rms_norm_eps", 1e-5, 1);
  const std::string prefix = fmt::format("model.layers.{}.", index);
  LayerSpec layer;
  layer.norm_first = true;
  layer.attention = attention_of(reader, config, prefix + "self_attn.");
  layer.attention_norm = {prefix + "input_layernorm", c, epsilon, NormKind::kRms};
  layer.feed_forward.in = linear_spec(prefix + "mlp.gate_up_proj", c, 2 * inner, false);
  layer.feed_forward.holds_gate = true;
  layer.feed_forward.out = linear_spec(prefix + "mlp.down_proj", inner, c, false);
  layer.feed_forward.activation = reader.activation("hidden_act", "silu");
  layer.feed_forward_norm = {prefix + "post_attention_layernorm", c, epsilon, NormKind::kRms};
  return layer;
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  Blueprint blueprint;
  blueprint.embedding.words = "model.embed_tokens.weight";
  blueprint.embedding.vocabulary = config.vocab_size;
  blueprint.embedding.padding_row = config.pad_token_id;
  blueprint.embedding.width = config.hidden_size;
  for (std::int64_t i = 0; i < config.num_layers; ++i) blueprint.layers.push_back(layer_of(reader, config, i));
  blueprint.rotary = rotary_of(reader, config);
  blueprint.cache_limit = config.cache_limit;
  blueprint.final_norm =
      NormSpec{"model.norm", config.hidden_size, reader.number("rms_norm_eps", 1e-5, 1), NormKind::kRms};
  DecoderHeadNames names;
  names.width = config.hidden_size;
  names.dropout = reader.number("classifier_dropout", reader.number("hidden_dropout", 0.1, 1), 1);
  finish_decoder(reader, config, names, kind, blueprint);
  return blueprint;
}

Json sizes(std::int64_t layers, std::int64_t width, std::int64_t heads, std::int64_t inner) {
  return {{"num_hidden_layers", layers},
          {"hidden_size", width},
          {"num_attention_heads", heads},
          {"num_key_value_heads", heads},
          {"intermediate_size", inner}};
}

}  // namespace

Architecture phi3_architecture() {
  Architecture phi3;
  phi3.family = "phi3";
  phi3.class_prefix = "Phi3";
  phi3.base_prefixes = {"model."};
  phi3.heads = {HeadKind::kNextToken, HeadKind::kSequenceClasses, HeadKind::kTokenClasses, HeadKind::kNone};
  phi3.read = read;
  phi3.draw = draw;
  phi3.refused_keys = cache_keys();
  phi3.ignored_tensors = {"score.", "lm_head."};
  phi3.ignored_endings = {".rotary_emb.inv_freq"};
  Json test = sizes(2, 64, 4, 128);
  test.update({{"vocab_size", 4096},
               {"max_position_embeddings", 256},
               {"partial_rotary_factor", 0.75},
               {"pad_token_id", 0},
               {"eos_token_id", 2}});
  Json mini = sizes(32, 3072, 32, 8192);
  mini["sliding_window"] = 2047;
  phi3.presets = {{"phi3-test", test}, {"phi-3-mini", mini}};
  return phi3;
}

}  // namespace transformeter
