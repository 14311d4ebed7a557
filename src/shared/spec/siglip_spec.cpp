// SigLIP (Zhai et al. 2023, arXiv:2303.15343): towers as CLIP has them, for texts that are all of one length and see
// their padding, and for images, of whose patches a learnt query makes one vector. A checkpoint holds both towers
// (model type siglip) or one. Keys, defaults and names as in transformers/models/siglip.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "spec/architecture.h"
#include "spec/decoder_spec.h"
#include "spec/tower_spec.h"
#include "spec/two_towers.h"

namespace transformeter {
namespace {

const std::string kBothTowers = "siglip";
const std::string kTextTower = "siglip_text_model";
const std::string kVisionTower = "siglip_vision_model";

const std::string kScale = "logit_scale";
const std::string kBias = "logit_bias";

ConfigReader part_of(const ConfigReader& file, const std::string& key) {
  static const Json kDefaults = Json::object();
  const Json* part = file.find(key);
  return {part == nullptr ? kDefaults : *part, file.field(key)};
}

TowerSizes sizes_of(const ConfigReader& tower) {
  return read_tower_sizes(
      tower,
      {.width = 768, .inner = 3072, .heads = 12, .layers = 12, .epsilon = 1e-6, .activation = Activation::kGeluTanh});
}

std::int64_t vector_size_of(const ConfigReader& text) {
  return text.size("projection_size", sizes_of(text).width);
}

Blueprint draw_text(const ConfigReader& tower, const ModelConfig& config) {
  const std::string prefix = "text_model.";
  const TowerSizes sizes = sizes_of(tower);
  Blueprint blueprint;
  blueprint.embedding = tower_words(config, prefix + "embeddings.", sizes.width);
  add_tower_layers(sizes, prefix, blueprint);
  blueprint.final_norm = NormSpec{prefix + "final_layer_norm", sizes.width, sizes.epsilon};
  blueprint.head.selection = Selection::kLast;
  blueprint.head.output = linear_spec(prefix + "head", sizes.width, vector_size_of(tower));
  tower.require("is_causal", false, "a token of a text sees all others");
  return blueprint;
}

// As torch.nn.MultiheadAttention stores them: one matrix below the other.
LinearSpec packed_inputs(const std::string& prefix, std::int64_t width, std::int64_t first_row, std::int64_t rows) {
  LinearSpec part;
  part.weight = prefix + "in_proj_weight";
  part.bias = prefix + "in_proj_bias";
  part.in = width;
  part.out = rows;
  part.first_row = first_row;
  part.stored_rows = 3 * width;
  return part;
}

ProbeSpec probe_of(const TowerSizes& sizes, const std::string& prefix) {
  const std::int64_t c = sizes.width;
  const std::string attention = prefix + "attention.";
  ProbeSpec probe;
  probe.query = prefix + "probe";
  probe.attention.heads = probe.attention.key_value_heads = sizes.heads;
  probe.attention.head_dim = c / sizes.heads;
  probe.attention.inputs = {packed_inputs(attention, c, 0, c), packed_inputs(attention, c, c, 2 * c)};
  probe.attention.output = linear_spec(attention + "out_proj", c, c);
  probe.norm = {prefix + "layernorm", c, sizes.epsilon};
  probe.feed_forward = tower_feed_forward(sizes, prefix);
  return probe;
}

PatchSpec patches_of(const ConfigReader& tower, std::int64_t width) {
  constexpr std::int64_t kUsualPatch = 16;
  return tower_patches(tower, "vision_model.embeddings.", width, kUsualPatch);
}

Blueprint draw_vision(const ConfigReader& tower) {
  const std::string prefix = "vision_model.";
  const TowerSizes sizes = sizes_of(tower);
  Blueprint blueprint;
  blueprint.embedding.width = sizes.width;
  blueprint.embedding.patches = patches_of(tower, sizes.width);
  add_tower_layers(sizes, prefix, blueprint);
  blueprint.final_norm = NormSpec{prefix + "post_layernorm", sizes.width, sizes.epsilon};
  blueprint.head.selection = Selection::kProbe;
  blueprint.head.probe = probe_of(sizes, prefix + "head.");
  tower.require("vision_use_head", true, "without its head the model makes no vector of an image");
  return blueprint;
}

void read_text(const ConfigReader& tower, ModelConfig& config) {
  take_sizes(sizes_of(tower), config);
  config.vocab_size = tower.integer("vocab_size", 32000, 1, kMaxVocabulary);
  config.max_length = tower.integer("max_position_embeddings", 64, 1, kMaxPositions);
  config.filled_length = config.max_length;
  tower.ignore({"initializer_range", "pad_token_id", "bos_token_id", "eos_token_id"});
}

void read_vision(const ConfigReader& tower, ModelConfig& config) {
  const TowerSizes sizes = sizes_of(tower);
  take_sizes(sizes, config);
  take_image(patches_of(tower, sizes.width), config);
  tower.ignore({"initializer_range"});
}

void check_vector_sizes(const ConfigReader& text, const ConfigReader& vision) {
  const std::int64_t of_images = sizes_of(vision).width, of_texts = vector_size_of(text);
  if (of_texts == of_images) return;
  if (text.find("projection_size") == nullptr) {
    throw vision.bad("hidden_size", of_images,
                     fmt::format("{}, the hidden_size of text_config, where that has no projection_size", of_texts));
  }
  throw text.bad("projection_size", of_texts,
                 fmt::format("hidden_size {} of vision_config, which a text's vector is held against", of_images));
}

// Sizes that a model has once are those of its texts, so these are read last. Drawing asks for all keys; others are
// unknown then.
void read_both(const ConfigReader& file, ModelConfig& config) {
  const ConfigReader text = part_of(file, "text_config"), vision = part_of(file, "vision_config");
  read_vision(vision, config);
  read_text(text, config);
  check_vector_sizes(text, vision);
  draw_text(text, config);
  draw_vision(vision);
  for (const auto& [tower, name] : {std::pair(&text, "text_config."), std::pair(&vision, "vision_config.")}) {
    check_what_changes_the_maths(*tower, *config.architecture);
    note_unknown_keys(*tower, name, config);
  }
}

PairLogitsSpec logits() {
  return {.scale = kScale, .bias = kBias, .has_axis = true, .loss = PairLoss::kSigmoid};
}

Blueprint draw_both(const ConfigReader& file, const ModelConfig& config, HeadKind kind) {
  const ConfigReader text = part_of(file, "text_config"), vision = part_of(file, "vision_config");
  if (kind == HeadKind::kNone) return draw_text(text, config);
  const std::int64_t vector_size = vector_size_of(text);
  // As SiglipModel's logits_per_text, and its logits_per_image, the texts' side of it computed before.
  if (kind == HeadKind::kPairs) {
    return with_text_tower(draw_vision(vision), draw_text(text, config), logits(), vector_size);
  }
  if (kind == HeadKind::kSimilarities) {
    return with_named_classes(draw_vision(vision), config.num_labels, logits(), vector_size);
  }
  return draw_vision(vision);
}

Json towers(const Json& tower, std::int64_t patch, std::int64_t image) {
  Json vision = tower;
  vision["patch_size"] = patch;
  vision["image_size"] = image;
  return {{"text_config", tower}, {"vision_config", std::move(vision)}};
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

Architecture siglip_architecture() {
  Architecture siglip = family(kBothTowers, "Siglip");
  siglip.heads = {HeadKind::kImageFeatures, HeadKind::kNone, HeadKind::kSimilarities, HeadKind::kPairs};
  siglip.read = read_both;
  siglip.draw = draw_both;
  siglip.ignored_tensors = {kScale, kBias};
  siglip.unread_parameters = [](const ModelConfig&) {
    return std::vector<TensorSpec>{{kScale, {1}, Initialization::kZeros, ""}, {kBias, {1}, Initialization::kZeros, ""}};
  };
  Json test = towers(tower_settings(2, 64, 2), 8, 32);
  test["text_config"]["vocab_size"] = 4096;
  siglip.presets = {{"siglip-test", test}, {"siglip-base", towers(tower_settings(12, 768, 12), 16, 224)}};
  return siglip;
}

Architecture siglip_text_architecture() {
  Architecture siglip = family(kTextTower, "SiglipText");
  siglip.base_prefixes = {"text_model."};
  siglip.heads = {HeadKind::kNone};
  siglip.read = read_text;
  siglip.draw = [](const ConfigReader& file, const ModelConfig& config, HeadKind) { return draw_text(file, config); };
  return siglip;
}

Architecture siglip_vision_architecture() {
  Architecture siglip = family(kVisionTower, "SiglipVision");
  siglip.base_prefixes = {"vision_model."};
  siglip.heads = {HeadKind::kImageFeatures};
  siglip.read = read_vision;
  siglip.draw = [](const ConfigReader& file, const ModelConfig&, HeadKind) { return draw_vision(file); };
  return siglip;
}

}  // namespace transformeter
