// The specification of a length distribution, and lengths drawn from it.
#include "datasets/length_distribution.h"
#include "fuzz_support.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    const LengthDistribution distribution = parse_length_distribution(bytes_of(data, size));
    const bool is_histogram = distribution.kind == LengthDistribution::Kind::kHistogram;
    for (const std::int64_t length : lengths_of(distribution, 32, {3, 9}, 0)) {
      require(length >= 3, "too short a length");
      require(is_histogram || (length >= distribution.minimum && length <= distribution.maximum), "out of bounds");
    }
  });
  return 0;
}
