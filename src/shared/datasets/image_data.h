// Data sets of images as `--data` names them: files by their paths, or pixels.
#pragma once

#include <filesystem>

#include "datasets/dataset.h"
#include "images/image.h"

namespace transformeter {

/// CIFAR-10's binary files (cifar10.h), whose examples have pixels, or what read_media_data reads of images for a task
/// on them: with captions where the task has some, of others with classes.
DataSet load_image_data(const std::filesystem::path& path, const DataOptions& options = {},
                        Task task = Task::kImageClassification);

/// Decoded if it is a file. Throws as decode_image.
Image image_of(const Example& example);

}  // namespace transformeter
