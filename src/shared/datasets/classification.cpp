// Columns found by name; classes found from the labels.
#include "datasets/classification.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "datasets/data_file.h"
#include "datasets/usual_columns.h"

namespace transformeter {
namespace {

constexpr long long kLargestLabelNumber = 9999;

struct Columns {
  std::size_t text = 0;
  std::optional<std::size_t> text_pair;
  std::optional<std::size_t> id;
  std::optional<std::size_t> label;
  std::optional<std::size_t> target;  // instead of `label`, where labels are texts
};

template <std::size_t N>
std::optional<std::size_t> first_of(const DataTable& table, const std::array<const char*, N>& names) {
  for (const char* name : names) {
    if (const auto column = table.find(name)) return column;
  }
  return std::nullopt;
}

// A column of lists is skipped, not refused: the table may be read for its texts alone.
std::optional<std::size_t> find_targets(const DataTable& table, const char* name) {
  const auto column = table.find(name);
  return column && !table.first_lists.contains(*column) ? column : std::nullopt;
}

// The source of the first usual pair with both columns.
std::optional<std::size_t> find_source_column(const DataTable& table) {
  for (const auto& [source, target] : kTargetColumns) {
    if (table.find(source) && find_targets(table, target)) return table.find(source);
  }
  return std::nullopt;
}

// The first usual source column, with its target or without.
std::optional<std::size_t> find_lone_source_column(const DataTable& table) {
  for (const auto& [source, target] : kTargetColumns) {
    if (const auto column = table.find(source)) return column;
  }
  return std::nullopt;
}

// That of the usual pair of the text's column, else the first of any.
std::optional<std::size_t> find_target_column(const DataTable& table, std::size_t text, const DataOptions& options) {
  if (!options.label_column.empty()) {
    const std::size_t chosen = table.at(options.label_column, "label column");
    if (chosen != text) return chosen;
    throw refused_value(table.where + ": label column", excerpt(options.label_column), "it is the column of texts",
                        "Choose the texts with --text-column");
  }
  for (const auto& [source, target] : kTargetColumns) {
    if (table.columns[text] != source) continue;
    if (const auto column = find_targets(table, target)) return column;
  }
  for (const auto& [source, target] : kTargetColumns) {
    if (const auto column = find_targets(table, target); column && *column != text) return column;
  }
  return std::nullopt;
}

std::vector<std::string_view> known_text_columns(const DataOptions& options) {
  std::vector<std::string_view> names;
  if (options.has_target_texts) names = source_columns();
  for (const std::string_view name : kTextColumns) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

void find_texts(const DataTable& table, const DataOptions& options, Columns& columns) {
  if (!options.text_pair_column.empty()) columns.text_pair = table.at(options.text_pair_column, "text pair column");
  if (!options.text_column.empty()) {
    columns.text = table.at(options.text_column, "text column");
    return;
  }
  const auto text = find_text_column(table, options);
  if (!text) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("{}: none of the columns ({}) is known to contain the text; known names: {}. Choose one with "
                    "--text-column.",
                    table.where, excerpt(fmt::format("{}", fmt::join(table.columns, ", ")), 300),
                    fmt::join(known_text_columns(options), ", ")));
  }
  columns.text = *text;
  const auto pair = std::find_if(kPairColumns.begin(), kPairColumns.end(),
                                 [&](const auto& names) { return table.columns[*text] == names.first; });
  if (!columns.text_pair && pair != kPairColumns.end()) columns.text_pair = table.find(pair->second);
}

// The Hub's data sets write -1 for a class that is not told, as in test sets.
bool has_no_class(const TableRow& row, std::size_t column) {
  return row.cells[column].value_or("-1") == "-1";
}

bool is_unlabelled(const DataTable& table, std::size_t column) {
  return table.classes.contains(table.columns[column]) &&
         std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const TableRow& row) { return has_no_class(row, column); });
}

Columns find_columns(const DataTable& table, const DataOptions& options) {
  Columns columns;
  find_texts(table, options, columns);
  columns.id = find_id_column(table);
  if (options.has_target_texts) {
    columns.target = find_target_column(table, columns.text, options);
    return columns;
  }
  columns.label = options.label_column.empty() ? first_of(table, kLabelColumns)
                                               : std::optional(table.at(options.label_column, "label column"));
  if (columns.label && is_unlabelled(table, *columns.label)) columns.label.reset();
  return columns;
}

