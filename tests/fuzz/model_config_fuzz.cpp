// config.json of a checkpoint. What is accepted must survive being written and read again.
#include "fuzz_support.h"
#include "spec/model_config.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    const ModelConfig config = parse_model_config(parse_json("input", bytes_of(data, size)), "input");
    require(config.head_dim() * config.num_heads == config.hidden_size, "heads do not fill the width");
    require(parse_model_config(to_json(config)) == config, "a configuration changes when written and read");
    task_of(config);
  });
  return 0;
}
