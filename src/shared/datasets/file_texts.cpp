#include "datasets/file_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "datasets/classification.h"

namespace transformeter {
namespace {

// Nothing where there is none.
std::optional<std::size_t> file_text_column(const DataTable& table, const FileText& kind, const DataOptions& options) {
  if (!options.label_column.empty()) return table.at(options.label_column, fmt::format("{} column", kind.noun));
  for (const char* name : kind.columns) {
    if (const auto column = table.find(name)) return column;
  }
  return std::nullopt;
}

// `path`: or the whole file in base64, of which an excerpt is shown.
std::string checked_text(const DataTable& table, const TableRow& row, const FileText& kind, std::size_t column,
                         const std::string& path) {
  if (kind.may_be_blank) return table.cell(row, column, kind.noun);
  if (row.cells[column] && !trim(*row.cells[column]).empty()) return *row.cells[column];
  throw Error(ErrorKind::kBadInput, fmt::format("{}: '{}' has no {} (column '{}')", table.place(row), excerpt(path),
                                                kind.noun, table.columns[column]));
}

}  // namespace

DataSet read_file_texts(const DataTable& table, const FileText& kind, const DataOptions& options) {
  const std::size_t path = table.at(options.text_column, "column of paths");
  const std::optional<std::size_t> text = file_text_column(table, kind, options), id = find_id_column(table);
  for (const std::optional<std::size_t>& column : {std::optional(path), text, id}) {
    if (column) table.check_has_no_lists(*column);
  }
  DataSet data;
  for (const TableRow& row : table.rows) {
    Example example;
    example.text = table.cell(row, path, "path");
    if (text) example.*kind.text = checked_text(table, row, kind, *text, example.text);
    if (id) example.id = row.cells[*id];
    data.examples.push_back(std::move(example));
  }
  return data;
}

void check_has_texts(const DataSet& data, const FileText& kind, const std::string& where) {
  if (!data.examples.empty() && data.examples.front().*kind.text) return;
  if (data.columns.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: only a table has {}s; give one of paths and {}s", where, kind.noun, kind.noun));
  }
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: none of the columns ({}) is known to hold {}s; known names: {}. Choose one with "
                          "--label-column.",
                          where, excerpt(fmt::format("{}", fmt::join(data.columns, ", ")), 300), kind.noun,
                          fmt::join(kind.columns, ", ")));
}

}  // namespace transformeter
