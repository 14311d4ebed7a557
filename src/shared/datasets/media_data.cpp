// Tables have columns to choose; all else is found by what the path is.
#include "datasets/media_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "datasets/class_folders.h"
#include "datasets/classification.h"
#include "datasets/data_file.h"
#include "datasets/data_layout.h"
#include "datasets/file_texts.h"
#include "datasets/parquet_text.h"
#include "datasets/table.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

std::string file_column(const DataTable& table, const DataOptions& options, const MediaFiles& kind) {
  if (!options.text_column.empty()) return options.text_column;
  for (const char* name : kind.columns) {
    if (table.find(name)) return name;
  }
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: none of the columns ({}) is known to hold paths of {}; known names: {}. Choose one "
                          "with --text-column.",
                          table.where, excerpt(fmt::format("{}", fmt::join(table.columns, ", ")), 300), kind.many,
                          fmt::join(kind.columns, ", ")));
}

constexpr std::string_view kFileBytes = "data:;base64,";  // as Parquet's files come (parquet_plugin.h)

// A slip in one of many paths shows before anything is measured.
void find_files(const DataTable& table, const fs::path& folder, const MediaFiles& kind, DataSet& data) {
  std::error_code code;
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const std::string name(trim(data.examples[i].text));
    const auto place = [&] { return fmt::format("{}: {}", table.place(table.rows[i]), kind.one); };
    if (name.starts_with(kFileBytes)) {
      auto bytes = decode_base64(std::string_view(name).substr(kFileBytes.size()));
      if (!bytes) throw refused_value(place(), excerpt(name), "it is not base64");
      data.examples[i].text = table.place(table.rows[i]);
      data.examples[i].file = std::make_shared<const std::string>(*std::move(bytes));
      continue;
    }
    if (name.empty()) {
      throw refused_value(place(), name, "it is empty", fmt::format("Expected the path of a {} file", kind.formats));
    }
    const fs::path file = folder / name;
    if (!fs::is_regular_file(file, code)) {
      throw refused_value(place(), excerpt(name), fmt::format("there is no file '{}'", excerpt(file.string(), 300)),
                          "Paths count from the table's folder");
    }
    data.examples[i].text = file.string();
  }
}

DataSet rows_of(DataTable& table, const DataOptions& options, RowAnswer answer) {
  if (answer == RowAnswer::kTranscript) return read_file_texts(table, kTranscripts, options);
  if (answer == RowAnswer::kCaption) return read_file_texts(table, kCaptions, options);
  drop_unlabelled_rows(table, options);
  return read_classification(table, options);
}

DataSet read_media_table(const fs::path& path, DataOptions options, const MediaFiles& kind, RowAnswer answer) {
  if (is_named_as(path, kind)) {
    throw refused_value(fmt::format("{} data", kind.one), path.string(), fmt::format("it is one {}", kind.one),
                        fmt::format("Give a folder or table of {}, or the {} itself to `predict {}`", kind.many,
                                    kind.one, kind.option));
  }
  DataSelection selection = options.selection();
  selection.columns.reads_files = true;
  const DataFile file(path, selection);
  const bool is_json = trim(file.text()).starts_with('{');
  DataTable table = is_json ? read_json_lines(file.where(), file.text()) : read_delimited(file.where(), file.text());
  table.classes = file.classes();
  options.text_column = file_column(table, options, kind);
  if (!options.text_pair_column.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: {} have no pairs; leave --text-pair-column out", file.where(), kind.many));
  }
  DataSet data = rows_of(table, options, answer);
  if (data.examples.empty()) throw Error(ErrorKind::kBadInput, file.where() + ": no rows below the header");
  find_files(table, file.has_splits() ? path : path.parent_path(), kind, data);
  data.columns = std::move(table.columns);
  data.name = file.name();
  data.sha256 = file.sha256();
  return data;
}

// A folder whose subfolders hold files of the kind is one of classes, even beside a Parquet file. A picture beside the
// shards makes no class.
bool is_parquet_folder(const fs::path& folder, const MediaFiles& kind) {
  const std::vector<std::string> files = files_below(folder);
  const auto is_of_class = [&](const std::string& file) {
    return file.find('/') != std::string::npos && is_named_as(file, kind);
  };
  return std::any_of(files.begin(), files.end(), [](const std::string& file) { return is_parquet_name(file); }) &&
         std::none_of(files.begin(), files.end(), is_of_class);
}

}  // namespace

DataSet with_system_errors(const MediaFiles& kind, const std::function<DataSet()>& read) {
  try {
    return read();
  } catch (const fs::filesystem_error& error) {
    throw refused_value(fmt::format("{} data", kind.one), excerpt(error.path1().string(), 300), error.code().message(),
                        "All folders must be readable, and links lead to no folder around them");
  }
}

DataSet read_media_data(const fs::path& path, const DataOptions& options, const MediaFiles& kind, RowAnswer answer) {
  if (!fs::exists(path)) {
    throw refused_value(fmt::format("{} data", kind.one), path.string(), "no such file or folder",
                        fmt::format("Give {}", kind.forms));
  }
  const bool is_folder = fs::is_directory(path);
  const bool has_files = is_folder && is_parquet_folder(path, kind);
  const bool is_table = !is_folder || has_files;
  if (!is_table && options.names_columns()) {
    throw Error(ErrorKind::kBadInput, path.string() + ": it has no columns to choose");
  }
  if (!has_files && !options.split.empty()) {
    throw refused_value("split", options.split, fmt::format("'{}' has no splits", path.string()),
                        "Give the folder or file of the split itself");
  }
  return is_table ? read_media_table(path, options, kind, answer) : read_class_folders(path, options, kind);
}

std::vector<std::size_t> image_numbers(const std::vector<Example>& examples) {
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> numbers;
  for (const Example& example : examples) {
    const std::string key =
        example.file != nullptr ? sha256_hex(*example.file) : fs::path(example.text).lexically_normal().string();
    numbers.push_back(known.emplace(key, known.size()).first->second);
  }
  return numbers;
}

std::string sha256_of_media(const DataSet& data, const std::function<void()>& check) {
  StreamHash hash(StreamHash::Kind::kSha256);
  hash.update(canonical_json(data.label_names));
  std::map<std::string, std::string> known;  // several captions may have one file
  const auto hash_of = [&](const std::string& path) {
    const auto [place, is_new] = known.try_emplace(path);
    if (is_new) place->second = sha256_file(path);
    return place->second;
  };
  for (const Example& example : data.examples) {
    if (check) check();
    if (example.file != nullptr) {
      hash.update(sha256_hex(*example.file));
    } else if (example.image != nullptr) {
      const std::vector<std::uint8_t>& pixels = example.image->pixels;
      hash.update(sha256_hex({reinterpret_cast<const char*>(pixels.data()), pixels.size()}));
    } else {
      hash.update(hash_of(example.text));
    }
    for (const std::optional<std::string>* text : {&example.transcript, &example.caption}) {
      if (*text) hash.update(canonical_json(**text));
    }
    hash.update(example.label ? fmt::format(" {}\n", *example.label) : "\n");
  }
  return hash.hex();
}

}  // namespace transformeter
