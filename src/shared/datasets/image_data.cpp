#include "datasets/image_data.h"

#include "base/error.h"
#include "datasets/cifar10.h"
#include "datasets/media_data.h"
#include "images/decode_image.h"

namespace transformeter {
namespace {

DataSet read_image_data(const std::filesystem::path& path, const DataOptions& options, RowAnswer answer) {
  if (!is_cifar10(path)) return read_media_data(path, options, kImageFiles, answer);
  if (options.names_columns()) throw Error(ErrorKind::kBadInput, path.string() + ": it has no columns to choose");
  return read_cifar10(path, options);
}

}  // namespace

DataSet load_image_data(const std::filesystem::path& path, const DataOptions& options, Task task) {
  const RowAnswer answer = has_captions(task) ? RowAnswer::kCaption : RowAnswer::kLabel;
  DataSet data = with_system_errors(kImageFiles, [&] { return read_image_data(path, options, answer); });
  data.task = has_captions(task) ? task : Task::kImageClassification;
  return data;
}

Image image_of(const Example& example) {
  if (example.file != nullptr) return decode_image(*example.file, example.text);
  return example.image == nullptr ? decode_image(example.text) : *example.image;
}

}  // namespace transformeter
