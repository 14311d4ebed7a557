// From images to what a model reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "datasets/dataset.h"
#include "images/image_processor.h"
#include "schema/case.h"
#include "spec/model_config.h"

namespace transformeter {

/// What the images of a preset go through, which has no preprocessor_config.json: ViT's usual steps, to its image size.
ImageProcessorOptions usual_image_processor(const ImageShape& image);

/// That of a checkpoint's folder `model`, from its preprocessor_config.json; of a preset, which is not `trained`, ViT's
/// usual one for the preset's image size. `config` is of a model that reads images. Throws Error(kBadInput) for a file
/// that is missing or cannot be read, and where images become other than the model's size; Error(kUnsupported) for a
/// model that does not read red, green and blue.
ImageProcessor model_image_processor(const std::string& model, const ModelConfig& config, bool is_trained);

/// Decodes an example and processes it into `values`, [channels, height, width]. Throws Error(kBadInput) naming the
/// example's file, if it has one.
void read_pixels(const Example& example, const ImageProcessor& processor, std::span<float> values);

/// The most pixel values that a cycle may hold, in bytes: all of them lie in memory while it is measured, and up to
/// three times while it is prepared.
inline constexpr std::int64_t kMostPixelBytes = std::int64_t{1} << 30;

/// Images of this shape that a cycle may hold; may be 0.
std::int64_t most_images(const ImageShape& image);

/// Throws Error(kBadInput) where a cycle of so many images of a case would hold more.
void check_image_room(const Case& the_case, const ModelConfig& config, std::int64_t images);

}  // namespace transformeter
