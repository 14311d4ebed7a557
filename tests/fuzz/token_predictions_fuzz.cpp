// Log probabilities and token ids, one list a line; the first byte chooses.
#include "fuzz_support.h"
#include "tasks/predictions.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = bytes_of(data, size).substr(1);
  expect_read_or_error([&] {
    if (data[0] == 'i') read_token_ids("input", text);
    if (data[0] != 'p') return;
    for (const auto& list : read_log_probabilities("input", text)) {
      for (const double value : list) require(value <= 0, "a probability above 1");
    }
  });
  return 0;
}
