// The case's settings as the formula takes them.
#include "measure/memory_forecast.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <functional>

#include "engine/saved_for_backward.h"
#include "engine/training_products.h"
#include "engine/widened_linear.h"

namespace transformeter {
namespace {

StepShape shape_of(const Case& request, const std::optional<LoraPlan>& lora, ComputedRows rows) {
  StepShape shape;
  shape.rows = std::move(rows);
  shape.micro_batches = request.gradient_accumulation;
  const c10::ScalarType weights = weight_type(request.precision);
  shape.bytes_per_weight = static_cast<std::int64_t>(c10::elementSize(weights));
  shape.bytes_per_product =
      static_cast<std::int64_t>(c10::elementSize(product_type(request.precision).value_or(weights)));
  shape.has_dropout = request.has_dropout;
  shape.checkpoints_layers = request.gradient_checkpointing;
  shape.smooths_labels = request.label_smoothing > 0;
  shape.optimizer = request.optimizer;
  shape.lora = lora;
  return shape;
}

WidenedProducts widened_products(const ChosenProducts& chosen, const LinearSpec& matrix) {
  WidenedProducts widened;
  for (const SettledProduct& product : chosen.products) {
    const ProductSize& size = product.choice.size;
    const bool is_of_matrix = size.precision == "bf16" && size.inputs == matrix.in && size.outputs == matrix.out &&
                              size.has_bias == !matrix.bias.empty();
    if (!is_of_matrix || !is_widened(product.choice.kernel)) continue;
    const std::string& part = size.uses.front().what;
    widened.outputs = widened.outputs || part == name_of(TrainingPart::kOutputs);
    widened.input_gradient = widened.input_gradient || part == name_of(TrainingPart::kInputGradient);
    widened.weight_gradient = widened.weight_gradient || part == name_of(TrainingPart::kWeightGradient);
  }
  return widened;
}

std::optional<StepMemory> forecast(const Case& request, const ModelConfig& config, const StepShape& shape,
                                   const std::function<WidenedProducts(const LinearSpec& matrix)>& widens) {
  if (request.device != "cpu") return std::nullopt;
  SavedForBackward kept = saved_for_backward(request.attention, request.fused, request.needed_tokens);
  kept.widens = widens;
  return forecast_step_memory(config, request.task, shape, kept);
}

std::optional<StepMemory> forecast(const Training& training, const StepShape& shape) {
  return forecast(training.request, training.config, shape,
                  [&](const LinearSpec& matrix) { return widened_products(training.products, matrix); });
}

// The longer half: what is left out needs no more.
ComputedRows half_of(const ComputedRows& rows) {
  ComputedRows half = rows;
  std::sort(half.lengths.begin(), half.lengths.end(), std::greater<>());
  half.lengths.resize(half.lengths.size() / 2);
  half.target_lengths.resize(half.target_lengths.size() / 2);  // all of one length
  return half;
}

}  // namespace

std::optional<StepMemory> forecast_step(const Case& request, const ModelConfig& config, const ComputedRows& rows) {
  const StepShape shape = shape_of(request, plan_lora(request, config), rows);
  const auto narrow = forecast(request, config, shape, {});
  if (!narrow || !tries_narrow_products(request)) return narrow;
  const auto widened = forecast(request, config, shape, [](const LinearSpec&) { return WidenedProducts::all(); });
  return widened->peak > narrow->peak ? widened : narrow;
}

std::optional<StepMemory> forecast_memory(const Training& training, const ComputedRows& rows) {
  return forecast(training, shape_of(training.request, training.lora, rows));
}

void LargestRows::look_at(const ComputedRows& rows) {
  std::array<double, 3> sums{};
  for (const std::vector<std::int64_t>* lengths : {&rows.lengths, &rows.target_lengths}) {
    for (const std::int64_t length : *lengths) {
      sums[0] += static_cast<double>(length);
      sums[1] += static_cast<double>(length) * static_cast<double>(length);
    }
  }
  for (const std::int64_t length : rows.target_lengths) sums[2] += static_cast<double>(length);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;  // no targets
    const bool has_more = sums[i] == most_[i] && rows.has_padding && !candidates_[i].has_padding;
    if (sums[i] <= most_[i] && !has_more) continue;
    most_[i] = sums[i];
    candidates_[i] = rows;
  }
}

void add_forecast(const Training& training, const LargestRows& largest, Measured& measured) {
  Json& told = measured.effective["memory_forecast"];
  std::optional<StepShape> shape;
  double peak = 0;
  for (const ComputedRows& rows : largest.candidates()) {
    if (rows.lengths.empty()) continue;  // no micro-batch has targets
    const auto memory = forecast_memory(training, rows);
    if (!memory || memory->peak <= peak) continue;
    peak = memory->peak;
    shape = shape_of(training.request, training.lora, rows);
  }
  if (!shape) {
    told["reason"] = kNoMemoryFormula;
    return;
  }
  measured.series.push_back(scalar_series("peak_allocated_forecast", peak));
  told["peak_bytes"] = peak;
  const auto add = [&](const char* name, const StepShape& other) {
    if (const auto memory = forecast(training, other)) told[name] = memory->peak;
  };
  if (!shape->checkpoints_layers) {
    StepShape checkpointed = *shape;
    checkpointed.checkpoints_layers = true;
    add("gradient_checkpointing_bytes", checkpointed);
  }
  if (shape->rows.lengths.size() % 2 == 0) {
    StepShape halved = *shape;
    halved.rows = half_of(shape->rows);
    halved.micro_batches *= 2;
    add("accumulation_doubled_bytes", halved);
  }
}

}  // namespace transformeter
