// What the towers of CLIP and SigLIP have in common: pre-norm layers and settings, with the same names and keys.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "spec/blueprint.h"
#include "spec/config_reader.h"
#include "spec/model_config.h"

namespace transformeter {

/// What config.json says of one tower.
struct TowerSizes {
  std::int64_t width = 0;
  std::int64_t inner = 0;
  std::int64_t heads = 0;
  std::int64_t layers = 0;
  double epsilon = 1e-5;
  double dropout = 0;  // of the shares of attention
  Activation activation = Activation::kQuickGelu;
};

/// Keys that are missing have the value of `usual`. Throws Error(kBadInput) for heads that do not divide the width.
TowerSizes read_tower_sizes(const ConfigReader& tower, const TowerSizes& usual);

/// Width, layers and heads of the tower as those of the model.
void take_sizes(const TowerSizes& sizes, ModelConfig& config);

/// PREFIXencoder.layers.0 and so on.
void add_tower_layers(const TowerSizes& sizes, const std::string& prefix, Blueprint& blueprint);

/// PREFIXmlp.fc1 and .fc2.
FeedForwardSpec tower_feed_forward(const TowerSizes& sizes, const std::string& prefix);

/// Square patches of a square image, without class tokens: PREFIXpatch_embedding and .position_embedding. `patch`: the
/// usual side. Throws Error(kBadInput) for patches larger than the image.
PatchSpec tower_patches(const ConfigReader& tower, const std::string& prefix, std::int64_t width, std::int64_t patch);

/// The image, and tokens of it.
void take_image(const PatchSpec& patches, ModelConfig& config);

/// Words and learnt positions: PREFIXtoken_embedding and .position_embedding.
EmbeddingSpec tower_words(const ModelConfig& config, const std::string& prefix, std::int64_t width);

/// A preset's settings; intermediate_size is 4 · hidden_size.
Json tower_settings(std::int64_t layers, std::int64_t width, std::int64_t heads);

}  // namespace transformeter
