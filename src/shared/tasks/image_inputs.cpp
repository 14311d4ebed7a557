// What a processor gives must be what the model was trained on.
#include "tasks/image_inputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "datasets/image_data.h"

namespace transformeter {

ImageProcessorOptions usual_image_processor(const ImageShape& image) {
  ImageProcessorOptions usual = default_image_processor_options(image.size.height);
  usual.size = ImageSize{image.size.height, image.size.width};
  return usual;
}

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
  const std::filesystem::path file = std::filesystem::path(model) / kImageProcessorFile;
  std::error_code code;
  if (is_trained && !std::filesystem::exists(file, code)) {
    throw refused_value("model folder", model,
                        "it has no preprocessor_config.json, which says how images become pixel values",
                        "Copy it from where the model was published");
  }
  ImageProcessor processor = is_trained ? ImageProcessor::read(file) : ImageProcessor(usual_image_processor(image));
  const std::optional<ImageSize> size = processor.fixed_size();
  if (size == wanted) return processor;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: images become {}, but config.json has an image_size of {} x {}", file.string(),
                          size ? fmt::format("{} x {} pixels", size->height, size->width) : "images of different sizes",
                          wanted.height, wanted.width));
}

void read_pixels(const Example& example, const ImageProcessor& processor, std::span<float> values) {
  const Image image = image_of(example);
  try {
    processor.process(image, values);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput || example.text.empty()) throw;
    throw Error(ErrorKind::kBadInput, fmt::format("{}: {}", example.text, error.what()));
  }
}

std::int64_t most_images(const ImageShape& image) {
  return kMostPixelBytes / (image.values() * static_cast<std::int64_t>(sizeof(float)));
}

void check_image_room(const Case& the_case, const ModelConfig& config, std::int64_t images) {
  const std::int64_t most = most_images(*config.image);
  if (images <= most) return;
  const std::string limit = fmt::format("the {} GiB that a cycle may hold", kMostPixelBytes >> 30);
  if (most == 0) {
    throw Error(ErrorKind::kBadInput, fmt::format("an image of {} x {} pixels alone is more than {}",
                                                  config.image->size.height, config.image->size.width, limit));
  }
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: {} images do not fit into {}; use --{} {} or fewer", the_case.data, images, limit,
                          the_case.has_one_batch() ? "batch-size" : "limit", most));
}

}  // namespace transformeter
