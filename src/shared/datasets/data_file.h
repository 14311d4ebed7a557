// The text of a data file as every reader wants it: whole, unpacked, UTF-8, without a byte order mark.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/parquet_text.h"

namespace transformeter {

/// What of a path is read.
struct DataSelection {
  std::string split;              // of a folder with several; empty: the only one
  ParquetSelection columns = {};  // of Parquet
};

class DataFile {
 public:
  /// Reads the file `path`, which is of text. Throws as the other.
  explicit DataFile(const std::filesystem::path& path);
  /// Reads `path`, a data set; a name that ends in ".gz" is unpacked, Parquet comes as text (parquet_text.h), and of a
  /// folder the files of one split (data_layout.h) are read as one: several only of Parquet and JSON Lines. Throws
  /// Error(kBadInput) naming the file, and the line where there is one, when it cannot be read or unpacked, is empty,
  /// is not UTF-8 or unpacks to more than 4 GiB, and what choose_data_files and read_parquet throw.
  DataFile(const std::filesystem::path& path, const DataSelection& selection);

  /// As given, for errors.
  const std::string& where() const { return where_; }
  std::string_view text() const { return std::string_view(bytes_).substr(text_begin_); }
  /// Folder and file without endings, as "sst2/dev"; of a folder its own name and the split.
  const std::string& name() const { return name_; }
  /// The ending in front of ".gz", in small letters, as ".tsv"; empty without one. Of Parquet that of the text.
  const std::string& extension() const { return extension_; }
  /// Of the file as it lies on the disk; of several of their hashes in order.
  const std::string& sha256() const { return sha256_; }
  /// Whether the path is a folder, in which the split was chosen.
  bool has_splits() const { return has_splits_; }
  /// The names of classes, in order, of columns that hold their numbers.
  const std::map<std::string, std::vector<std::string>>& classes() const { return classes_; }

 private:
  void read_texts(const std::vector<std::filesystem::path>& files);
  void check_text();
  void read_parquet_files(const std::vector<std::filesystem::path>& files, const ParquetSelection& columns);

  std::string where_;
  std::string name_;
  std::string extension_;
  std::string sha256_;
  std::string bytes_;
  std::size_t text_begin_ = 0;
  bool has_splits_ = false;
  std::map<std::string, std::vector<std::string>> classes_;
};

/// The files that DataFile(path, {split, {}}) reads: `path` itself, or a folder's of the split. Throws as it does.
std::vector<std::filesystem::path> files_of_data(const std::filesystem::path& path, const std::string& split);

/// DataFile(path, {split, {}}).sha256() without reading Parquet. Throws Error(kBadInput) for what cannot be read.
std::string sha256_of_data(const std::filesystem::path& path, const std::string& split);

/// Windows programs begin UTF-8 files with one.
std::string_view without_byte_order_mark(std::string_view text);

/// The next line of `text` from `position` on, which moves behind it; ends with LF or CRLF, neither is returned.
std::string_view next_line(std::string_view text, std::size_t& position);

}  // namespace transformeter
