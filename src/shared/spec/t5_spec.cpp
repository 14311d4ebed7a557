// T5 (Raffel et al. 2019, arXiv:1910.10683), its version 1.1, Flan-T5 and mT5: norms first and without means, no
// biases, scores that are not scaled, and a bias of them by distance that the first layer holds for all. Keys, defaults
// and names as in transformers/models/t5.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/decoder_spec.h"

namespace transformeter {
namespace {

/// Where config.json says nothing.
struct Defaults {
  std::int64_t vocabulary, layers, heads, inner;
  const char* feed_forward;
};
constexpr Defaults kT5{32128, 6, 8, 2048, "relu"};
constexpr Defaults kMt5{250112, 8, 6, 1024, "gated-gelu"};

const Defaults& defaults_of(const ModelConfig& config) {
  return config.family() == "mt5" ? kMt5 : kT5;
}

// Of config.json.
std::optional<std::int64_t> own_start_token(const ConfigReader& reader, const ModelConfig& config) {
  const std::string key = "decoder_start_token_id";
  if (reader.find(key) != nullptr) return reader.integer(key, 0, 0, config.vocab_size - 1);
  return config.family() == "mt5" ? std::optional<std::int64_t>(0) : std::nullopt;
}

// That of generation_config.json comes first, as in generate().
std::optional<std::int64_t> start_token(const ConfigReader& reader, const ModelConfig& config) {
  const std::optional<std::int64_t>& generation = config.generation.start;
  if (generation && *generation >= 0 && *generation < config.vocab_size) return generation;
  return own_start_token(reader, config);
}

// That of config.json comes first, as in _shift_right of T5PreTrainedModel, which reads no other.
std::optional<std::int64_t> training_start_token(const ConfigReader& reader, const ModelConfig& config) {
  const std::optional<std::int64_t> own = own_start_token(reader, config);
  return own ? own : start_token(reader, config);
}

void read(const ConfigReader& reader, ModelConfig& config) {
  const Defaults& usual = defaults_of(config);
  config.vocab_size = reader.integer("vocab_size", usual.vocabulary, 1, kMaxVocabulary);
  config.hidden_size = reader.size("d_model", 512);
  config.num_layers = reader.integer("num_layers", usual.layers, 1, kMaxLayers);
  config.num_heads = reader.size("num_heads", usual.heads);
  config.max_length = kMaxPositions;  // distances have no end
  config.pad_token_id = 0;
  if (!reader.has("eos_token_id")) config.eos_token_ids = {1};
  // Of classifiers; and the length the model was trained with, which binds nobody.
  reader.ignore({"classifier_dropout", "n_positions"});
  // Wrong ones are found here, whether or not a decoder is drawn.
  reader.integer("num_decoder_layers", config.num_layers, 1, kMaxLayers);
  for (const char* key : {"tie_word_embeddings", "scale_decoder_outputs"}) {
    if (reader.find(key) != nullptr) reader.flag(key, true);
  }
  own_start_token(reader, config);
}

// The same everywhere.
double dropout_rate(const ConfigReader& reader) {
  return reader.number("dropout_rate", 0.1, 1);
}

struct FeedForwardKind {
  Activation activation = Activation::kRelu;
  bool is_gated = false;
};

// "relu", "gated-silu" and the like; "gated-gelu" means the tanh approximation. Two more keys say the same in saved
// files, and Transformers obeys them where they differ.
FeedForwardKind feed_forward_kind(const ConfigReader& reader, const Defaults& usual) {
  const std::string key = "feed_forward_proj";
  const std::string kind = reader.text(key, usual.feed_forward);
  const std::string gated = "gated-";
  const bool is_gated = kind.starts_with(gated);
  const std::string activation = is_gated ? kind.substr(gated.size()) : kind;
  if (activation.find('-') != std::string::npos) throw reader.bad(key, kind, "ACTIVATION or gated-ACTIVATION");
  const bool gates = reader.flag("is_gated_act", is_gated);
  if (reader.find("dense_act_fn") != nullptr) return {reader.activation("dense_act_fn", ""), gates};
  const Json named{{key, kind == "gated-gelu" ? "gelu_new" : activation}};
  return {ConfigReader(named, reader.what()).activation(key, ""), gates};
}

NormSpec norm(const ConfigReader& reader, const ModelConfig& config, std::string name) {
  return {std::move(name), config.hidden_size, reader.number("layer_norm_epsilon", 1e-6, 1), NormKind::kRms};
}

AttentionSpec attention_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  AttentionSpec attention;
  attention.heads = attention.key_value_heads = config.num_heads;
  attention.head_dim = reader.size("d_kv", 64);
  const std::int64_t c = config.hidden_size, inner = attention.heads * attention.head_dim;
  for (const char* part : {"q", "k", "v"}) attention.inputs.push_back(linear_spec(prefix + part, c, inner, false));
  attention.output = linear_spec(prefix + "o", inner, c, false);
  attention.score_scale = std::sqrt(static_cast<double>(attention.head_dim));
  attention.dropout = dropout_rate(reader);
  return attention;
}

FeedForwardSpec feed_forward_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  const Defaults& usual = defaults_of(config);
  const FeedForwardKind kind = feed_forward_kind(reader, usual);
  const std::int64_t c = config.hidden_size, inner = reader.size("d_ff", usual.inner);
  FeedForwardSpec network;
  network.activation = kind.activation;
  if (kind.is_gated) network.gate = linear_spec(prefix + "wi_0", c, inner, false);
  network.in = linear_spec(prefix + (kind.is_gated ? "wi_1" : "wi"), c, inner, false);
  network.out = linear_spec(prefix + "wo", inner, c, false);
  network.dropout = dropout_rate(reader);
  return network;
}

