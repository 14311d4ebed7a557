// Parquet files, read by Apache Arrow's library; where it is not built all inputs are refused.
#include "datasets/dataset.h"
#include "fuzz_support.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file("input.parquet");
  expect_read_or_error([&] {
    const DataSet set = load_dataset(file.write(bytes_of(data, size)));
    require(!set.examples.empty(), "a data set without examples");
    for (const Example& example : set.examples) {
      require(!example.label || (*example.label >= 0 && *example.label < set.label_count), "a label out of range");
    }
  });
  return 0;
}
