// A folder for each class, as torchvision's ImageFolder reads it, or one folder without classes: of images, or of
// sounds.
#pragma once

#include <filesystem>

#include "datasets/dataset.h"
#include "datasets/media_files.h"

namespace transformeter {

/// `root`/CLASS/…/NAME with an ending of `kind`: classes in the order of their names, or as options.labels lists them,
/// files in the order of their folders and names. Folders below a class belong to it; hidden folders and files, and
/// those of other kinds, are ignored. Without folders the files of `root` itself in the order of their names, without
/// labels. Throws Error(kBadInput) for a single class, for no files at all, a class without files or, where classes are
/// listed, one that is not among them, and for files in a format that is not read.
/// Splits in the place of classes, "train" and "test", are refused too.
DataSet read_class_folders(const std::filesystem::path& root, const DataOptions& options, const MediaFiles& kind);

}  // namespace transformeter
