// Images with their classes, for image classification: what a vision model is given from a data set.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "images/image.h"

namespace transformeter {

struct ImageExample {
  std::variant<std::filesystem::path, Image> image;  // a file, which is not read yet, or the pixels
  std::optional<int> label = {};                     // in [0, label_count)
};

struct ImageExamples {
  std::string name;  // of the folder or file
  std::vector<ImageExample> examples;
  int label_count = 0;                   // 0: the examples have no labels
  std::vector<std::string> class_names;  // by class; empty where labels are numbers
};

struct ImageDataOptions {
  /// Of CIFAR-10: "train" or "test". May be left out where the folder has one alone.
  std::string split = {};
  /// The classes in order, so that all splits agree; empty: found from the labels. CIFAR-10 has its own.
  std::vector<std::string> classes = {};
};

/// Reads, by what `path` is:
/// - a folder of folders, one for each class, with JPEG and PNG files (image_folder.h),
/// - a folder with CIFAR-10's binary files, or one of these files (cifar10.h).
/// Image files are found but not decoded. Throws Error(kBadInput) naming path and place for anything else, and for a
/// split where there are none.
ImageExamples load_image_examples(const std::filesystem::path& path, const ImageDataOptions& options = {});

}  // namespace transformeter
