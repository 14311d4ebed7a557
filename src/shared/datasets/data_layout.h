// Which files of a folder or repository are a data set, by their names: as Hugging Face's `datasets` lays them out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct DataParts {
  std::string split;               // "train"; of a single file without a split's name the file's, without ending
  std::vector<std::string> files;  // below the root, sorted: several are shards of one format
};

/// Of `paths`, which have slashes: files of one format, the first that is there of .parquet, .jsonl, .csv, .tsv,
/// .json, .conll and .txt (also with .gz), and of one split. A file's split is what stands in front of -00000-of-00002,
/// else a folder or a word of the file's name that is train, validation (valid, val, dev) or test, else the name
/// without ending. Folders that are neither splits nor `data` are data sets of their own: where there are several, and
/// none is at the root, the user has to name one. `where` names the root in errors. Throws Error(kBadInput) for no data
/// files, and naming those there are for several folders or splits and a split that is not there.
DataParts choose_data_files(const std::string& where, const std::vector<std::string>& paths, const std::string& split);

/// Whether a file's name ends as one of data does, whatever its capitals, also with .gz behind.
bool has_data_ending(std::string_view name);

/// Whether choose_data_files has any to choose from below the folder, as a folder of images has not. Throws as
/// files_below.
bool holds_data_files(const std::filesystem::path& folder);

/// The files below `folder`, hidden ones left out. Throws Error(kBadInput) for a folder that cannot be read.
std::vector<std::string> files_below(const std::filesystem::path& folder);

}  // namespace transformeter
