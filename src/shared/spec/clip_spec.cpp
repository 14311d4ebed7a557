// CLIP (Radford et al. 2021, arXiv:2103.00020): a tower for texts, a tower for images, and a matrix each that puts
// their vectors into one space. A checkpoint holds both towers (model type clip) or one. Keys, defaults and names as in
// transformers/models/clip.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "spec/decoder_spec.h"
#include "spec/encoder_spec.h"

namespace transformeter {
namespace {

const std::string kBothTowers = "clip";
const std::string kTextTower = "clip_text_model";
const std::string kVisionTower = "clip_vision_model";

// Of a tower whose settings are a part of the file. Files of before 2023 may hold them twice, and Transformers takes
// those of the key with _dict then.
ConfigReader part_of(const ConfigReader& file, const std::string& key) {
  static const Json kDefaults = Json::object();
  const Json* part = file.find(key);
  const Json* older = file.find(key + "_dict");
  if (older != nullptr) return {*older, file.field(key + "_dict")};
  return {part == nullptr ? kDefaults : *part, file.field(key)};
}

struct TowerSizes {
  std::int64_t width = 0;
  std::int64_t inner = 0;
  std::int64_t heads = 0;
  std::int64_t layers = 0;
  double epsilon = 1e-5;
  double dropout = 0;  // of the shares of attention
  Activation activation = Activation::kQuickGelu;
};

TowerSizes read_sizes(const ConfigReader& tower, const TowerSizes& usual) {
  TowerSizes sizes;
  sizes.width = tower.size("hidden_size", usual.width);
  sizes.inner = tower.size("intermediate_size", usual.inner);
  sizes.heads = tower.size("num_attention_heads", usual.heads);
  sizes.layers = tower.integer("num_hidden_layers", usual.layers, 1, kMaxLayers);
  sizes.epsilon = tower.number("layer_norm_eps", usual.epsilon, 1);
  sizes.dropout = tower.number("attention_dropout", usual.dropout, 1);
  sizes.activation = tower.activation("hidden_act", "quick_gelu");
  if (sizes.width % sizes.heads != 0) {
    throw tower.bad("hidden_size", sizes.width, fmt::format("a multiple of num_attention_heads {}", sizes.heads));
  }
  return sizes;
}

TowerSizes text_sizes(const ConfigReader& tower) {
  return read_sizes(tower, {.width = 512, .inner = 2048, .heads = 8, .layers = 12});
}

TowerSizes vision_sizes(const ConfigReader& tower) {
  return read_sizes(tower, {.width = 768, .inner = 3072, .heads = 12, .layers = 12});
}

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
  layer.feed_forward.in = linear_spec(prefix + "mlp.fc1", c, sizes.inner);
  layer.feed_forward.out = linear_spec(prefix + "mlp.fc2", sizes.inner, c);
  layer.feed_forward.activation = sizes.activation;
  layer.feed_forward_norm = {prefix + "layer_norm2", c, sizes.epsilon};
  return layer;
}

void add_layers(const TowerSizes& sizes, const std::string& prefix, Blueprint& blueprint) {
  for (std::int64_t i = 0; i < sizes.layers; ++i) {
    blueprint.layers.push_back(layer_of(sizes, fmt::format("{}encoder.layers.{}.", prefix, i)));
  }
}

// A tower alone may come without: which class saved it says so. The width is the whole file's, not the tower's.
std::optional<LinearSpec> projection(const ConfigReader& file, const ModelConfig& config, const std::string& name,
                                     std::int64_t width) {
  const std::int64_t common = file.size("projection_dim", 512);
  const std::vector<std::string>& classes = config.architectures;
  const bool is_there = config.family() == kBothTowers ||
                        std::any_of(classes.begin(), classes.end(),
                                    [](const std::string& one) { return one.ends_with("WithProjection"); });
  return is_there ? std::optional(linear_spec(name, width, common, false)) : std::nullopt;
}

// Until 2023 files said 2, whatever the tokenizer's was: Transformers looks for the largest ID then, which is what the
// original has as its mark.
EndToken end_token(const ConfigReader& tower) {
  constexpr std::int64_t kUnsaid = 2;
  const std::int64_t id = tower.integer("eos_token_id", 49407, 0, kMaxVocabulary);
  return id == kUnsaid ? EndToken{} : EndToken{id};
}

Blueprint draw_text(const ConfigReader& tower, const ConfigReader& file, const ModelConfig& config) {
  const std::string prefix = "text_model.";
  const TowerSizes sizes = text_sizes(tower);
  Blueprint blueprint;
  EmbeddingSpec& embedding = blueprint.embedding;
  embedding.words = prefix + "embeddings.token_embedding.weight";
  embedding.vocabulary = config.vocab_size;
  embedding.width = sizes.width;
  embedding.positions = prefix + "embeddings.position_embedding.weight";
  embedding.position_rows = config.max_length;
  add_layers(sizes, prefix, blueprint);
  blueprint.final_norm = NormSpec{prefix + "final_layer_norm", sizes.width, sizes.epsilon};
  blueprint.head.selection = Selection::kLast;
  blueprint.head.output = projection(file, config, "text_projection", sizes.width);
  blueprint.end = end_token(tower);
  blueprint.is_causal = true;
  tower.require("is_causal", true, "a token of a text sees none after it");
  return blueprint;
}

PatchSpec patches_of(const ConfigReader& tower, std::int64_t width) {
  const std::string prefix = "vision_model.embeddings.";
  PatchSpec patches;
  patches.image.channels = tower.integer("num_channels", 3, 1, 64);
  const std::int64_t side = tower.integer("image_size", 224, 1, kMaxImageSide);
  const std::int64_t patch = tower.integer("patch_size", 32, 1, kMaxImageSide);
  if (patch > side) throw tower.bad("patch_size", patch, fmt::format("at most image_size {}", side));
  patches.image.size = {side, side};
  patches.patch = {patch, patch};
  patches.projection = linear_spec(prefix + "patch_embedding", patches.image.channels * patch * patch, width, false);
  patches.first_tokens = {prefix + "class_embedding"};
  patches.positions = prefix + "position_embedding.weight";
  patches.has_batch_axis = false;
  return patches;
}

Blueprint draw_vision(const ConfigReader& tower, const ConfigReader& file, const ModelConfig& config) {
  const std::string prefix = "vision_model.";
  const TowerSizes sizes = vision_sizes(tower);
  Blueprint blueprint;
  blueprint.embedding.width = sizes.width;
  blueprint.embedding.patches = patches_of(tower, sizes.width);
  blueprint.embedding.norm = NormSpec{prefix + "pre_layrnorm", sizes.width, sizes.epsilon};
  add_layers(sizes, prefix, blueprint);
  blueprint.head.selection = Selection::kFirst;
  blueprint.head.norm = NormSpec{prefix + "post_layernorm", sizes.width, sizes.epsilon};
  blueprint.head.output = projection(file, config, "visual_projection", sizes.width);
  return blueprint;
}

void take_sizes(const TowerSizes& sizes, ModelConfig& config) {
  config.hidden_size = sizes.width;
  config.num_layers = sizes.layers;
  config.num_heads = sizes.heads;
}

void read_text(const ConfigReader& tower, ModelConfig& config) {
  take_sizes(text_sizes(tower), config);
  config.vocab_size = tower.integer("vocab_size", 49408, 1, kMaxVocabulary);
  config.max_length = tower.integer("max_position_embeddings", 77, 1, kMaxPositions);
  tower.ignore({"initializer_range", "pad_token_id"});
}

void read_vision(const ConfigReader& tower, ModelConfig& config) {
  const TowerSizes sizes = vision_sizes(tower);
  const PatchSpec patches = patches_of(tower, sizes.width);
  take_sizes(sizes, config);
  config.image = patches.image;
  config.max_length = config.image_tokens = patches.tokens();
  tower.ignore({"initializer_range"});
}

// Sizes that a model has once are those of its texts, so these are read last. Drawing asks for all keys; others are
// unknown then.
void read_both(const ConfigReader& file, ModelConfig& config) {
  const ConfigReader text = part_of(file, "text_config"), vision = part_of(file, "vision_config");
  read_vision(vision, config);
  read_text(text, config);
  draw_text(text, file, config);
  draw_vision(vision, file, config);
  for (const auto& [tower, name] : {std::pair(&text, "text_config."), std::pair(&vision, "vision_config.")}) {
    check_what_changes_the_maths(*tower, *config.architecture);
    tower->ignore({"projection_dim"});
    note_unknown_keys(*tower, name, config);
  }
  file.ignore({"logit_scale_init_value"});
}

const std::string kScale = "logit_scale";

// As CLIPModel's logits_per_image, the texts' side of it computed before.
Blueprint draw_zero_shot(const ConfigReader& file, const ModelConfig& config) {
  Blueprint blueprint = draw_vision(part_of(file, "vision_config"), file, config);
  HeadSpec& head = blueprint.head;
  head.normalized = true;
  head.similarities = {linear_spec("zero_shot", head.output->out, config.num_labels, false), kScale};
  return blueprint;
}

// As CLIPModel's logits_per_text.
Blueprint draw_pairs(const ConfigReader& file, const ModelConfig& config) {
  Blueprint blueprint = draw_vision(part_of(file, "vision_config"), file, config);
  Blueprint text = draw_text(part_of(file, "text_config"), file, config);
  blueprint.head.normalized = text.head.normalized = true;
  const std::int64_t vector_size = blueprint.head.output->out;
  blueprint.text_tower = TextTowerSpec{std::move(text.embedding),
                                       std::move(text.layers),
                                       std::move(text.final_norm),
                                       std::move(text.head),
                                       text.end,
                                       kScale,
                                       vector_size};
  return blueprint;
}

Blueprint draw_both(const ConfigReader& file, const ModelConfig& config, HeadKind kind) {
  if (kind == HeadKind::kPairs) return draw_pairs(file, config);
  if (kind == HeadKind::kNone) return draw_text(part_of(file, "text_config"), file, config);
  if (kind == HeadKind::kSimilarities) return draw_zero_shot(file, config);
  return draw_vision(part_of(file, "vision_config"), file, config);
}

Json tower(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  return {{"num_hidden_layers", layers},
          {"hidden_size", width},
          {"num_attention_heads", heads},
          {"intermediate_size", 4 * width}};
}

// As the bundled vocabulary ends a text ([SEP]), which is what a preset reads.
constexpr std::int64_t kEndOfPresets = 3;

Json towers(Json text, Json vision, std::int64_t patch, std::int64_t image, std::int64_t common) {
  text["eos_token_id"] = kEndOfPresets;
  vision["patch_size"] = patch;
  vision["image_size"] = image;
  return {{"text_config", std::move(text)}, {"vision_config", std::move(vision)}, {"projection_dim", common}};
}

Architecture family(const std::string& model_type, const std::string& class_prefix) {
  Architecture architecture;
  architecture.family = model_type;
  architecture.class_prefix = class_prefix;
  architecture.pools_itself = true;
  architecture.refused_keys = cache_keys();
  architecture.ignored_endings = {"embeddings.position_ids"};
  return architecture;
}

}  // namespace

