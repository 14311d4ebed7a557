// Tables have columns to choose; all else is found by what the path is.
#include "datasets/image_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "datasets/cifar10.h"
#include "datasets/classification.h"
#include "datasets/data_file.h"
#include "datasets/image_examples.h"
#include "datasets/table.h"
#include "images/decode_image.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 6> kImageColumns = {"path", "file", "file_name", "filename", "image", "image_path"};

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

// A slip in one of many paths shows before anything is measured.
void check_files(const DataTable& table, const DataSet& data) {
  std::error_code code;
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const std::string& file = data.examples[i].text;
    if (fs::is_regular_file(file, code)) continue;
    throw refused_value(table.place(table.rows[i]) + ": image", excerpt(file), "there is no such file",
                        "Paths count from the table's folder");
  }
}

DataSet read_image_table(const fs::path& path, DataOptions options) {
  const DataFile file(path);
  const bool is_json = trim(file.text()).starts_with('{');
  const DataTable table =
      is_json ? read_json_lines(file.where(), file.text()) : read_delimited(file.where(), file.text());
  options.text_column = image_column(table, options);
  if (!options.text_pair_column.empty()) {
    throw Error(ErrorKind::kBadInput, file.where() + ": images have no pairs; leave --text-pair-column out");
  }
  DataSet data = read_classification(table, options);
  if (data.examples.empty()) throw Error(ErrorKind::kBadInput, file.where() + ": no rows below the header");
  for (Example& example : data.examples) example.text = (path.parent_path() / example.text).string();
  check_files(table, data);
  data.name = file.name();
  data.sha256 = file.sha256();
  return data;
}

DataSet from_examples(ImageExamples read) {
  DataSet data;
  data.name = std::move(read.name);
  data.label_count = read.label_count;
  data.label_names = std::move(read.class_names);
  for (ImageExample& one : read.examples) {
    Example example{"", std::nullopt, one.label};
    if (auto* pixels = std::get_if<Image>(&one.image)) {
      example.image = std::make_shared<const Image>(std::move(*pixels));
    } else {
      example.text = std::get<fs::path>(one.image).string();
    }
    data.examples.push_back(std::move(example));
  }
  return data;
}

}  // namespace

DataSet load_image_data(const fs::path& path, const DataOptions& options) {
  std::error_code code;
  DataSet data;
  if (fs::is_directory(path, code) || is_cifar10(path) || !fs::exists(path, code)) {
    if (options.names_columns()) throw Error(ErrorKind::kBadInput, path.string() + ": it has no columns to choose");
    const bool has_list = !options.labels.empty();
    data = from_examples(load_image_examples(
        path, {options.split, has_list ? load_label_list(options.labels) : std::vector<std::string>()}));
  } else {
    if (!options.split.empty()) throw Error(ErrorKind::kBadInput, path.string() + ": it has no splits to choose");
    data = read_image_table(path, options);
  }
  data.task = Task::kImageClassification;
  return data;
}

std::string sha256_of_images(const DataSet& data) {
  std::string all;
  for (const Example& example : data.examples) {
    if (example.image == nullptr) {
      all += sha256_file(example.text);
    } else {
      const std::vector<std::uint8_t>& pixels = example.image->pixels;
      all += sha256_hex({reinterpret_cast<const char*>(pixels.data()), pixels.size()});
    }
    all += example.label ? fmt::format(" {}\n", *example.label) : "\n";
  }
  return sha256_hex(all);
}

Image image_of(const Example& example) {
  return example.image == nullptr ? decode_image(example.text) : *example.image;
}

}  // namespace transformeter
