// No quoting: GLUE's files hold quotation marks as text. Files of the same header whose first row begins a field with
// one and those whose columns are given are read as any other table. A program that quotes only where it must, as
// Python's csv does, shows in later rows: those are refused, because their marks would be taken for text.
#include "datasets/sst2.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "datasets/classification.h"
#include "datasets/data_file.h"

namespace transformeter {
namespace {

struct Form {
  std::string_view header;
  std::size_t text_column;
  std::optional<std::size_t> label_column;
};
constexpr std::array<Form, 3> kSst2Forms = {
    {{"sentence\tlabel", 0, 1}, {"index\tsentence", 1, std::nullopt}, {"label\tcontent", 1, 0}}};
constexpr int kLabelCount = 2;

const Form* form_of(std::string_view header) {
  for (const Form& form : kSst2Forms) {
    if (form.header == header) return &form;
  }
  return nullptr;
}

void check_label(const std::string& where, std::string_view text) {
  const auto label = parse_integer(trim(text));
  if (!label || *label < 0 || *label >= kLabelCount) {
    throw bad_value(
        where + ": label", excerpt(text), "0 or 1",
        "This header makes the file an SST-2 file; --text-column sentence reads it as a table, with any labels.");
  }
}

// What quoting makes of a text with quotation marks in it: all doubled, one more at each end.
bool looks_quoted(std::string_view text) {
  if (text.size() < 4 || text.front() != '"' || text.back() != '"') return false;
  const std::string_view inner = text.substr(1, text.size() - 2);
  bool has_pair = false;
  for (std::size_t i = inner.find('"'); i != inner.npos; i = inner.find('"', i + 2)) {
    if (i + 1 == inner.size() || inner[i + 1] != '"') return false;
    has_pair = true;
  }
  return has_pair;
}

std::string quoting_hint(const Form& form) {
  return fmt::format("To read a file with quoted fields, use --text-column {}.",
                     split(form.header, '\t')[form.text_column]);
}

// The text and, at its own place, the label.
std::vector<std::string> read_columns(const std::string& where, std::string_view line, const Form& form) {
  std::vector<std::string> columns = split(line, '\t');
  if (columns.size() != 2) {
    const bool is_open = columns.size() == 1 && line.starts_with('"');
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: {} columns instead of 2, separated by one tab; the header is '{}'{}", where,
                            columns.size(), form.header, is_open ? ". " + quoting_hint(form) : ""));
  }
  const std::string& text = columns[form.text_column];
  if (looks_quoted(text)) {
    throw refused_value(where + ": text", excerpt(text),
                        "in files with this header quotation marks are text and not doubled", quoting_hint(form));
  }
  return columns;
}

// The quotation mark that begins the first row's first or second field.
bool is_quoted(std::string_view text) {
  std::size_t position = 0;
  next_line(text, position);
  const std::string_view row = text.substr(std::min(position, text.size()));
  return row.starts_with('"') || row.substr(0, row.find('\n')).find("\t\"") != std::string_view::npos;
}

bool is_sst2(const DataSource& source) {
  std::size_t position = 0;
  return form_of(next_line(source.text, position)) != nullptr && !source.options.names_columns() &&
         source.options.split.empty() && !is_quoted(source.text);
}

DataSet read_sst2(const DataSource& source) {
  DataSet data;
  data.task = Task::kSequenceClassification;
  std::size_t position = 0;
  const Form* form = form_of(next_line(source.text, position));
  if (form == nullptr) throw Error(ErrorKind::kInternal, source.where + ": the header does not match the format");
  const bool is_listed = !source.options.labels.empty();
  LabelEncoder labels(is_listed ? load_label_list(source.options.labels) : std::vector<std::string>{});
  for (std::size_t number = 2; position < source.text.size(); ++number) {
    const std::string_view line = next_line(source.text, position);
    if (trim(line).empty()) continue;
    const std::string place = fmt::format("{}:{}", source.where, number);
    const std::vector<std::string> columns = read_columns(place, line, *form);
    data.examples.push_back({columns[form->text_column], std::nullopt, std::nullopt});
    if (!form->label_column) continue;
    const std::string& label = columns[*form->label_column];
    if (!is_listed) check_label(place, label);
    labels.add(place, label);
  }
  if (!form->label_column) return data;
  labels.number(data);
  if (!is_listed) data.label_count = kLabelCount;  // also where one of them has no example
  return data;
}

}  // namespace

DataFormat sst2_format() {
  return {"sst2",  "tab-separated: 'sentence<TAB>label', 'index<TAB>sentence' or 'label<TAB>content'",
          is_sst2, read_sst2,
          false,   true};
}

}  // namespace transformeter