// A class is its name.
std::optional<std::string> target_at(const DataTable& table, const TableRow& row, std::size_t column) {
  const std::optional<std::string>& cell = row.cells[column];
  const auto known = table.classes.find(table.columns[column]);
  if (!cell || known == table.classes.end()) return cell;
  if (has_no_class(row, column)) return std::nullopt;
  const std::vector<std::string>& names = known->second;
  const auto number = parse_integer(*cell);
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < names.size()) {
    return names[static_cast<std::size_t>(*number)];
  }
  throw bad_value(table.place(row) + ": label", excerpt(*cell), fmt::format("a number from 0 to {}", names.size() - 1));
}

LabelEncoder encoder_of(const DataTable& table, const std::optional<std::size_t>& column, const DataOptions& options) {
  if (!column || options.has_label_lists) return LabelEncoder({});
  if (!options.labels.empty()) return LabelEncoder(load_label_list(options.labels));
  const auto known = table.classes.find(table.columns[*column]);
  if (known == table.classes.end()) return LabelEncoder({});
  return LabelEncoder(known->second, LabelEncoder::Kind::kPlaces);
}

// No label at all is the empty list.
std::string label_at(const TableRow& row, std::size_t column, const DataOptions& options) {
  const std::string label = row.cells[column].value_or("");
  return options.has_label_lists && trim(label).empty() ? "[]" : label;
}

bool is_json_list(std::string_view text) {
  return trim(text).starts_with('[');
}

// What has no comma is a file's name, even if there is no such file.
bool is_label_file(const std::string& labels) {
  std::error_code code;
  const bool is_list = is_json_list(labels) || labels.find(',') != std::string::npos;
  return !is_list || std::filesystem::is_regular_file(labels, code);
}

}  // namespace

std::optional<std::size_t> find_text_column(const DataTable& table, const DataOptions& options) {
  if (!options.text_column.empty()) return table.find(options.text_column);
  if (options.has_target_texts) {
    if (const auto source = find_source_column(table)) return source;
  }
  for (const auto& [first, second] : kPairColumns) {
    if (table.find(first) && table.find(second)) return table.find(first);
  }
  const auto text = first_of(table, kTextColumns);
  return text || !options.has_target_texts ? text : find_lone_source_column(table);
}

std::optional<std::size_t> find_id_column(const DataTable& table) {
  return first_of(table, kIdColumns);
}

LabelEncoder::LabelEncoder(std::vector<std::string> classes, std::optional<Kind> kind)
    : classes_(std::move(classes)), kind_(kind) {}

// A label that is both is a name, as with classes that are called by numbers.
LabelEncoder::Kind LabelEncoder::kind_of(const std::string& place, const std::string& name) const {
  const bool may_be_name = kind_ != Kind::kPlaces;
  if (may_be_name && std::find(classes_.begin(), classes_.end(), name) != classes_.end()) return Kind::kNames;
  const auto number = parse_integer(name);
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < classes_.size()) return Kind::kPlaces;
  const Error unknown = unknown_value(place + ": label", excerpt(name), classes_);
  throw Error(ErrorKind::kBadInput, excerpt(unknown.what(), 4000));
}

void LabelEncoder::add(const std::string& place, const std::string& label) {
  const std::string name(trim(label));
  if (name.empty()) throw Error(ErrorKind::kBadInput, place + ": the label is empty");
  if (!classes_.empty()) {
    const Kind kind = kind_of(place, name);
    if (kind_.value_or(kind) != kind) {
      throw refused_value(place + ": label", excerpt(name),
                          kind == Kind::kNames ? "earlier labels are numbers of listed classes, this one is a name"
                                               : "earlier labels are names of listed classes, this one is not");
    }
    kind_ = kind;
  }
  labels_.push_back(name);
}

int LabelEncoder::place_of(const std::string& label) const {
  if (kind_ == Kind::kPlaces) return static_cast<int>(*parse_integer(label));
  return static_cast<int>(std::find(classes_.begin(), classes_.end(), label) - classes_.begin());
}

bool LabelEncoder::are_numbers() const {
  if (!classes_.empty()) return false;
  return std::all_of(labels_.begin(), labels_.end(), [](const std::string& label) {
    const auto number = parse_integer(label);
    return number && *number >= 0 && *number <= kLargestLabelNumber;
  });
}

