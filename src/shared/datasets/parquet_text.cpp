// The columns say which format the rows are written in.
#include "datasets/parquet_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "base/lower_case.h"
#include "base/text.h"
#include "datasets/data_file.h"
#include "datasets/parquet_library.h"
#include "datasets/usual_columns.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestText = std::size_t{4} << 30;
constexpr std::array kQuestionColumns{"question", "context", "answers"};
constexpr std::array kFurtherQuestionColumns{"id", "title", "is_impossible"};
constexpr const char* kTokenColumn = "tokens";
constexpr std::array kTagColumns{"ner_tags", "tags", "labels"};

using ParquetColumns = std::vector<ParquetColumn>;
using Shape = ParquetColumn::Shape;

const ParquetColumn* find_column(const ParquetColumns& columns, std::string_view name) {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const ParquetColumn& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

bool is_cell(const ParquetColumn& column) {
  return column.shape == Shape::kValue || column.shape == Shape::kList || column.shape == Shape::kFile;
}

bool has_questions(const ParquetColumns& columns) {
  return std::all_of(kQuestionColumns.begin(), kQuestionColumns.end(), [&](const char* name) {
    const ParquetColumn* const column = find_column(columns, name);
    return column != nullptr && column->shape != Shape::kUnread;
  });
}

// Nothing where the columns are not those of tagged tokens.
std::optional<std::string> tag_column(const ParquetColumns& columns) {
  const auto is_list = [&](const char* name) {
    const ParquetColumn* const column = find_column(columns, name);
    return column != nullptr && column->shape == Shape::kList;
  };
  const auto found = std::find_if(kTagColumns.begin(), kTagColumns.end(), is_list);
  if (!is_list(kTokenColumn) || found == kTagColumns.end()) return std::nullopt;
  return *found;
}

// Of a table: those that are chosen, and the usual ones.
std::vector<std::string> table_columns(const std::string& where, const ParquetColumns& columns,
                                       const ParquetSelection& selection) {
  const std::vector<std::string>& chosen = selection.chosen;
  std::vector<std::string> needed, all;
  bool has_input = false, has_chosen = true;
  for (const ParquetColumn& column : columns) {
    const bool is_chosen = std::find(chosen.begin(), chosen.end(), column.name) != chosen.end();
    if (is_chosen && !is_cell(column)) {
      throw refused_value(where + ": column", column.name, fmt::format("it holds {}", excerpt(column.type, 100)),
                          "Read are texts, numbers, booleans, dates, lists of these, images and sounds");
    }
    if (!is_cell(column) || (column.shape == Shape::kFile && !selection.reads_files && !is_chosen)) continue;
    all.push_back(column.name);
    const bool is_target = selection.has_target_texts && is_target_column(column.name);
    const bool is_input = is_input_column(column.name) || (selection.has_target_texts && is_source_column(column.name));
    has_input = has_input || (!chosen.empty() && !chosen.front().empty() ? column.name == chosen.front() : is_input);
    const bool is_of_file = selection.reads_files &&
                            (is_one_of(kTranscriptColumns, column.name) || is_one_of(kCaptionColumns, column.name));
    const bool is_usual = is_input || is_target || is_of_file || is_one_of(kLabelColumns, column.name) ||
                          is_one_of(kIdColumns, column.name);
    if (is_chosen || is_usual) needed.push_back(column.name);
  }
  for (const std::string& name : chosen) has_chosen = has_chosen && (name.empty() || find_column(columns, name));
  if (all.empty()) {
    std::vector<std::string> held;
    for (const ParquetColumn& column : columns) held.push_back(fmt::format("{} ({})", column.name, column.type));
    throw Error(ErrorKind::kBadInput, fmt::format("{}: no column that is read: {}", where,
                                                  excerpt(fmt::format("{}", fmt::join(held, ", ")), 300)));
  }
  return has_input && has_chosen ? needed : all;
}

// A feature is {"_type": "ClassLabel", "names": [...]}, or a list of one as "feature" or in brackets.
std::vector<std::string> names_of(const Json& feature) {
  if (feature.is_array() && feature.size() == 1) return names_of(feature.front());
  if (!feature.is_object()) return {};
  if (const auto inner = feature.find("feature"); inner != feature.end()) return names_of(*inner);
  const auto names = feature.find("names");
  if (feature.value("_type", Json()) != "ClassLabel" || names == feature.end() || !names->is_array()) return {};
  std::vector<std::string> result;
  for (const Json& name : *names) {
    if (!name.is_string()) return {};
    result.push_back(name.get<std::string>());
  }
  return result;
}

std::map<std::string, std::vector<std::string>> described_classes(const fs::path& file, const std::string& features) {
  std::map<std::string, std::vector<std::string>> classes;
  if (features.empty()) return classes;
  const Json json = parse_json(file.string() + ": the metadata 'huggingface'", features);
  const Json::json_pointer place("/info/features");
  if (!json.contains(place) || !json.at(place).is_object()) return classes;
  for (const auto& [column, feature] : json.at(place).items()) {
    if (std::vector<std::string> names = names_of(feature); !names.empty()) classes[column] = std::move(names);
  }
  return classes;
}

std::string tag_of(const std::string& place, const Json& tag, const std::vector<std::string>& names) {
  if (tag.is_string()) return tag.get<std::string>();
  const auto number = whole_number<std::size_t>(tag);
  if (number && *number < names.size()) return names[*number];
  throw bad_value(place + ": tag", excerpt(tag.dump()),
                  names.empty()
                      ? "a tag such as \"B-person\", or a number with the classes' names in the file's metadata"
                      : fmt::format("a number from 0 to {}", names.size() - 1));
}

// A token and its tag a line, and an empty line behind each sentence.
std::string conll_text(const std::string& where, std::string_view lines, const std::string& tags,
                       const std::vector<std::string>& names) {
  std::string text;
  std::size_t row = 0;
  for (std::size_t position = 0; position < lines.size();) {
    const std::string place = fmt::format("{}:{}", where, ++row);
    const Json record = parse_json(place, next_line(lines, position));
    const Json& tokens = record.at(kTokenColumn);
    if (tokens.size() != record.at(tags).size()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: {} tokens, but {} tags", place, tokens.size(), record.at(tags).size()));
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string token = tokens[i].is_string() ? tokens[i].get<std::string>() : "";
      if (trim(token).empty() || token.find_first_of("\t\r\n") != std::string::npos) {
        throw refused_value(place + ": token", excerpt(tokens[i].dump()), "it is no word");
      }
      text += fmt::format("{}\t{}\n", token, tag_of(place, record.at(tags)[i], names));
    }
    text += '\n';
  }
  return text;
}

// {"data": [row, row]}
std::string squad_text(std::string_view lines) {
  std::string text = "{\"data\": [";
  for (std::size_t position = 0; position < lines.size();) {
    if (position > 0) text += ",\n";
    text += next_line(lines, position);
  }
  return text + "]}";
}

std::vector<std::size_t> places_of(const fs::path& file, const ParquetColumns& columns,
                                   const std::vector<std::string>& wanted) {
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const ParquetColumn* const column = find_column(columns, name);
    if (column == nullptr || column->shape == Shape::kUnread) {
      throw Error(ErrorKind::kBadInput, fmt::format("{}: no column '{}', which other files of the data set have",
                                                    file.string(), excerpt(name)));
    }
    places.push_back(static_cast<std::size_t>(column - columns.data()));
  }
  return places;
}

}  // namespace

