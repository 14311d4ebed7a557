// RFC 4180, with lines for errors; docs/decisions.md says why no library does.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "datasets/data_file.h"
#include "datasets/table.h"

namespace transformeter {
namespace {

class DelimitedReader {
 public:
  DelimitedReader(const std::string& where, std::string_view text, char separator)
      : where_(where), text_(text), separator_(separator) {}

  bool at_end() const { return position_ >= text_.size(); }

  /// The next record; an empty line is one empty cell.
  TableRow next() {
    TableRow row{line_, {}};
    do {
      row.cells.emplace_back(peek() == '"' ? quoted_field() : plain_field());
    } while (take_separator());
    take_line_break();
    return row;
  }

 private:
  char peek(std::size_t ahead = 0) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }
  bool at_line_break() const { return peek() == '\n' || (peek() == '\r' && peek(1) == '\n'); }

  std::string plain_field() {
    const std::size_t begin = position_;
    while (!at_end() && text_[position_] != separator_ && !at_line_break()) ++position_;
    return std::string(text_.substr(begin, position_ - begin));
  }

  std::string quoted_field() {
    const std::size_t opened_in = line_;
    std::string field;
    for (++position_;;) {
      const std::size_t quote = text_.find('"', position_);
      if (quote == std::string_view::npos) {
        throw Error(ErrorKind::kBadInput, fmt::format("{}:{}: the opening quotation mark of a field is never closed. "
                                                      "Double quotation marks inside a quoted field.",
                                                      where_, opened_in));
      }
      const std::string_view part = text_.substr(position_, quote - position_);
      line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
      field += part;
      position_ = quote + 1;
      if (peek() != '"') break;
      field += '"';
      ++position_;
    }
    if (at_end() || text_[position_] == separator_ || at_line_break()) return field;
    throw refused_value(fmt::format("{}:{}: text", where_, line_), excerpt(text_.substr(position_), 20),
                        "a closing quotation mark must be followed by a separator or the end of the line",
                        "Double quotation marks inside a quoted field.");
  }

  bool take_separator() {
    if (at_end() || text_[position_] != separator_) return false;
    ++position_;
    return true;
  }
  void take_line_break() {
    if (at_end()) return;
    position_ += peek() == '\r' ? 2 : 1;
    ++line_;
  }

  const std::string& where_;
  std::string_view text_;
  char separator_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

char separator_of(std::string_view text) {
  std::size_t position = 0;
  const std::string_view header = next_line(text, position);
  for (const char separator : {'\t', ',', ';'}) {
    if (header.find(separator) != std::string_view::npos) return separator;
  }
  return ',';
}

void read_header(DataTable& table, const TableRow& row) {
  std::set<std::string> names;
  for (const auto& cell : row.cells) {
    const std::string name(trim(*cell));
    if (name.empty()) {
      throw Error(ErrorKind::kBadInput, fmt::format("{}: column {} has no name; the first line must name all columns",
                                                    table.place(row), table.columns.size() + 1));
    }
    if (!names.insert(name).second) {
      throw refused_value(table.place(row) + ": column", excerpt(name), "column names must be unique");
    }
    table.columns.push_back(name);
  }
}

}  // namespace

DataTable read_delimited(const std::string& where, std::string_view text) {
  const char separator = separator_of(text);
  DelimitedReader reader(where, text, separator);
  DataTable table;
  table.where = where;
  read_header(table, reader.next());
  while (!reader.at_end()) {
    TableRow row = reader.next();
    const bool is_empty_line = row.cells.size() == 1 && row.cells.front()->empty();
    if (is_empty_line && table.columns.size() > 1) continue;
    if (row.cells.size() != table.columns.size()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: {} fields, but the header has {} columns ({})", table.place(row), row.cells.size(),
                              table.columns.size(), excerpt(fmt::format("{}", fmt::join(table.columns, ", ")))));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace transformeter
