// Files are looked for at once, so that a slip in one of many paths shows before anything is measured.
#include "datasets/image_table.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "datasets/classification.h"
#include "datasets/data_file.h"
#include "datasets/table.h"

namespace transformeter {
namespace {

std::filesystem::path file_in_row(const DataTable& table, const TableRow& row, std::size_t column) {
  const std::string name(trim(row.cells[column].value_or("")));
  if (name.empty()) throw Error(ErrorKind::kBadInput, table.place(row) + ": the path is empty");
  std::filesystem::path file = std::filesystem::path(table.where).parent_path() / name;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) return file;
  throw refused_value(table.place(row) + ": image", excerpt(name), fmt::format("there is no file '{}'", file.string()),
                      "Paths are relative to the table's folder");
}

}  // namespace

ImageExamples read_image_table(const std::filesystem::path& path, const ImageDataOptions& options) {
  const DataFile file(path);
  const DataTable table = read_delimited(file.where(), file.text());
  const auto paths = table.find("path");
  if (!paths) {
    throw refused_value("image table", file.where(), "it has no column path",
                        "The first line must be a header such as path,label");
  }
  const auto labels = table.find("label");
  if (table.rows.empty()) throw refused_value("image table", file.where(), "it has no rows", "Add one for each image");
  ImageExamples data;
  data.name = file.name();
  LabelEncoder encoder(options.classes);
  for (const TableRow& row : table.rows) {
    data.examples.push_back({.image = file_in_row(table, row, *paths), .label = std::nullopt});
    if (labels) encoder.add(table.place(row), row.cells[*labels].value_or(""));
  }
  const std::vector<int> numbers = encoder.numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) data.examples[i].label = numbers[i];
  if (!labels) return data;
  data.label_count = encoder.count();
  data.class_names = encoder.names();
  return data;
}

}  // namespace transformeter
