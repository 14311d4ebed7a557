// Data sets whose examples are files of images or sounds: folders of classes, and tables of paths.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/media_files.h"

namespace transformeter {

/// What a table tells of each file.
enum class RowAnswer {
  kLabel,       // its class
  kTranscript,  // what is said in it
  kCaption,     // a text about it
};

/// A folder of files or of a subfolder for each class (class_folders.h), or a table (CSV, TSV, JSON Lines, Parquet or
/// a folder of it), whose column of files is options.text_column, else the first of kind.columns, and whose paths count
/// from its folder. Labels are as read_classification has them, transcripts and captions as read_file_texts; of a table
/// without their column there are none. An example's text is the path of its file; one of Parquet may have the bytes of
/// a file instead. Throws Error(kBadInput) naming path and place; what the system refuses is for with_system_errors.
DataSet read_media_data(const std::filesystem::path& path, const DataOptions& options, const MediaFiles& kind,
                        RowAnswer answer = RowAnswer::kLabel);

/// Of the classes' names, and of all files' bytes (or pixels), labels, transcripts and captions in order: data with the
/// same one give the same inputs and scores. Reads all files, calls `check` before each, if there is one. Throws what
/// it throws, and Error(kBadInput) for a file that cannot be read.
std::string sha256_of_media(const DataSet& data, const std::function<void()>& check = {});

/// Of each example the number of its image, from 0 in the order in which images come: rows of a table may have one in
/// common, by its path or its bytes.
std::vector<std::size_t> image_numbers(const std::vector<Example>& examples);

/// Calls `read`; what the system refuses becomes Error(kBadInput) naming the path.
DataSet with_system_errors(const MediaFiles& kind, const std::function<DataSet()>& read);

}  // namespace transformeter
