// Tables of sounds with what is said in them, and of images with their captions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "datasets/dataset.h"
#include "datasets/table.h"
#include "datasets/usual_columns.h"

namespace transformeter {

/// One kind of text that a table has for each file.
struct FileText {
  std::string_view noun;                      // in errors
  std::span<const char* const> columns;       // usual names
  std::optional<std::string> Example::*text;  // where it goes
  bool may_be_blank;                          // an empty one says something
};
inline constexpr FileText kTranscripts{"transcript", kTranscriptColumns, &Example::transcript, true};
inline constexpr FileText kCaptions{"caption", kCaptionColumns, &Example::caption, false};

/// The rows' paths, of the column options.text_column, with their texts, where there is a column of them, and ids: it
/// is options.label_column, else the first of a usual name. Throws Error(kBadInput) as "FILE:LINE: …" for a column that
/// is not there or holds lists, for a path or text that JSON leaves out, and naming the path for a blank text that says
/// nothing.
DataSet read_file_texts(const DataTable& table, const FileText& kind, const DataOptions& options);

/// Throws Error(kBadInput) naming `where` for data without these texts.
void check_has_texts(const DataSet& data, const FileText& kind, const std::string& where);

}  // namespace transformeter
