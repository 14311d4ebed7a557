// Whether a model reads no texts, by its config.json alone.
#pragma once

#include <string>

namespace transformeter {

/// Whether a preset, or a folder by its config.json, is of a built-in family that reads images or sounds and no texts;
/// false also for other things than models.
bool is_textless_model(const std::string& model);

}  // namespace transformeter
