#include "datasets/transcripts.h"

#include <utility>

#include "datasets/classification.h"
#include "datasets/usual_columns.h"

namespace transformeter {

std::optional<std::size_t> find_transcript_column(const DataTable& table, const DataOptions& options) {
  if (!options.label_column.empty()) return table.at(options.label_column, "transcript column");
  for (const char* name : kTranscriptColumns) {
    if (const auto column = table.find(name)) return column;
  }
  return std::nullopt;
}

DataSet read_transcripts(const DataTable& table, const DataOptions& options) {
  const std::size_t path = table.at(options.text_column, "column of paths");
  const std::optional<std::size_t> transcript = find_transcript_column(table, options), id = find_id_column(table);
  for (const std::optional<std::size_t>& column : {std::optional(path), transcript, id}) {
    if (column) table.check_has_no_lists(*column);
  }
  DataSet data;
  for (const TableRow& row : table.rows) {
    Example example;
    example.text = table.cell(row, path, "path");
    if (transcript) example.transcript = table.cell(row, *transcript, "transcript");
    if (id) example.id = row.cells[*id];
    data.examples.push_back(std::move(example));
  }
  return data;
}

}  // namespace transformeter
