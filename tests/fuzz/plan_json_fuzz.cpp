// Plan files: JSON. What is accepted must survive being stored and read again.
#include "fuzz_support.h"
#include "run/plan.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file("plan.json");
  expect_read_or_error([&] {
    Plan plan;
    plan.apply_file(file.write(bytes_of(data, size)));
    const Json stored = plan.to_json();
    require(Plan::from_json(parse_json("stored", canonical_json(stored))).to_json() == stored,
            "a plan changes when stored and read");
  });
  return 0;
}
