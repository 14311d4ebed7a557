// Named model sizes, for measuring without a checkpoint: a preset is a configuration, its weights are seeded random.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/model_config.h"

namespace transformeter {

/// Of the built-in families, smallest first within each. The sizes are the published ones; those that end in "-test"
/// are ours, small enough for tests.
std::vector<std::string> preset_names();

/// Throws Error(kBadInput) that lists the names when `name` is none of them.
ModelConfig preset(std::string_view name);

/// A preset's name wins over a folder of the same name; "./NAME" means the folder.
bool is_preset(std::string_view name);

/// What hubs call a model of a preset's size.
struct PresetAlias {
  std::string_view alias;
  std::string_view preset;
};
std::span<const PresetAlias> preset_aliases();

/// The preset that a user means by `model`: of one of these names, where no file or folder has it, the preset; else
/// `model` itself. For measuring alone: elsewhere such a name asks for trained weights, which a preset has not.
std::string typed_preset(const std::string& model);

}  // namespace transformeter
