// Which of the forms a path has.
#include "datasets/image_examples.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"
#include "datasets/cifar10.h"
#include "datasets/image_folder.h"
#include "datasets/image_table.h"
#include "images/decode_image.h"

namespace transformeter {
namespace {

constexpr std::string_view kImageDataForms =
    "Give a folder with a folder of JPEG or PNG files for each class, CIFAR-10's binary files, or a CSV file with the "
    "columns path and label";

bool is_image_table(const std::filesystem::path& path) {
  const std::filesystem::path name = path.extension() == ".gz" ? path.stem() : path.filename();
  return name.extension() == ".csv" || name.extension() == ".tsv";
}

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
  if (is_image_table(path)) return read_image_table(path, options);
  throw refused_value("image data", path.string(), "its form is not known", kImageDataForms);
}

Image load_image(const ImageExample& example) {
  if (const auto* file = std::get_if<std::filesystem::path>(&example.image)) return decode_image(*file);
  return std::get<Image>(example.image);
}

std::string image_examples_sha256(const ImageExamples& data) {
  StreamHash hash(StreamHash::Kind::kSha256);
  for (const ImageExample& example : data.examples) {
    if (const auto* file = std::get_if<std::filesystem::path>(&example.image)) {
      hash.update(sha256_file(*file));
    } else {
      const std::vector<std::uint8_t>& pixels = std::get<Image>(example.image).pixels;
      hash.update(sha256_hex({reinterpret_cast<const char*>(pixels.data()), pixels.size()}));
    }
    hash.update(example.label ? fmt::format(" {}\n", *example.label) : "\n");
  }
  return hash.hex();
}

}  // namespace transformeter
