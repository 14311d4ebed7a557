// Lists of classes, and a table of labels that keeps to one: the input is both, with a NUL between.
#include <algorithm>

#include "datasets/classification.h"
#include "fuzz_support.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = bytes_of(data, size);
  const std::size_t cut = std::min(input.find('\0'), input.size());
  expect_read_or_error([&] {
    const std::vector<std::string> classes = read_label_list("classes", input.substr(0, cut));
    require(!classes.empty(), "a list of nothing");
    LabelEncoder labels(classes);
    const DataTable table = read_delimited("input", input.substr(std::min(cut + 1, input.size())));
    for (const TableRow& row : table.rows) labels.add(table.place(row), row.cells.at(0).value_or(""));
    require(labels.count() == static_cast<int>(classes.size()), "another count of classes");
    for (const int number : labels.numbers()) {
      require(number >= 0 && number < labels.count(), "a label outside the classes");
    }
  });
  return 0;
}