std::vector<std::string> LabelEncoder::names() const {
  if (!classes_.empty()) return classes_;
  if (are_numbers()) return {};
  const std::set<std::string> sorted(labels_.begin(), labels_.end());
  return {sorted.begin(), sorted.end()};
}

int LabelEncoder::count() const {
  if (!are_numbers()) return static_cast<int>(names().size());
  const std::vector<int> all = numbers();
  return all.empty() ? 0 : 1 + *std::max_element(all.begin(), all.end());
}

std::vector<int> LabelEncoder::numbers() const {
  std::vector<int> numbers;
  if (!classes_.empty()) {
    for (const std::string& label : labels_) numbers.push_back(place_of(label));
    return numbers;
  }
  if (are_numbers()) {
    for (const std::string& label : labels_) numbers.push_back(static_cast<int>(*parse_integer(label)));
    return numbers;
  }
  std::map<std::string, int> index;
  for (const std::string& name : names()) index.emplace(name, static_cast<int>(index.size()));
  for (const std::string& label : labels_) numbers.push_back(index.at(label));
  return numbers;
}

void LabelEncoder::number(DataSet& data) const {
  const std::vector<int> all = numbers();
  for (std::size_t i = 0; i < all.size(); ++i) data.examples.at(i).label = all[i];
  data.label_count = count();
  data.label_names = names();
}

DataSet read_classification(const DataTable& table, const DataOptions& options) {
  const Columns columns = find_columns(table, options);
  for (const auto& column : {std::optional(columns.text), columns.text_pair, columns.id, columns.target,
                             options.has_label_lists ? std::nullopt : columns.label}) {
    if (column) table.check_has_no_lists(*column);
  }
  LabelEncoder labels = encoder_of(table, columns.label, options);
  DataSet data;
  for (const TableRow& row : table.rows) {
    Example example;
    example.text = table.cell(row, columns.text, "text");
    if (columns.text_pair) example.text_pair = table.cell(row, *columns.text_pair, "text");
    if (columns.id) example.id = row.cells[*columns.id];
    if (columns.target) example.target = target_at(table, row, *columns.target);
    if (columns.label) labels.add(table.place(row), label_at(row, *columns.label, options));
    data.examples.push_back(std::move(example));
  }
  if (!columns.label) return data;
  labels.number(data);
  return data;
}

void drop_unlabelled_rows(DataTable& table, const DataOptions& options) {
  const std::optional<std::size_t> column = find_columns(table, options).label;
  if (!column || options.has_label_lists || !table.classes.contains(table.columns[*column])) return;
  std::erase_if(table.rows, [&](const TableRow& row) { return has_no_class(row, *column); });
}

std::vector<std::string> read_label_list(const std::string& where, std::string_view text) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto add = [&](const std::string& place, std::string_view listed) {
    const std::string name(trim(listed));
    if (name.empty()) throw Error(ErrorKind::kBadInput, place + ": a class has no name");
    if (!seen.insert(name).second)
      throw refused_value(place + ": class", excerpt(name), "each class must be listed once");
    names.push_back(name);
  };
  if (is_json_list(text)) {
    const Json list = parse_json(where, text);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string place = fmt::format("{}: [{}]", where, i);
      if (!list[i].is_string()) throw bad_value(place, excerpt(list[i].dump()), "a string");
      add(place, list[i].get_ref<const std::string&>());
    }
  } else {
    std::size_t line = 0;
    for (std::size_t position = 0; position < text.size();) {
      const std::string_view name = next_line(text, position);
      add(fmt::format("{}:{}", where, ++line), name);
    }
  }
  if (names.empty()) {
    throw Error(ErrorKind::kBadInput,
                where + ": no classes are listed; give names, such as cat,dog, or a file of them");
  }
  return names;
}

std::vector<std::string> load_label_list(const std::string& labels) {
  if (!is_label_file(labels)) {
    std::string listed = labels;
    if (!is_json_list(labels)) std::replace(listed.begin(), listed.end(), ',', '\n');
    return read_label_list("labels", listed);
  }
  std::error_code code;
  if (!std::filesystem::exists(labels, code)) {
    throw refused_value("labels", excerpt(labels), "no such file", "Give a file of names, or comma-separated names");
  }
  const DataFile file(labels);
  return read_label_list(labels, file.text());
}

std::string sha256_of_label_list(const std::string& labels) {
  return is_label_file(labels) ? sha256_file(labels) : sha256_hex(labels);
}

}  // namespace transformeter
