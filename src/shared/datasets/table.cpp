// Finding columns, and the rows of JSON Lines.
#include "datasets/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "datasets/data_file.h"

namespace transformeter {
namespace {

bool is_flat_list(const Json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_primitive(); });
}

std::optional<std::string> cell_of(const std::string& place, const std::string& key, const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_primitive() || is_flat_list(value)) return value.dump();
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: the value of '{}' is an {}; expected a string, a number, a boolean or null", place,
                          excerpt(key), value.type_name()));
}

}  // namespace

std::optional<std::size_t> DataTable::find(std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::size_t DataTable::at(std::string_view column, std::string_view option) const {
  if (const auto found = find(column)) return *found;
  const Error unknown = unknown_value(fmt::format("{}: {}", where, option), column, columns);
  throw Error(ErrorKind::kBadInput, excerpt(unknown.what(), 1000));
}

void DataTable::check_has_no_lists(std::size_t column) const {
  const auto list = first_lists.find(column);
  if (list == first_lists.end()) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}:{}: the value of '{}' is an array; expected a string, a number, a boolean or null", where,
                          list->second, excerpt(columns[column])));
}

std::string DataTable::place(const TableRow& row) const {
  return fmt::format("{}:{}", where, row.line);
}

const std::string& DataTable::cell(const TableRow& row, std::size_t column, std::string_view what) const {
  if (const std::optional<std::string>& cell = row.cells[column]) return *cell;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: the {} (column '{}') is missing", place(row), what, excerpt(columns[column])));
}

DataTable read_json_lines(const std::string& where, std::string_view text) {
  DataTable table;
  table.where = where;
  std::map<std::string, std::size_t> index_of;  // of a column
  std::size_t line_number = 0;
  for (std::size_t position = 0; position < text.size();) {
    const std::string_view line = next_line(text, position);
    TableRow row{++line_number, {}};
    if (trim(line).empty()) continue;
    const std::string place = table.place(row);
    const Json object = parse_json(place + ": the line", line);
    if (!object.is_object()) {
      throw Error(ErrorKind::kBadInput, fmt::format("{}: the line is JSON of type {}, not an object like {{\"text\": "
                                                    "\"...\", \"label\": \"...\"}}",
                                                    place, object.type_name()));
    }
    for (const auto& [key, value] : object.items()) {
      const auto [found, is_new] = index_of.emplace(key, table.columns.size());
      if (is_new) table.columns.push_back(key);
      row.cells.resize(std::max(row.cells.size(), found->second + 1));
      row.cells[found->second] = cell_of(place, key, value);
      if (value.is_array()) table.first_lists.emplace(found->second, row.line);
    }
    table.rows.push_back(std::move(row));
  }
  for (TableRow& row : table.rows) row.cells.resize(table.columns.size());
  return table;
}

}  // namespace transformeter
