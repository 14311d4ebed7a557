// A folder for each class, as torchvision's ImageFolder reads it.
#pragma once

#include <filesystem>

#include "datasets/dataset.h"

namespace transformeter {

/// `root`/CLASS/…/NAME.jpg, .jpeg or .png, in small or capital letters: classes in the order of their names, or as
/// options.labels lists them, files in the order of their folders and names. Folders below a class belong to it; other
/// files than images are ignored. Throws Error(kBadInput) for fewer than two classes, a class without images or, where
/// classes are listed, one that is not among them, and images of a format that is not read.
/// Splits in the place of classes, "train" and "test", are refused too.
DataSet read_image_folder(const std::filesystem::path& root, const DataOptions& options);

/// By its ending, in small or capital letters: .jpg, .jpeg or .png.
bool is_image_name(const std::filesystem::path& file);

}  // namespace transformeter
