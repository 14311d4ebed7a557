// CLIP (Radford et al. 2021, arXiv:2103.00020): a tower for texts, a tower for images, and a matrix each that puts
// their vectors into one space. A checkpoint holds both towers (model type clip) or one. Keys, defaults and names as in
// transformers/models/clip.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "spec/decoder_spec.h"
#include "spec/tower_spec.h"
#include "spec/two_towers.h"

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

TowerSizes text_sizes(const ConfigReader& tower) {
  return read_tower_sizes(tower, {.width = 512, .inner = 2048, .heads = 8, .layers = 12});
}

TowerSizes vision_sizes(const ConfigReader& tower) {
  return read_tower_sizes(tower, {.width = 768, .inner = 3072, .heads = 12, .layers = 12});
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
  blueprint.embedding = tower_words(config, prefix + "embeddings.", sizes.width);
  add_tower_layers(sizes, prefix, blueprint);
  blueprint.final_norm = NormSpec{prefix + "final_layer_norm", sizes.width, sizes.epsilon};
  blueprint.head.selection = Selection::kLast;
  blueprint.head.output = projection(file, config, "text_projection", sizes.width);
  blueprint.end = end_token(tower);
  blueprint.is_causal = true;
  tower.require("is_causal", true, "a token of a text sees none after it");
  return blueprint;
}

PatchSpec patches_of(const ConfigReader& tower, std::int64_t width) {
  constexpr std::int64_t kUsualPatch = 32;
  const std::string prefix = "vision_model.embeddings.";
  PatchSpec patches = tower_patches(tower, prefix, width, kUsualPatch);
  patches.projection.bias.clear();
  patches.first_tokens = {prefix + "class_embedding"};
  return patches;
}

Blueprint draw_vision(const ConfigReader& tower, const ConfigReader& file, const ModelConfig& config) {
  const std::string prefix = "vision_model.";
  const TowerSizes sizes = vision_sizes(tower);
  Blueprint blueprint;
  blueprint.embedding.width = sizes.width;
  blueprint.embedding.patches = patches_of(tower, sizes.width);
  blueprint.embedding.norm = NormSpec{prefix + "pre_layrnorm", sizes.width, sizes.epsilon};
  add_tower_layers(sizes, prefix, blueprint);
  blueprint.head.selection = Selection::kFirst;
  blueprint.head.norm = NormSpec{prefix + "post_layernorm", sizes.width, sizes.epsilon};
  blueprint.head.output = projection(file, config, "visual_projection", sizes.width);
  return blueprint;
}

void read_text(const ConfigReader& tower, ModelConfig& config) {
  take_sizes(text_sizes(tower), config);
  config.vocab_size = tower.integer("vocab_size", 49408, 1, kMaxVocabulary);
  config.max_length = tower.integer("max_position_embeddings", 77, 1, kMaxPositions);
  tower.ignore({"initializer_range", "pad_token_id"});
}

void read_vision(const ConfigReader& tower, ModelConfig& config) {
  const TowerSizes sizes = vision_sizes(tower);
  take_sizes(sizes, config);
  take_image(patches_of(tower, sizes.width), config);
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

PairLogitsSpec logits() {
  return {.scale = kScale, .bias = "", .begins_high = true};
}

// As CLIPModel's logits_per_image, the texts' side of it computed before.
Blueprint draw_zero_shot(const ConfigReader& file, const ModelConfig& config) {
  Blueprint images = draw_vision(part_of(file, "vision_config"), file, config);
  const std::int64_t vector_size = images.head.output->out;
  return with_named_classes(std::move(images), config.num_labels, logits(), vector_size);
}

// As CLIPModel's logits_per_text.
Blueprint draw_pairs(const ConfigReader& file, const ModelConfig& config) {
  Blueprint images = draw_vision(part_of(file, "vision_config"), file, config);
  const std::int64_t vector_size = images.head.output->out;
  return with_text_tower(std::move(images), draw_text(part_of(file, "text_config"), file, config), logits(),
                         vector_size);
}

Blueprint draw_both(const ConfigReader& file, const ModelConfig& config, HeadKind kind) {
  if (kind == HeadKind::kPairs) return draw_pairs(file, config);
  if (kind == HeadKind::kNone) return draw_text(part_of(file, "text_config"), file, config);
  if (kind == HeadKind::kSimilarities) return draw_zero_shot(file, config);
  return draw_vision(part_of(file, "vision_config"), file, config);
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
  Json test = towers(tower_settings(2, 64, 2), tower_settings(2, 64, 2), 8, 32, 48);
  test["text_config"]["vocab_size"] = 4096;
  clip.presets = {{"clip-test", test},
                  {"clip-base", towers(tower_settings(12, 512, 8), tower_settings(12, 768, 12), 32, 224, 512)},
                  {"clip-large", towers(tower_settings(12, 768, 12), tower_settings(24, 1024, 16), 14, 224, 768)}};
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
