// Data sets of images as `--data` names them: files by their paths, or pixels.
#pragma once

#include <filesystem>
#include <string>

#include "datasets/dataset.h"
#include "images/image.h"

namespace transformeter {

/// What load_image_examples (image_examples.h) reads, with options.split and the classes that options.labels lists; or
/// a table (CSV, TSV, JSON Lines), whose column of images is options.text_column, else path, file, file_name, filename,
/// image or image_path, and whose paths count from its folder; labels as read_classification has them. An example's
/// text is the path of its file; of CIFAR-10 the pixels are there instead. sha256 is that of a table, else empty.
/// Throws Error(kBadInput) naming path and place, also for a file that is not there.
DataSet load_image_data(const std::filesystem::path& path, const DataOptions& options = {});

/// Of all images' bytes in order. Throws Error(kBadInput) for one that cannot be read.
std::string sha256_of_images(const DataSet& data);

/// Decoded if it is a file. Throws as decode_image.
Image image_of(const Example& example);

}  // namespace transformeter