LayerSpec layer_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  LayerSpec layer;
  layer.norm_first = true;
  layer.attention = attention_of(reader, config, prefix + "layer.0.SelfAttention.");
  layer.attention_norm = norm(reader, config, prefix + "layer.0.layer_norm");
  layer.feed_forward = feed_forward_of(reader, config, prefix + "layer.1.DenseReluDense.");
  layer.feed_forward_norm = norm(reader, config, prefix + "layer.1.layer_norm");
  return layer;
}

LayerSpec decoder_layer_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  LayerSpec layer = layer_of(reader, config, prefix);
  layer.cross_attention = attention_of(reader, config, prefix + "layer.1.EncDecAttention.");
  layer.cross_attention_norm = norm(reader, config, prefix + "layer.1.layer_norm");
  layer.feed_forward = feed_forward_of(reader, config, prefix + "layer.2.DenseReluDense.");
  layer.feed_forward_norm = norm(reader, config, prefix + "layer.2.layer_norm");
  return layer;
}

enum class Stack { kEncoder, kDecoder };

RelativeBiasSpec bias_of(const ConfigReader& reader, const ModelConfig& config, Stack stack) {
  RelativeBiasSpec bias;
  bias.looks_back = stack == Stack::kDecoder;
  bias.table = std::string(bias.looks_back ? "decoder" : "encoder") +
               ".block.0.layer.0.SelfAttention.relative_attention_bias.weight";
  bias.heads = config.num_heads;
  // In an encoder half of them on each side; half of those on one side are of one distance each.
  bias.rows = bias.buckets = reader.integer("relative_attention_num_buckets", 32, 4, kMaxVocabulary);
  const std::int64_t exact = bias.buckets / (bias.looks_back ? 2 : 4);
  bias.max_distance = reader.integer("relative_attention_max_distance", 128, exact + 1, kMaxPositions);
  return bias;
}

DecoderSpec decoder_of(const ConfigReader& reader, const ModelConfig& config) {
  DecoderSpec decoder;
  const std::int64_t layers = reader.integer("num_decoder_layers", config.num_layers, 1, kMaxLayers);
  for (std::int64_t i = 0; i < layers; ++i) {
    decoder.layers.push_back(decoder_layer_of(reader, config, fmt::format("decoder.block.{}.", i)));
  }
  decoder.relative_bias = bias_of(reader, config, Stack::kDecoder);
  decoder.final_norm = norm(reader, config, "decoder.final_layer_norm");
  decoder.start_token = start_token(reader, config);
  decoder.training_start_token = training_start_token(reader, config);
  return decoder;
}

