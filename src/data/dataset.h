// Labelled examples from a file, in the order of the file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct Example {
  std::string text;
  std::optional<std::string> text_pair;
  std::optional<int> label;  // in [0, label_count)
};

struct DataSet {
  std::string name;  // folder and file without ending, as "sst2/dev"
  std::vector<Example> examples;
  int label_count = 0;  // 0: the examples have no labels
  std::string sha256;   // of the file's bytes
};

/// A file format: how to know it, and how to read it.
struct DataFormat {
  std::string name;
  std::string description;  // what the file must look like, for errors
  bool (*recognises)(std::string_view first_line) = nullptr;
  /// Fills examples and label_count. `where` names the file in errors; `bytes` is valid UTF-8 without a byte order
  /// mark.
  DataSet (*read)(const std::string& where, std::string_view bytes) = nullptr;
};

/// The formats built in: "sst2", tab-separated with a header `sentence label`, `index sentence` or `label content`,
/// labels 0 or 1, LF or CRLF.
std::vector<DataFormat> builtin_data_formats();

/// Reads `path` by the first format that recognises its first line. Throws Error(kBadInput) as "FILE:LINE: …" for an
/// unknown header, a bad label, a missing or further column, an empty text, no rows, or bytes that are not UTF-8.
DataSet load_dataset(const std::filesystem::path& path,
                     const std::vector<DataFormat>& formats = builtin_data_formats());

}  // namespace transformeter
