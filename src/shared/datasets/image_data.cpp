// Tables have columns to choose; all else is found by what the path is.
#include "datasets/image_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/base64.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "datasets/cifar10.h"
#include "datasets/classification.h"
#include "datasets/data_file.h"
#include "datasets/data_layout.h"
#include "datasets/image_folder.h"
#include "datasets/parquet_text.h"
#include "datasets/table.h"
#include "datasets/usual_columns.h"
#include "images/decode_image.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

std::string image_column(const DataTable& table, const DataOptions& options) {
  if (!options.text_column.empty()) return options.text_column;
  for (const char* name : kImageColumns) {
    if (table.find(name)) return name;
  }
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: none of the columns ({}) is known to hold paths of images; known names: {}. Choose one "
                          "with --text-column.",
                          table.where, excerpt(fmt::format("{}", fmt::join(table.columns, ", ")), 300),
                          fmt::join(kImageColumns, ", ")));
}

constexpr std::string_view kImageBytes = "data:;base64,";  // as Parquet's images come (parquet_plugin.h)

// A slip in one of many paths shows before anything is measured.
void find_files(const DataTable& table, const fs::path& folder, DataSet& data) {
  std::error_code code;
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const std::string name(trim(data.examples[i].text));
    const auto place = [&] { return table.place(table.rows[i]) + ": image"; };
    if (name.starts_with(kImageBytes)) {
      auto bytes = decode_base64(std::string_view(name).substr(kImageBytes.size()));
      if (!bytes) throw refused_value(place(), excerpt(name), "it is not base64");
      data.examples[i].text = table.place(table.rows[i]);
      data.examples[i].image_file = std::make_shared<const std::string>(*std::move(bytes));
      continue;
    }
    if (name.empty()) throw refused_value(place(), name, "it is empty", "Expected the path of a JPEG or PNG file");
    const fs::path file = folder / name;
    if (!fs::is_regular_file(file, code)) {
      throw refused_value(place(), excerpt(name), fmt::format("there is no file '{}'", excerpt(file.string(), 300)),
                          "Paths count from the table's folder");
    }
    data.examples[i].text = file.string();
  }
}

DataSet read_image_table(const fs::path& path, DataOptions options) {
  if (is_image_name(path)) {
    throw refused_value("image data", path.string(), "it is one image",
                        "Give a folder or table of images, or the image itself to `predict --image`");
  }
  const DataFile file(path, options.selection());
  const bool is_json = trim(file.text()).starts_with('{');
  DataTable table = is_json ? read_json_lines(file.where(), file.text()) : read_delimited(file.where(), file.text());
  table.classes = file.classes();
  options.text_column = image_column(table, options);
  if (!options.text_pair_column.empty()) {
    throw Error(ErrorKind::kBadInput, file.where() + ": images have no pairs; leave --text-pair-column out");
  }
  drop_unlabelled_rows(table, options);
  DataSet data = read_classification(table, options);
  if (data.examples.empty()) throw Error(ErrorKind::kBadInput, file.where() + ": no rows below the header");
  find_files(table, file.has_splits() ? path : path.parent_path(), data);
  data.name = file.name();
  data.sha256 = file.sha256();
  return data;
}

// Not of classes that have some beside their images.
bool is_parquet_folder(const fs::path& folder) {
  const std::vector<std::string> files = files_below(folder);
  const auto is_of_class = [](const std::string& file) {
    return file.find('/') != std::string::npos && is_image_name(file);
  };
  return std::any_of(files.begin(), files.end(), [](const std::string& file) { return is_parquet_name(file); }) &&
         std::none_of(files.begin(), files.end(), is_of_class);
}

DataSet read_image_data(const fs::path& path, const DataOptions& options) {
  if (!fs::exists(path)) {
    throw refused_value("image data", path.string(), "no such file or folder",
                        "Give a folder with a folder of JPEG or PNG files for each class, a table of paths, or "
                        "CIFAR-10's binary files");
  }
  const bool is_cifar = is_cifar10(path), is_folder = fs::is_directory(path);
  const bool has_files = is_folder && !is_cifar && is_parquet_folder(path);
  const bool is_table = !is_cifar && (!is_folder || has_files);
  if (!is_table && options.names_columns()) {
    throw Error(ErrorKind::kBadInput, path.string() + ": it has no columns to choose");
  }
  if (!is_cifar && !has_files && !options.split.empty()) {
    throw refused_value("split", options.split, fmt::format("'{}' has no splits", path.string()),
                        "Give the folder or file of the split itself");
  }
  if (is_cifar) return read_cifar10(path, options);
  return is_table ? read_image_table(path, options) : read_image_folder(path, options);
}

}  // namespace

DataSet load_image_data(const fs::path& path, const DataOptions& options) {
  try {
    DataSet data = read_image_data(path, options);
    data.task = Task::kImageClassification;
    return data;
  } catch (const fs::filesystem_error& error) {
    throw refused_value("image data", excerpt(error.path1().string(), 300), error.code().message(),
                        "All folders must be readable, and links lead to no folder around them");
  }
}

std::string sha256_of_images(const DataSet& data, const std::function<void()>& check) {
  StreamHash hash(StreamHash::Kind::kSha256);
  hash.update(canonical_json(data.label_names));
  for (const Example& example : data.examples) {
    if (check) check();
    if (example.image_file != nullptr) {
      hash.update(sha256_hex(*example.image_file));
    } else if (example.image != nullptr) {
      const std::vector<std::uint8_t>& pixels = example.image->pixels;
      hash.update(sha256_hex({reinterpret_cast<const char*>(pixels.data()), pixels.size()}));
    } else {
      hash.update(sha256_file(example.text));
    }
    hash.update(example.label ? fmt::format(" {}\n", *example.label) : "\n");
  }
  return hash.hex();
}

Image image_of(const Example& example) {
  if (example.image_file != nullptr) return decode_image(*example.image_file, example.text);
  return example.image == nullptr ? decode_image(example.text) : *example.image;
}

}  // namespace transformeter
