// preprocessor_config.json of sounds: what is read is written and read back to the same.
#include "audio/feature_extractor.h"
#include "fuzz_support.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    const Json json = parse_json("input", bytes_of(data, size));
    const FeatureExtractorOptions options = parse_feature_extractor_options(json, "input");
    require(parse_feature_extractor_options(feature_extractor_json(options), "written") == options, "what was written");
  });
  return 0;
}
