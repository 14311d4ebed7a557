// CIFAR-10's binary records.
#include "datasets/cifar10.h"
#include "fuzz_support.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    const auto examples = parse_cifar10(bytes_of(data, size), "input");
    require(examples.size() * 3073 == size, "the number of examples");
    for (const Example& example : examples) {
      require(example.label && *example.label >= 0 && *example.label < 10, "a label lies outside the classes");
    }
  });
  return 0;
}
