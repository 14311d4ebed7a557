// ViT (Dosovitskiy et al. 2020, arXiv:2010.11929): patches of an image as tokens of pre-norm layers; and DeiT (Touvron
// et al. 2020, arXiv:2012.12877). Keys and defaults as in transformers/models/{vit,deit}; tensors have the names that
// checkpoints are published and saved with.
#include <fmt/format.h>

#include "spec/encoder_spec.h"

namespace transformeter {
namespace {

// A number, or height and width.
PixelSize read_size(const ConfigReader& reader, std::string_view key, std::int64_t fallback) {
  const Json* value = reader.find(key);
  if (value == nullptr || !value->is_array()) {
    const std::int64_t side = reader.integer(key, fallback, 1, kMaxImageSide);
    return {side, side};
  }
  const auto side = [&](std::size_t index) {
    const auto number = value->size() == 2 ? whole_number<std::int64_t>(value->at(index)) : std::nullopt;
    if (number && *number >= 1 && *number <= kMaxImageSide) return *number;
    throw reader.bad(key, *value, fmt::format("a number of pixels from 1 to {}, or a list of two", kMaxImageSide));
  };
  return {side(0), side(1)};
}

// DeiT has one, which learnt from another model.
bool has_distillation_token(const ModelConfig& config) {
  return config.family() == "deit";
}

PatchSpec patches_of(const ConfigReader& reader, const ModelConfig& config) {
  PatchSpec patches;
  patches.image.channels = reader.integer("num_channels", 3, 1, 64);
  patches.image.size = read_size(reader, "image_size", 224);
  patches.patch = read_size(reader, "patch_size", 16);
  const std::string prefix = config.family() + ".embeddings.";
  patches.projection =
      linear_spec(prefix + "patch_embeddings.projection",
                  patches.image.channels * patches.patch.height * patches.patch.width, config.hidden_size);
  patches.first_tokens = {prefix + "cls_token"};
  if (has_distillation_token(config)) patches.first_tokens.push_back(prefix + "distillation_token");
  patches.positions = prefix + "position_embeddings";
  return patches;
}

void read(const ConfigReader& reader, ModelConfig& config) {
  config.hidden_size = reader.size("hidden_size", 768);
  config.num_layers = reader.integer("num_hidden_layers", 12, 1, kMaxLayers);
  config.num_heads = reader.size("num_attention_heads", 12);
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
  check_heads(reader, config, "hidden_size", "num_attention_heads");
  constexpr const char* kSingleLabel = "single_label_classification";
  const std::string problem = reader.text("problem_type", kSingleLabel);
  if (problem != kSingleLabel) {
    throw reader.unsupported("problem_type", problem, "only one class of an image is computed, by softmax");
  }
  const PatchSpec patches = patches_of(reader, config);
  if (patches.patch.height > patches.image.size.height || patches.patch.width > patches.image.size.width) {
    throw reader.bad("patch_size", Json{patches.patch.height, patches.patch.width}, "no more pixels than image_size");
  }
  config.image = patches.image;
  config.max_length = config.image_tokens = patches.tokens();
  // Of masked image modelling, and of the pooler, which no task here reads.
  reader.ignore({"encoder_stride", "pooler_output_size", "pooler_act"});
}

LayerSpec layer_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  const std::int64_t c = config.hidden_size;
  const std::int64_t inner = reader.size("intermediate_size", 3072);
  const double epsilon = reader.number("layer_norm_eps", 1e-12, 1);
  const bool has_bias = reader.flag("qkv_bias", true);
  LayerSpec layer;
  layer.norm_first = true;
  layer.attention.heads = layer.attention.key_value_heads = config.num_heads;
  layer.attention.head_dim = c / config.num_heads;
  layer.attention.dropout = reader.number("attention_probs_dropout_prob", 0, 1);
  for (const char* part : {"query", "key", "value"}) {
    layer.attention.inputs.push_back(linear_spec(prefix + "attention.attention." + part, c, c, has_bias));
  }
  layer.attention.output = linear_spec(prefix + "attention.output.dense", c, c);
  layer.attention_norm = {prefix + "layernorm_before", c, epsilon};
  layer.feed_forward.in = linear_spec(prefix + "intermediate.dense", c, inner);
  layer.feed_forward.out = linear_spec(prefix + "output.dense", inner, c);
  layer.feed_forward.activation = reader.activation("hidden_act", "gelu");
  layer.feed_forward_norm = {prefix + "layernorm_after", c, epsilon};
  return layer;
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  const std::int64_t c = config.hidden_size;
  Blueprint blueprint;
  blueprint.embedding.width = c;
  blueprint.embedding.patches = patches_of(reader, config);
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(layer_of(reader, config, fmt::format("{}.encoder.layer.{}.", config.family(), i)));
  }
  blueprint.final_norm = NormSpec{config.family() + ".layernorm", c, reader.number("layer_norm_eps", 1e-12, 1)};
  blueprint.head.selection = Selection::kFirst;
  if (kind == HeadKind::kImageClasses) blueprint.head.output = linear_spec("classifier", c, config.num_labels);
  blueprint.hidden_dropout = reader.number("hidden_dropout_prob", 0, 1);
  return blueprint;
}

Json sizes(std::int64_t layers, std::int64_t width, std::int64_t heads, std::int64_t patch, std::int64_t image) {
  return {{"num_hidden_layers", layers},    {"hidden_size", width}, {"num_attention_heads", heads},
          {"intermediate_size", 4 * width}, {"patch_size", patch},  {"image_size", image}};
}

Json with_classes(Json sizes, std::int64_t classes) {
  sizes["num_labels"] = classes;
  return sizes;
}

constexpr std::int64_t kImageNet = 1000;  // classes

// `family` is also the first part of its tensors' names.
Architecture image_encoder(const std::string& family, const std::string& class_prefix) {
  Architecture architecture;
  architecture.family = family;
  architecture.class_prefix = class_prefix;
  architecture.base_prefixes = {family + "."};
  architecture.heads = {HeadKind::kImageClasses, HeadKind::kImageFeatures};
  architecture.read = read;
  architecture.draw = draw;
  architecture.refused_keys = {"head_dim"};  // other heads than the width divided by their number
  architecture.ignored_tensors = {"embeddings.mask_token",   "pooler.", "classifier.", "decoder.", "cls_classifier.",
                                  "distillation_classifier."};
  architecture.pooler = [family](const ModelConfig& config) {
    return linear_spec(family + ".pooler.dense", config.hidden_size, config.hidden_size);
  };
  return architecture;
}

}  // namespace

Architecture vit_architecture() {
  Architecture vit = image_encoder("vit", "ViT");
  vit.presets = {{"vit-test", with_classes(sizes(2, 64, 2, 8, 32), 10)},
                 {"vit-small", with_classes(sizes(12, 384, 6, 16, 224), kImageNet)},
                 {"vit-base", with_classes(sizes(12, 768, 12, 16, 224), kImageNet)}};
  return vit;
}

Architecture deit_architecture() {
  Architecture deit = image_encoder("deit", "DeiT");
  deit.presets = {{"deit-small", with_classes(sizes(12, 384, 6, 16, 224), kImageNet)},
                  {"deit-base", with_classes(sizes(12, 768, 12, 16, 224), kImageNet)}};
  return deit;
}

}  // namespace transformeter
