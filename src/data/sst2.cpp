// No quoting: GLUE's files hold quote characters as text. Files of the same header that do quote (a text begins with a
// quotation mark) and those whose columns or classes are given are read as any other table.
#include "data/sst2.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "data/data_file.h"

namespace transformeter {
namespace {

struct Form {
  std::string_view header;
  std::size_t text_column;
  std::optional<std::size_t> label_column;
};
constexpr std::array<Form, 3> kForms = {
    {{"sentence\tlabel", 0, 1}, {"index\tsentence", 1, std::nullopt}, {"label\tcontent", 1, 0}}};
constexpr int kLabelCount = 2;

const Form* form_of(std::string_view header) {
  for (const Form& form : kForms) {
    if (form.header == header) return &form;
  }
  return nullptr;
}

int read_label(const std::string& where, std::string_view text) {
  const auto label = parse_integer(trim(text));
  if (!label || *label < 0 || *label >= kLabelCount)
    throw bad_value(where + ": label", excerpt(text), "it must be 0 or 1");
  return static_cast<int>(*label);
}

Example read_row(const std::string& where, std::string_view line, const Form& form) {
  const std::vector<std::string> columns = split(line, '\t');
  if (columns.size() != 2) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: {} columns instead of 2, separated by one tab; the header is '{}'", where,
                            columns.size(), form.header));
  }
  Example example;
  example.text = columns[form.text_column];
  if (trim(example.text).empty()) throw Error(ErrorKind::kBadInput, where + ": the text is empty");
  if (form.label_column) example.label = read_label(where, columns[*form.label_column]);
  return example;
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
  return form_of(next_line(source.text, position)) != nullptr && !source.options.any() && !is_quoted(source.text);
}

DataSet read_sst2(const DataSource& source) {
  DataSet data;
  data.task = "sequence_classification";
  std::size_t position = 0;
  const Form* form = form_of(next_line(source.text, position));
  if (form == nullptr) throw Error(ErrorKind::kInternal, source.where + ": the header is not that of the format");
  data.label_count = form->label_column ? kLabelCount : 0;
  for (std::size_t number = 2; position < source.text.size(); ++number) {
    const std::string_view line = next_line(source.text, position);
    data.examples.push_back(read_row(fmt::format("{}:{}", source.where, number), line, *form));
  }
  return data;
}

}  // namespace

DataFormat sst2_format() {
  return {"sst2", "tab-separated: 'sentence<TAB>label', 'index<TAB>sentence' or 'label<TAB>content'", is_sst2,
          read_sst2};
}

}  // namespace transformeter