bool is_parquet_name(const fs::path& file) {
  return lower_case(file.extension().string()) == ".parquet";
}

ParquetText read_parquet(const std::string& where, const std::vector<fs::path>& files,
                         const ParquetSelection& selection) {
  const bool is_left_to_us = selection.chosen.empty();
  std::unique_ptr<ParquetFile> file = open_parquet(files.front());
  const ParquetColumns first = file->columns();
  ParquetText result;
  result.classes = described_classes(files.front(), file->features());
  const bool is_of_questions = is_left_to_us && has_questions(first);
  const std::optional<std::string> tags = is_left_to_us && !is_of_questions ? tag_column(first) : std::nullopt;
  std::vector<std::string> wanted;
  if (is_of_questions) {
    wanted.assign(kQuestionColumns.begin(), kQuestionColumns.end());
    for (const char* name : kFurtherQuestionColumns) {
      if (const ParquetColumn* const column = find_column(first, name); column != nullptr && is_cell(*column)) {
        wanted.emplace_back(name);
      }
    }
  } else if (tags) {
    wanted = {kTokenColumn, *tags};
  } else {
    wanted = table_columns(where, first, selection);
  }
  std::string lines;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i > 0) file = open_parquet(files[i]);
    std::string why_not;
    if (file->append_rows(places_of(files[i], file->columns(), wanted), kLargestText, lines, why_not)) continue;
    throw unreadable_parquet(files[i], why_not);
  }
  if (lines.empty()) throw Error(ErrorKind::kBadInput, where + ": no rows");
  if (is_of_questions) {
    result.text = squad_text(lines);
    result.extension = ".json";
  } else if (tags) {
    result.text = conll_text(where, lines, *tags, result.classes[*tags]);
    result.extension = ".conll";
  } else {
    result.text = std::move(lines);
    result.extension = ".jsonl";
  }
  return result;
}

}  // namespace transformeter
