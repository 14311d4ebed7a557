// Checked before a run, so that an image of the wrong size never reaches a model.
#include "tasks/image_inputs.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"

namespace transformeter {

ImageProcessor model_image_processor(const std::string& model, const ModelConfig& config, bool is_trained) {
  if (!config.image) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("family '{}' does not say how large its images are", config.family()));
  }
  const ImageShape& image = *config.image;
  if (image.channels != kImageChannels) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the model reads {} channels, but images have {}: red, green and blue", image.channels,
                            kImageChannels));
  }
  const ImageSize wanted{image.size.height, image.size.width};
  ImageProcessorOptions usual = default_image_processor_options(wanted.height);
  usual.size = wanted;
  const std::filesystem::path file = std::filesystem::path(model) / "preprocessor_config.json";
  ImageProcessor processor = is_trained ? ImageProcessor::read(file) : ImageProcessor(usual);
  const std::optional<ImageSize> size = processor.fixed_size();
  if (size == wanted) return processor;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: images become {}, but config.json has an image_size of {} x {}", file.string(),
                          size ? fmt::format("{} x {} pixels", size->height, size->width) : "as large as they are",
                          wanted.height, wanted.width));
}

}  // namespace transformeter
