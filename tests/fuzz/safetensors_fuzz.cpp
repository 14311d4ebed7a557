// The header of a safetensors file. What is accepted must lie within the file.
#include "fuzz_support.h"
#include "spec/safetensors.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    for (const auto& [name, entry] : parse_safetensors_header(bytes_of(data, size), "input")) {
      require(entry.begin <= entry.end && entry.end <= size, "a tensor lies outside the file");
      std::uint64_t bytes = safetensors_dtype_bytes(entry.dtype);
      for (const std::int64_t length : entry.shape) bytes *= static_cast<std::uint64_t>(length);
      require(entry.end - entry.begin == bytes, "a tensor's bytes are not those of its shape");
    }
  });
  return 0;
}
