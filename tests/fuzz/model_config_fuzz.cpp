// config.json of a checkpoint. What is accepted must survive being written and read again.
#include "base/error.h"
#include "fuzz_support.h"
#include "spec/architecture.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    const ModelConfig config = parse_model_config(parse_json("input", bytes_of(data, size)), "input");
    require(parse_model_config(to_json(config)) == config, "a configuration changes when written and read");
    task_of(config);
    for (const Task task : tasks_of(*config.architecture)) {
      try {
        const Blueprint blueprint = draw_blueprint(config, task);
        const bool is_counted =
            !has_two_towers(*config.architecture);  // layers of one tower are not those of the other
        const auto layers = static_cast<std::int64_t>(blueprint.layers.size());
        require(!is_counted || layers == config.num_layers, "layers are lost");
      } catch (const Error&) {  // a head this configuration cannot have
      }
    }
  });
  return 0;
}
