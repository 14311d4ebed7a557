// Rows with named columns, whatever file they came from: what a classification data set or a list of predictions is
// made of.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct TableRow {
  std::size_t line = 0;                           // where the row begins, from 1
  std::vector<std::optional<std::string>> cells;  // one for each column; nothing where JSON has null or no such key
};

struct DataTable {
  std::string where;  // the file, for errors
  std::vector<std::string> columns;
  std::vector<TableRow> rows;
  std::map<std::size_t, std::size_t> first_lists = {};           // of columns that hold lists: the first line with one
  std::map<std::string, std::vector<std::string>> classes = {};  // names in order, of columns that hold numbers of them

  std::optional<std::size_t> find(std::string_view column) const;
  /// Throws Error(kBadInput) naming `option`, the columns there are and the nearest.
  std::size_t at(std::string_view column, std::string_view option) const;
  /// Throws Error(kBadInput) for a column that holds lists.
  void check_has_no_lists(std::size_t column) const;
  /// "FILE:LINE".
  std::string place(const TableRow& row) const;
  /// Throws Error(kBadInput) that `what`, as "text", is missing.
  const std::string& cell(const TableRow& row, std::size_t column, std::string_view what) const;
};

/// Comma-, semicolon- or tab-separated text with a header: the separator is the first of tab, comma and semicolon that
/// the header holds. RFC 4180: a field that begins with a quotation mark ends at the next single one, and may hold
/// separators, line breaks and doubled quotation marks; inside other fields a quotation mark is text. Records end with
/// LF or CRLF; empty lines between records of several columns are skipped. Throws Error(kBadInput) as "FILE:LINE: …"
/// for a row that is not as long as the header, text behind a closing quotation mark, one that never closes, and a
/// column named twice or not at all.
DataTable read_delimited(const std::string& where, std::string_view text);

/// One JSON object a line; columns are the keys in order of appearance. Texts are taken as they are, numbers, booleans
/// and lists of these and texts as JSON writes them. Empty lines are skipped. Throws Error(kBadInput) as "FILE:LINE: …"
/// for a line that is no JSON object, and for objects and nested lists as values.
DataTable read_json_lines(const std::string& where, std::string_view text);

}  // namespace transformeter
