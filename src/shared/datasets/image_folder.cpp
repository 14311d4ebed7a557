// The order of classes and files is that of torchvision 0.29, so that labels and examples have the same numbers.
#include "datasets/image_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "base/lower_case.h"
#include "base/text.h"
#include "datasets/classification.h"

namespace transformeter {
namespace {

std::string small_extension(const std::filesystem::path& path) {
  return lower_case(path.extension().string());
}

// Leaving these out would change the data set without a word.
bool is_other_image(const std::string& extension) {
  constexpr std::array<std::string_view, 11> kOthers{".webp", ".gif",  ".bmp",  ".tif", ".tiff", ".ppm",
                                                     ".pgm",  ".heic", ".avif", ".jp2", ".pbm"};
  return std::find(kOthers.begin(), kOthers.end(), extension) != kOthers.end();
}

// As version control and notebooks leave behind.
bool is_hidden(const std::filesystem::path& path) {
  return path.filename().string().starts_with('.');
}

std::vector<std::string> class_folders(const std::filesystem::path& root) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.is_directory() && !is_hidden(entry.path())) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// By folder, then by name: a folder's own files come before those of the folders in it.
std::vector<std::filesystem::path> image_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  constexpr auto kFollow = std::filesystem::directory_options::follow_directory_symlink;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, kFollow)) {
    if (!entry.is_regular_file() || is_hidden(entry.path())) continue;
    if (is_other_image(small_extension(entry.path()))) {
      throw refused_value("image", entry.path().string(), "its format is not read", "Allowed: .jpg, .jpeg, .png");
    }
    if (is_image_name(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end(), [](const std::filesystem::path& a, const std::filesystem::path& b) {
    const std::string folder_a = a.parent_path().string();
    const std::string folder_b = b.parent_path().string();
    return folder_a != folder_b ? folder_a < folder_b : a.filename().string() < b.filename().string();
  });
  return files;
}

// Where each folder's class stands among the listed classes.
int listed_place(const std::filesystem::path& folder, const std::string& name,
                 const std::vector<std::string>& classes) {
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found != classes.end()) return static_cast<int>(found - classes.begin());
  const Error unknown = unknown_value(folder.parent_path().string() + ": class", name, classes);
  throw Error(ErrorKind::kBadInput, excerpt(unknown.what(), 4000));
}

// The usual layout of a whole data set, whose classes lie one folder deeper.
void check_not_splits(const std::filesystem::path& root, const std::vector<std::string>& folders) {
  constexpr std::array<std::string_view, 5> kSplits{"train", "test", "val", "valid", "validation"};
  for (const std::string& name : folders) {
    const bool is_split = std::find(kSplits.begin(), kSplits.end(), name) != kSplits.end();
    if (!is_split || class_folders(root / name).empty()) return;
  }
  throw refused_value("image folder", root.string(),
                      fmt::format("its folders ({}) are splits with folders of their own", fmt::join(folders, ", ")),
                      fmt::format("Give one of them, e.g. '{}'", (root / folders.front()).string()));
}

}  // namespace

bool is_image_name(const std::filesystem::path& file) {
  const std::string extension = small_extension(file);
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

DataSet read_image_folder(const std::filesystem::path& root, const DataOptions& options) {
  const std::vector<std::string> folders = class_folders(root);
  if (folders.size() < 2) {
    throw refused_value(
        "image folder", root.string(),
        folders.empty() ? "it has no folders" : fmt::format("it has one folder alone, '{}'", folders.front()),
        "It needs a folder of JPEG or PNG files for each of at least two classes");
  }
  check_not_splits(root, folders);
  DataSet data;
  data.name = std::filesystem::absolute(root / "").parent_path().filename().string();
  data.label_names = options.labels.empty() ? folders : load_label_list(options.labels);
  data.label_count = static_cast<int>(data.label_names.size());
  for (const std::string& name : folders) {
    const int label = listed_place(root / name, name, data.label_names);
    const std::vector<std::filesystem::path> files = image_files(root / name);
    if (files.empty()) {
      throw refused_value("class folder", (root / name).string(), "it has no .jpg, .jpeg or .png files",
                          "Remove it, or put images into it");
    }
    for (const std::filesystem::path& file : files) data.examples.push_back({file.string(), std::nullopt, label});
  }
  return data;
}

}  // namespace transformeter
