// The plan as a store keeps it, which `resume` reads from a file that others may have written.
#include "fuzz_support.h"
#include "run/plan.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] { Plan::from_json(parse_json("input", bytes_of(data, size))).to_json(); });
  return 0;
}
