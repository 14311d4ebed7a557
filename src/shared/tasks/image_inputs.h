// From images to what a model reads.
#pragma once

#include <string>

#include "images/image_processor.h"
#include "spec/model_config.h"

namespace transformeter {

/// That of a checkpoint's folder `model`, from its preprocessor_config.json; of a preset, which is not `trained`, ViT's
/// usual one for the preset's image size. `config` is of a model that reads images. Throws Error(kBadInput) for a file
/// that is missing or cannot be read, and where images become other than the model's size; Error(kUnsupported) for a
/// model that does not read red, green and blue.
ImageProcessor model_image_processor(const std::string& model, const ModelConfig& config, bool is_trained);

}  // namespace transformeter
