// Choosing the format, and what holds for all of them.
#include "datasets/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "datasets/classification.h"
#include "datasets/conll.h"
#include "datasets/data_file.h"
#include "datasets/plain_text.h"
#include "datasets/splits.h"
#include "datasets/squad.h"
#include "datasets/sst2.h"
#include "datasets/table.h"

namespace transformeter {
namespace {

std::string_view first_line(std::string_view text) {
  std::size_t position = 0;
  return next_line(text, position);
}

DataSet table_data(DataTable table, const DataSource& source) {
  table.classes = source.classes;
  drop_unlabelled_rows(table, source.options);
  DataSet data = read_classification(table, source.options);
  data.task = Task::kSequenceClassification;
  return data;
}

DataFormat squad_format() {
  return {"squad", "JSON with the key 'data': SQuAD articles or rows of one question each",
          [](const DataSource& source) { return looks_like_squad(source.text); },
          [](const DataSource& source) {
            DataSet data;
            data.task = Task::kQuestionAnswering;
            QuestionSet set = read_squad(source.where, source.text);
            for (Question& question : set.questions) {
              data.examples.push_back({std::move(question.text), set.contexts[question.context], std::nullopt});
            }
            return data;
          }};
}

DataFormat json_lines_format() {
  return {"json_lines",
          "one JSON object per line, with a text and a label",
          [](const DataSource& source) {
            return trim(first_line(source.text)).starts_with('{') && source.extension != ".conll";
          },
          [](const DataSource& source) { return table_data(read_json_lines(source.where, source.text), source); },
          true,
          true};
}

DataFormat conll_format() {
  return {"conll", "one token and tag per line, e.g. 'Paris<TAB>B-location', blank lines between sentences",
          [](const DataSource& source) { return source.extension == ".conll" || looks_like_conll(source.text); },
          [](const DataSource& source) {
            DataSet data;
            data.task = Task::kTokenClassification;
            for (const TaggedSentence& sentence : read_conll(source.where, source.text).sentences) {
              Example example;
              for (const TaggedToken& token : sentence) {
                if (!example.text.empty()) example.text += ' ';
                example.text += token.text;
              }
              data.examples.push_back(std::move(example));
            }
            return data;
          }};
}

DataFormat plain_text_format() {
  return {"plain_text", "a .txt or .txt.gz file, one text per non-empty line",
          [](const DataSource& source) { return source.extension == ".txt"; },
          [](const DataSource& source) {
            DataSet data;
            data.task = Task::kCausalLm;
            for (const std::string_view line : text_lines(source.text)) {
              data.examples.push_back({std::string(line), std::nullopt, std::nullopt});
            }
            return data;
          }};
}

DataFormat delimited_format() {
  return {"delimited",
          "comma-, semicolon- or tab-separated with a header, e.g. 'text,label'",
          [](const DataSource& source) {
            const bool is_named_so = source.extension == ".csv" || source.extension == ".tsv";
            return is_named_so || first_line(source.text).find_first_of("\t,;") != std::string_view::npos;
          },
          [](const DataSource& source) { return table_data(read_delimited(source.where, source.text), source); },
          true,
          true};
}

DataFormat splits_format() {
  return {"splits",
          "JSON with lists of [text, class] by split, as in CLINC150",
          [](const DataSource& source) { return looks_like_splits(source.text); },
          [](const DataSource& source) {
            DataSet data = read_splits(source.where, source.text, source.options);
            data.task = Task::kSequenceClassification;
            return data;
          },
          false,
          true,
          true};
}

void check_use(const DataOptions& options, const DataFormat& format, const std::string& where) {
  const auto check = [&](bool is_asked, bool is_there, const char* what) {
    if (!is_asked || is_there) return;
    throw Error(ErrorKind::kBadInput, fmt::format("{}: files of the format '{}' have no {}", where, format.name, what));
  };
  check(options.names_columns(), format.has_columns, "columns to choose");
  check(!options.split.empty(), format.has_splits, "splits to choose");
  check(!options.labels.empty(), format.has_classes, "classes to list");
}

const DataFormat& choose_format(const DataSource& source, const std::vector<DataFormat>& formats) {
  std::string known;
  for (const DataFormat& format : formats) {
    if (format.recognises(source)) return format;
    known += fmt::format("{}{} ({})", known.empty() ? "" : "; ", format.name, format.description);
  }
  throw refused_value(source.where + ":1: beginning", excerpt(first_line(source.text)),
                      "unknown data format; known: " + known);
}

}  // namespace

bool is_blank(std::string_view text, const std::optional<std::string>& text_pair) {
  return trim(text).empty() && (!text_pair || trim(*text_pair).empty());
}

bool has_transcripts(const DataSet& data) {
  return !data.examples.empty() && data.examples.front().transcript.has_value();
}

DataOptions data_options(const Case& the_case) {
  return {the_case.text_column, the_case.text_pair_column,      the_case.label_column,          the_case.labels,
          the_case.split,       has_label_lists(the_case.task), has_target_texts(the_case.task)};
}

bool DataOptions::any() const {
  return names_columns() || !labels.empty() || !split.empty();
}

bool DataOptions::names_columns() const {
  return !text_column.empty() || !text_pair_column.empty() || !label_column.empty();
}

DataSelection DataOptions::selection() const {
  DataSelection selection{split, {}};
  selection.columns.has_target_texts = has_target_texts;
  if (names_columns()) selection.columns.chosen = {text_column, text_pair_column, label_column};
  return selection;
}

std::vector<DataFormat> builtin_data_formats() {
  return {sst2_format(),  squad_format(),      splits_format(),   json_lines_format(),
          conll_format(), plain_text_format(), delimited_format()};
}

DataSet load_dataset(const std::filesystem::path& path, const DataOptions& options,
                     const std::vector<DataFormat>& formats) {
  const DataFile file(path, options.selection());
  DataSource source{file.where(), file.extension(), file.text(), options, file.classes()};
  if (file.has_splits()) source.options.split.clear();
  const DataFormat& format = choose_format(source, formats);
  check_use(source.options, format, file.where());
  DataSet data = format.read(source);
  if (data.examples.empty()) throw Error(ErrorKind::kBadInput, file.where() + ": no rows below the header");
  data.name = file.name();
  data.sha256 = file.sha256();
  return data;
}

}  // namespace transformeter