Architecture clip_architecture() {
  Architecture clip = family(kBothTowers, "CLIP");
  clip.heads = {HeadKind::kImageFeatures, HeadKind::kNone, HeadKind::kSimilarities, HeadKind::kPairs};
  clip.read = read_both;
  clip.draw = draw_both;
  clip.ignored_tensors = {kScale};
  clip.unread_parameters = [](const ModelConfig&) {
    return std::vector<TensorSpec>{{kScale, {}, Initialization::kZeros, ""}};
  };
  Json test = towers(tower(2, 64, 2), tower(2, 64, 2), 8, 32, 48);
  test["text_config"]["vocab_size"] = 4096;
  clip.presets = {{"clip-test", test},
                  {"clip-base", towers(tower(12, 512, 8), tower(12, 768, 12), 32, 224, 512)},
                  {"clip-large", towers(tower(12, 768, 12), tower(24, 1024, 16), 14, 224, 768)}};
  return clip;
}

Architecture clip_text_architecture() {
  Architecture clip = family(kTextTower, "CLIPText");
  clip.base_prefixes = {"text_model."};
  clip.heads = {HeadKind::kNone};
  clip.read = read_text;
  clip.draw = [](const ConfigReader& file, const ModelConfig& config, HeadKind) {
    return draw_text(file, file, config);
  };
  clip.ignored_tensors = {"text_projection."};
  return clip;
}

Architecture clip_vision_architecture() {
  Architecture clip = family(kVisionTower, "CLIPVision");
  clip.base_prefixes = {"vision_model."};
  clip.heads = {HeadKind::kImageFeatures};
  clip.read = read_vision;
  clip.draw = [](const ConfigReader& file, const ModelConfig& config, HeadKind) {
    return draw_vision(file, file, config);
  };
  clip.ignored_tensors = {"visual_projection."};
  return clip;
}

}  // namespace transformeter
