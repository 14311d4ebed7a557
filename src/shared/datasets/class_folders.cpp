// The order of classes and files is that of torchvision 0.29, so that labels and examples have the same numbers.
#include "datasets/class_folders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "datasets/classification.h"

namespace transformeter {
namespace {

std::string folder_of(const MediaFiles& kind) {
  return fmt::format("{} folder", kind.one);
}

// As version control and notebooks leave behind.
bool is_hidden(const std::filesystem::path& path) {
  return path.filename().string().starts_with('.');
}

std::vector<std::string> class_folders(const std::filesystem::path& root, const MediaFiles& kind) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    const bool is_class = std::find(kind.not_classes.begin(), kind.not_classes.end(), name) == kind.not_classes.end();
    if (entry.is_directory() && is_class && !is_hidden(entry.path())) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Throws Error(kBadInput) for a file of the kind in a format that is not read.
bool is_read(const std::filesystem::directory_entry& entry, const MediaFiles& kind) {
  if (!entry.is_regular_file() || is_hidden(entry.path())) return false;
  if (is_named_as_other(entry.path(), kind)) {
    throw refused_value(kind.one, entry.path().string(), "its format is not read",
                        fmt::format("Allowed: {}", fmt::join(kind.endings, ", ")));
  }
  return is_named_as(entry.path(), kind);
}

// By folder, then by name: a folder's own files come before those of the folders in it.
std::vector<std::filesystem::path> class_files(const std::filesystem::path& folder, const MediaFiles& kind) {
  std::vector<std::filesystem::path> files;
  constexpr auto kFollow = std::filesystem::directory_options::follow_directory_symlink;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, kFollow)) {
    if (is_read(entry, kind)) files.push_back(entry.path());
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
void check_not_splits(const std::filesystem::path& root, const std::vector<std::string>& folders,
                      const MediaFiles& kind) {
  constexpr std::array<std::string_view, 5> kSplits{"train", "test", "val", "valid", "validation"};
  for (const std::string& name : folders) {
    const bool is_split = std::find(kSplits.begin(), kSplits.end(), name) != kSplits.end();
    if (!is_split || class_folders(root / name, kind).empty()) return;
  }
  throw refused_value(folder_of(kind), root.string(),
                      fmt::format("its folders ({}) are splits with folders of their own", fmt::join(folders, ", ")),
                      fmt::format("Give one of them, e.g. '{}'", (root / folders.front()).string()));
}

// ".jpg, .jpeg or .png".
std::string any_ending(const MediaFiles& kind) {
  return fmt::format("{} or {}", fmt::join(kind.endings.first(kind.endings.size() - 1), ", "), kind.endings.back());
}

std::string name_of_folder(const std::filesystem::path& root) {
  return std::filesystem::absolute(root / "").parent_path().filename().string();
}

// Of a folder without classes, in the order of their names.
DataSet read_unlabelled_files(const std::filesystem::path& root, const MediaFiles& kind) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (is_read(entry, kind)) files.push_back(entry.path());
  }
  if (files.empty()) {
    throw refused_value(
        folder_of(kind), root.string(), fmt::format("it has no folders and no {} files", any_ending(kind)),
        fmt::format("It needs {} files, or a folder of them for each of at least two classes", kind.formats));
  }
  std::sort(files.begin(), files.end());
  DataSet data;
  data.name = name_of_folder(root);
  for (const std::filesystem::path& file : files) data.examples.push_back({file.string(), std::nullopt, std::nullopt});
  return data;
}

}  // namespace

DataSet read_class_folders(const std::filesystem::path& root, const DataOptions& options, const MediaFiles& kind) {
  const std::vector<std::string> folders = class_folders(root, kind);
  if (folders.empty()) return read_unlabelled_files(root, kind);
  if (folders.size() < 2) {
    throw refused_value(
        folder_of(kind), root.string(), fmt::format("it has one folder alone, '{}'", folders.front()),
        fmt::format("It needs a folder of {} files for each of at least two classes, or no folders at all",
                    kind.formats));
  }
  check_not_splits(root, folders, kind);
  DataSet data;
  data.name = name_of_folder(root);
  data.label_names = options.labels.empty() ? folders : load_label_list(options.labels);
  data.label_count = static_cast<int>(data.label_names.size());
  for (const std::string& name : folders) {
    const int label = listed_place(root / name, name, data.label_names);
    const std::vector<std::filesystem::path> files = class_files(root / name, kind);
    if (files.empty()) {
      throw refused_value("class folder", (root / name).string(), fmt::format("it has no {} files", any_ending(kind)),
                          fmt::format("Remove it, or put {} into it", kind.many));
    }
    for (const std::filesystem::path& file : files) data.examples.push_back({file.string(), std::nullopt, label});
  }
  return data;
}

}  // namespace transformeter
