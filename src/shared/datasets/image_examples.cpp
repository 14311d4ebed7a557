// Which of the forms a path has.
#include "datasets/image_examples.h"

#include <fmt/format.h>

#include "base/error.h"
#include "datasets/cifar10.h"
#include "datasets/image_folder.h"

namespace transformeter {
namespace {

constexpr std::string_view kImageDataForms =
    "Give a folder with a folder of JPEG or PNG files for each class, or CIFAR-10's binary files";

void refuse_split(const std::filesystem::path& path, const ImageDataOptions& options) {
  if (options.split.empty()) return;
  throw refused_value("split", options.split, fmt::format("'{}' has no splits", path.string()),
                      "Give the folder or file of the split itself");
}

}  // namespace

ImageExamples load_image_examples(const std::filesystem::path& path, const ImageDataOptions& options) {
  if (!std::filesystem::exists(path)) {
    throw refused_value("image data", path.string(), "no such file or folder", kImageDataForms);
  }
  if (is_cifar10(path)) return read_cifar10(path, options);
  refuse_split(path, options);
  if (std::filesystem::is_directory(path)) return read_image_folder(path, options);
  throw refused_value("image data", path.string(), "its form is not known", kImageDataForms);
}

}  // namespace transformeter
