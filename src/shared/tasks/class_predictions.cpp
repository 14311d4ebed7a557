// Finding the column of predictions, and holding each row to its example.
#include "tasks/class_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "datasets/classification.h"
#include "datasets/data_file.h"
#include "datasets/table.h"

namespace transformeter {
namespace {

// Not "label": beside predictions that is the truth.
constexpr std::array<const char*, 4> kColumns = {"prediction", "pred", "predicted", "predicted_label"};
constexpr const char* kColumnHint = "Choose another one with --prediction-column.";

struct PlacedText {
  std::size_t line = 0;
  std::string text;
};

std::string_view first_line(std::string_view text) {
  std::size_t position = 0;
  return trim(next_line(text, position));
}

bool is_class_name(std::string_view text, const DataSet& data) {
  return std::find(data.label_names.begin(), data.label_names.end(), text) != data.label_names.end();
}

bool is_known_column(std::string_view name) {
  return std::find(kColumns.begin(), kColumns.end(), name) != kColumns.end();
}

bool names_known_column(std::string_view header) {
  for (const char separator : {'\t', ',', ';'}) {
    const std::vector<std::string> fields = split(header, separator);
    const auto is_known = [](const std::string& field) { return is_known_column(trim(field)); };
    if (std::any_of(fields.begin(), fields.end(), is_known)) return true;
  }
  return false;
}

std::size_t prediction_column(const DataTable& table, const std::string& asked) {
  if (!asked.empty()) return table.at(asked, "prediction column");
  std::vector<std::string> found;
  for (const char* name : kColumns) {
    if (table.find(name)) found.emplace_back(name);
  }
  if (found.size() == 1) return *table.find(found.front());
  if (found.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: none of the columns ({}) is known to contain predictions; known names: {}. {}",
                            table.where, excerpt(fmt::format("{}", fmt::join(table.columns, ", ")), 300),
                            fmt::join(kColumns, ", "), kColumnHint));
  }
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: any of the columns {} could contain predictions. Choose one with --prediction-column.",
                          table.where, fmt::join(found, ", ")));
}

// Rows in another order than the data set's would only show as a bad score.
void check_order(const DataTable& table, std::optional<std::size_t> column, const DataSet& data,
                 const std::function<const std::string*(const Example&)>& value_of) {
  if (!column) return;
  for (std::size_t i = 0; i < std::min(table.rows.size(), data.examples.size()); ++i) {
    const std::string* expected = value_of(data.examples[i]);
    const std::string found = table.rows[i].cells[*column].value_or("");
    if (expected == nullptr || trim(found) == trim(*expected)) continue;
    throw Error(ErrorKind::kBadInput, fmt::format("{}: the {} is '{}', but that of example {} of {} is '{}'; "
                                                  "predictions must be in the order of the data set",
                                                  table.place(table.rows[i]), table.columns[*column], excerpt(found),
                                                  i + 1, data.name, excerpt(*expected)));
  }
}

std::vector<PlacedText> table_texts(const DataTable& table, const DataSet& data,
                                    const ClassPredictionOptions& options) {
  const std::size_t column = prediction_column(table, options.column);
  check_order(table, find_id_column(table), data,
              [](const Example& example) { return example.id ? &*example.id : nullptr; });
  // Paths of images and sounds may be written in several ways.
  if (modality_of(data.task) == Modality::kText) {
    check_order(table, find_text_column(table, options.data_options), data,
                [](const Example& example) { return &example.text; });
  }
  std::vector<PlacedText> texts;
  for (const TableRow& row : table.rows) {
    texts.push_back({row.line, std::string(trim(table.cell(row, column, "prediction")))});
  }
  return texts;
}

std::vector<PlacedText> list_texts(std::string_view text) {
  std::vector<PlacedText> texts;
  for (std::size_t position = 0; position < text.size();) {
    texts.push_back({texts.size() + 1, std::string(trim(next_line(text, position)))});
  }
  while (!texts.empty() && texts.back().text.empty()) texts.pop_back();
  return texts;
}

// Names that nobody put into order have no numbers: a model counts its classes in an order of its own.
bool has_numbers(const DataSet& data, const DataOptions& options) {
  return data.label_names.empty() || !options.labels.empty();
}

int class_of(const std::string& place, const std::string& text, const DataSet& data, const DataOptions& options) {
  const auto name = std::find(data.label_names.begin(), data.label_names.end(), text);
  if (name != data.label_names.end()) return static_cast<int>(name - data.label_names.begin());
  const auto number = parse_integer(text);
  const bool is_number = number && *number >= 0 && *number < data.label_count;
  const std::string names = excerpt(fmt::format("{}", fmt::join(data.label_names, ", ")), 300);
  if (!has_numbers(data, options)) {
    throw bad_value(place + ": class", excerpt(text), "a class name of the data set: " + names,
                    number ? "To use numbers, list the classes in order with --labels FILE." : "");
  }
  if (is_number) return static_cast<int>(*number);
  throw bad_value(place + ": class", excerpt(text),
                  fmt::format("a number from 0 to {}{}{}", data.label_count - 1,
                              data.label_names.empty() ? "" : ", or a name: ", names));
}

void check_count(const std::string& where, const std::vector<PlacedText>& texts, const DataSet& data) {
  const std::size_t wanted = data.examples.size();
  if (texts.size() > wanted) {
    throw Error(ErrorKind::kBadInput, fmt::format("{0}:{1}: {4} predictions for the {2} examples of {3}", where,
                                                  texts[wanted].line, wanted, data.name, texts.size()));
  }
  if (texts.size() < wanted) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}:{}: only {} predictions, but {} has {} examples", where,
                            texts.empty() ? 1 : texts.back().line, texts.size(), data.name, wanted));
  }
}

}  // namespace

void read_predictions(const std::string& where, std::string_view text, const DataSet& data,
                      const ClassPredictionOptions& options, const std::function<bool(std::string_view)>& is_answer,
                      const TakePrediction& take) {
  const std::string_view header = first_line(text);
  const bool is_json = header.starts_with('{');
  const bool is_list = options.column.empty() && is_answer(header);
  const bool is_table = !is_list && (is_json || !options.column.empty() || names_known_column(header));
  const std::vector<PlacedText> texts =
      is_table ? table_texts(is_json ? read_json_lines(where, text) : read_delimited(where, text), data, options)
               : list_texts(text);
  for (const PlacedText& one : texts) take(fmt::format("{}:{}", where, one.line), one.text);
  check_count(where, texts, data);
}

std::vector<int> read_predicted_classes(const std::string& where, std::string_view text, const DataSet& data,
                                        const ClassPredictionOptions& options) {
  const auto is_answer = [&](std::string_view line) { return is_class_name(line, data); };
  std::vector<int> classes;
  read_predictions(where, text, data, options, is_answer, [&](const std::string& place, const std::string& one) {
    classes.push_back(class_of(place, one, data, options.data_options));
  });
  return classes;
}

}  // namespace transformeter
