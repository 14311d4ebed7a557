// Data sets of images as `--data` names them: files by their paths, or pixels.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "datasets/dataset.h"
#include "images/image.h"

namespace transformeter {

/// A folder with a folder for each class (image_folder.h), CIFAR-10's binary files (cifar10.h), or a table (CSV, TSV,
/// JSON Lines, Parquet or a folder of it), whose column of images is options.text_column, else path, file, file_name,
/// filename, image, image_path or img, and whose paths count from its folder; its labels are as read_classification has
/// them. An example's text is the path of its file; CIFAR-10's have pixels instead, and those of Parquet the bytes of a
/// file. Throws Error(kBadInput) naming path and place, also for what the system refuses.
DataSet load_image_data(const std::filesystem::path& path, const DataOptions& options = {});

/// Of the classes' names, and of all images' bytes and labels in order: data with the same one give the same inputs and
/// scores. Reads all files, calls `check` before each, if there is one. Throws what it throws, and Error(kBadInput) for
/// a file that cannot be read.
std::string sha256_of_images(const DataSet& data, const std::function<void()>& check = {});

/// Decoded if it is a file. Throws as decode_image.
Image image_of(const Example& example);

}  // namespace transformeter
