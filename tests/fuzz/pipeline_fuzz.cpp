// Pipeline files. What is accepted must become plan files that are accepted, and commands.
#include "fuzz_support.h"
#include "pipeline/pipeline_steps.h"
#include "run/plan.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file("pipeline.yaml");
  static const ScratchFile plan_file("plan.yaml");
  expect_read_or_error([&] {
    const Pipeline pipeline = read_pipeline(file.write(bytes_of(data, size)));
    require(!pipeline.runs.empty(), "a pipeline without a run");
    for (const PipelineStep& step : steps_of(pipeline, "folder")) {
      require(!step.arguments.empty(), "a step without a command");
      if (step.input.empty()) continue;
      try {
        Plan().apply_file(plan_file.write(step.input_text));
      } catch (const Error& error) {
        require(false, error.what());
      }
    }
  });
  return 0;
}
