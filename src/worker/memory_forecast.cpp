// The case's settings as the formula takes them.
#include "worker/memory_forecast.h"

#include "engine/kept_for_backward.h"

namespace transformeter {
namespace {

StepShape shape_of(const WorkerCase& request, const std::vector<std::int64_t>& row_lengths) {
  StepShape shape;
  shape.row_lengths = row_lengths;
  shape.micro_batches = request.training.gradient_accumulation;
  shape.weight_element = request.precision == "bf16" ? 2 : 4;
  shape.product_element = request.precision == "fp32" ? 4 : 2;
  shape.has_dropout = request.training.has_dropout;
  shape.checkpoints_layers = request.training.gradient_checkpointing;
  shape.optimizer = request.training.optimizer;
  return shape;
}

std::optional<StepMemory> forecast(const Training& training, const StepShape& shape) {
  const WorkerCase& request = training.request;
  if (request.device != "cpu") return std::nullopt;
  return forecast_step_memory(training.config, request.task, shape,
                              kept_for_backward(request.attention, request.fused));
}

}  // namespace

std::optional<StepMemory> forecast_memory(const Training& training, const std::vector<std::int64_t>& row_lengths) {
  return forecast(training, shape_of(training.request, row_lengths));
}

Json forecast_alternatives(const Training& training, const std::vector<std::int64_t>& row_lengths) {
  Json peaks = Json::object();
  const StepShape shape = shape_of(training.request, row_lengths);
  const auto add = [&](const char* name, const StepShape& other) {
    if (const auto memory = forecast(training, other)) peaks[name] = memory->peak;
  };
  if (!shape.checkpoints_layers) {
    StepShape checkpointed = shape;
    checkpointed.checkpoints_layers = true;
    add("gradient_checkpointing", checkpointed);
  }
  if (row_lengths.size() % 2 == 0) {
    StepShape halved = shape;
    halved.row_lengths.resize(row_lengths.size() / 2);
    halved.micro_batches *= 2;
    add("accumulation_doubled", halved);
  }
  return peaks;
}

}  // namespace transformeter
