// As transformers/models/clip and /siglip name their parts.
#include "spec/tower_spec.h"

#include <fmt/format.h>

#include "base/error.h"

namespace transformeter {
namespace {

LayerSpec layer_of(const TowerSizes& sizes, const std::string& prefix) {
  const std::int64_t c = sizes.width;
  LayerSpec layer;
  layer.norm_first = true;
  layer.attention.heads = layer.attention.key_value_heads = sizes.heads;
  layer.attention.head_dim = c / sizes.heads;
  layer.attention.dropout = sizes.dropout;
  for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
    layer.attention.inputs.push_back(linear_spec(prefix + "self_attn." + part, c, c));
  }
  layer.attention.output = linear_spec(prefix + "self_attn.out_proj", c, c);
  layer.attention_norm = {prefix + "layer_norm1", c, sizes.epsilon};
  layer.feed_forward = tower_feed_forward(sizes, prefix);
  layer.feed_forward_norm = {prefix + "layer_norm2", c, sizes.epsilon};
  return layer;
}

}  // namespace

TowerSizes read_tower_sizes(const ConfigReader& tower, const TowerSizes& usual) {
  TowerSizes sizes;
  sizes.width = tower.size("hidden_size", usual.width);
  sizes.inner = tower.size("intermediate_size", usual.inner);
  sizes.heads = tower.size("num_attention_heads", usual.heads);
  sizes.layers = tower.integer("num_hidden_layers", usual.layers, 1, kMaxLayers);
  sizes.epsilon = tower.number("layer_norm_eps", usual.epsilon, 1);
  sizes.dropout = tower.number("attention_dropout", usual.dropout, 1);
  sizes.activation = tower.activation("hidden_act", std::string(activation_name(usual.activation)));
  if (sizes.width % sizes.heads != 0) {
    throw tower.bad("hidden_size", sizes.width, fmt::format("a multiple of num_attention_heads {}", sizes.heads));
  }
  return sizes;
}

void take_sizes(const TowerSizes& sizes, ModelConfig& config) {
  config.hidden_size = sizes.width;
  config.num_layers = sizes.layers;
  config.num_heads = sizes.heads;
}

void add_tower_layers(const TowerSizes& sizes, const std::string& prefix, Blueprint& blueprint) {
  for (std::int64_t i = 0; i < sizes.layers; ++i) {
    blueprint.layers.push_back(layer_of(sizes, fmt::format("{}encoder.layers.{}.", prefix, i)));
  }
}

FeedForwardSpec tower_feed_forward(const TowerSizes& sizes, const std::string& prefix) {
  FeedForwardSpec feed_forward;
  feed_forward.in = linear_spec(prefix + "mlp.fc1", sizes.width, sizes.inner);
  feed_forward.out = linear_spec(prefix + "mlp.fc2", sizes.inner, sizes.width);
  feed_forward.activation = sizes.activation;
  return feed_forward;
}

PatchSpec tower_patches(const ConfigReader& tower, const std::string& prefix, std::int64_t width, std::int64_t patch) {
  PatchSpec patches;
  patches.image.channels = tower.integer("num_channels", 3, 1, 64);
  const std::int64_t side = tower.integer("image_size", 224, 1, kMaxImageSide);
  patch = tower.integer("patch_size", patch, 1, kMaxImageSide);
  if (patch > side) throw tower.bad("patch_size", patch, fmt::format("at most image_size {}", side));
  patches.image.size = {side, side};
  patches.patch = {patch, patch};
  patches.projection = linear_spec(prefix + "patch_embedding", patches.image.channels * patch * patch, width);
  patches.positions = prefix + "position_embedding.weight";
  patches.has_batch_axis = false;
  return patches;
}

void take_image(const PatchSpec& patches, ModelConfig& config) {
  config.image = patches.image;
  config.max_length = config.image_tokens = patches.tokens();
}

EmbeddingSpec tower_words(const ModelConfig& config, const std::string& prefix, std::int64_t width) {
  EmbeddingSpec embedding;
  embedding.words = prefix + "token_embedding.weight";
  embedding.vocabulary = config.vocab_size;
  embedding.width = width;
  embedding.positions = prefix + "position_embedding.weight";
  embedding.position_rows = config.max_length;
  return embedding;
}

Json tower_settings(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  return {{"num_hidden_layers", layers},
          {"hidden_size", width},
          {"num_attention_heads", heads},
          {"intermediate_size", 4 * width}};
}

}  // namespace transformeter
