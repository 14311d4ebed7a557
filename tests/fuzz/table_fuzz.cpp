// Delimited text and JSON Lines as classification data; the first byte chooses.
#include "datasets/classification.h"
#include "fuzz_support.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool is_json = data[0] == 'j';
  const std::string_view text = bytes_of(data, size).substr(1);
  expect_read_or_error([&] {
    const DataTable table = is_json ? read_json_lines("input", text) : read_delimited("input", text);
    for (const TableRow& row : table.rows) require(row.cells.size() == table.columns.size(), "a ragged row");
    const DataSet set = read_classification(table, {});
    for (const Example& example : set.examples) {
      require(!example.label || (*example.label >= 0 && *example.label < set.label_count), "a label out of range");
    }
  });
  return 0;
}