// Version 1.0 scales what the decoder gives; files of later versions tell that they do not by saying that words are not
// shared. Transformers shares them nevertheless where the checkpoint has no others.
HeadSpec word_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding) {
  const bool says_tied = reader.flag("tie_word_embeddings", true);
  const bool scales = config.family() == "t5" && reader.flag("scale_decoder_outputs", says_tied);
  HeadSpec head;
  if (scales) head.input_scale = 1 / std::sqrt(static_cast<double>(config.hidden_size));
  head.output = linear_spec("lm_head", embedding.width, embedding.vocabulary, false);
  if (says_tied && !config.has_own_decoder) {
    head.output->weight = embedding.words;
    head.output->tied_weight = "lm_head.weight";
  }
  return head;
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  Blueprint blueprint;
  EmbeddingSpec& embedding = blueprint.embedding;
  embedding.words = "shared.weight";
  embedding.vocabulary = config.vocab_size;
  embedding.width = config.hidden_size;
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(layer_of(reader, config, fmt::format("encoder.block.{}.", i)));
  }
  blueprint.relative_bias = bias_of(reader, config, Stack::kEncoder);
  blueprint.final_norm = norm(reader, config, "encoder.final_layer_norm");
  blueprint.hidden_dropout = blueprint.final_dropout = dropout_rate(reader);
  if (kind == HeadKind::kNone) {
    blueprint.head.selection = Selection::kMean;
  } else {
    blueprint.decoder = decoder_of(reader, config);
    blueprint.head = word_head(reader, config, embedding);
  }
  return blueprint;
}

Architecture family(const std::string& model_type, const std::string& class_prefix) {
  Architecture architecture;
  architecture.family = model_type;
  architecture.class_prefix = class_prefix;
  architecture.heads = {HeadKind::kNone, HeadKind::kTargetTokens};
  architecture.read = read;
  architecture.draw = draw;
  architecture.may_have_decoder = true;
  architecture.ignored_tensors = {"decoder.", "lm_head."};
  architecture.copies = {{"shared.weight", {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"}},
                         {"lm_head.weight", {"shared.weight"}}};
  // The original's first versions stored it, and nothing reads it.
  architecture.ignored_endings = {"EncDecAttention.relative_attention_bias.weight"};
  // Names that Transformers takes for others of these keys, where a file has them.
  architecture.refused_keys = {"hidden_size", "num_attention_heads", "num_hidden_layers", "head_dim", "is_causal"};
  for (const std::string& key : cache_keys()) architecture.refused_keys->push_back(key);
  return architecture;
}

/// {layers, width, heads, inner width}
Json sizes(const std::vector<std::int64_t>& numbers, const std::string& feed_forward) {
  return {{"num_layers", numbers[0]},
          {"d_model", numbers[1]},
          {"num_heads", numbers[2]},
          {"d_ff", numbers[3]},
          {"d_kv", 64},
          {"feed_forward_proj", feed_forward},
          {"vocab_size", kT5.vocabulary},
          {"pad_token_id", 0},
          {"eos_token_id", 1},
          {"decoder_start_token_id", 0},
          // Version 1.1 has an output layer of its own.
          {"tie_word_embeddings", feed_forward == "relu"}};
}

}  // namespace

Architecture t5_architecture() {
  Architecture t5 = family("t5", "T5");
  Json test = sizes({2, 64, 2, 128}, "gated-gelu");
  test.update({{"vocab_size", 4096}, {"d_kv", 24}});
  t5.presets = {{"t5-test", test},
                {"t5-small", sizes({6, 512, 8, 2048}, "relu")},
                {"t5-base", sizes({12, 768, 12, 3072}, "relu")},
                {"flan-t5-small", sizes({8, 512, 6, 1024}, "gated-gelu")},
                {"flan-t5-base", sizes({12, 768, 12, 2048}, "gated-gelu")}};
  return t5;
}

Architecture mt5_architecture() {
  return family("mt5", "MT5");
}

}  // namespace transformeter
