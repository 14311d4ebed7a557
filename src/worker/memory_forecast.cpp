// The case's settings as the formula takes them.
#include "worker/memory_forecast.h"

#include "engine/kept_for_backward.h"

namespace transformeter {

std::optional<StepMemory> forecast_memory(const Training& training, const std::vector<std::int64_t>& row_lengths) {
  const WorkerCase& request = training.request;
  if (request.device != "cpu") return std::nullopt;
  StepShape shape;
  shape.row_lengths = row_lengths;
  shape.micro_batches = request.training.gradient_accumulation;
  shape.weight_element = request.precision == "bf16" ? 2 : 4;
  shape.product_element = request.precision == "fp32" ? 4 : 2;
  shape.has_dropout = request.training.has_dropout;
  shape.checkpoints_layers = request.training.gradient_checkpointing;
  shape.optimizer = request.training.optimizer;
  return forecast_step_memory(training.config, request.task, shape,
                              kept_for_backward(request.attention, request.fused));
}

}  // namespace transformeter
