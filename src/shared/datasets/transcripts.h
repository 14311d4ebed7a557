// Tables of sounds with what is said in them.
#pragma once

#include <cstddef>
#include <optional>

#include "datasets/dataset.h"
#include "datasets/table.h"

namespace transformeter {

/// The column of transcripts: options.label_column, else the first of a usual name; nothing where there is none. Throws
/// Error(kBadInput) naming the columns for one that is not there.
std::optional<std::size_t> find_transcript_column(const DataTable& table, const DataOptions& options);

/// The rows' paths, of the column options.text_column, with their transcripts, where there is a column of them, and
/// ids. An empty transcript says that nothing is said. Throws Error(kBadInput) as "FILE:LINE: …" for a column that is
/// not there or holds lists, and for a path or transcript that JSON leaves out.
DataSet read_transcripts(const DataTable& table, const DataOptions& options);

}  // namespace transformeter
