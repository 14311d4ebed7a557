// No quoting: GLUE's files hold quote characters as text.
#include "data/sst2.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"

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
  if (!label || *label < 0 || *label >= kLabelCount) throw bad_value(where + ": label", text, "it must be 0 or 1");
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

DataSet read_sst2(const std::string& where, std::string_view bytes) {
  DataSet data;
  const Form* form = nullptr;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view line = bytes.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    begin = end + 1;
    ++number;
    if (number == 1) {
      form = form_of(line);
      if (form == nullptr) throw Error(ErrorKind::kInternal, where + ": the header is not that of the format");
      data.label_count = form->label_column ? kLabelCount : 0;
      continue;
    }
    data.examples.push_back(read_row(fmt::format("{}:{}", where, number), line, *form));
  }
  return data;
}

}  // namespace

DataFormat sst2_format() {
  return {"sst2", "tab-separated: 'sentence<TAB>label', 'index<TAB>sentence' or 'label<TAB>content'",
          [](std::string_view header) { return form_of(header) != nullptr; }, read_sst2};
}

}  // namespace transformeter
