// The tape of one micro-batch, replayed for each.
#include "spec/training_memory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "spec/architecture.h"
#include "spec/record_pass.h"
#include "spec/tensor_inventory.h"

namespace transformeter {
namespace {

constexpr double kMoment = 4;            // bytes of a number of Adafactor's state
constexpr double kAdafactorScratch = 3;  // copies of a weight's gradient while it is changed, in fp32

// Of one weight.
std::optional<double> optimizer_bytes(const std::string& optimizer, const TensorSpec& weight, double element) {
  const auto count = static_cast<double>(weight.element_count());
  if (optimizer == "adamw" || optimizer == "adam") return 2 * count * element + 4;
  if (optimizer == "sgd") return count * element;
  if (optimizer != "adafactor") return std::nullopt;
  if (weight.shape.size() < 2) return count * kMoment;
  const auto columns = static_cast<double>(weight.shape.back());
  const auto rows = static_cast<double>(weight.shape[weight.shape.size() - 2]);
  return (count / columns + count / rows) * kMoment;
}

// Of the images or sounds of all micro-batches, which are there before the first forward pass; texts' numbers do not
// count.
double input_bytes(const Blueprint& blueprint, const StepShape& shape) {
  const EmbeddingSpec& embedding = blueprint.embedding;
  std::int64_t values = 0;
  if (embedding.patches) values = embedding.patches->image.values();
  if (embedding.waves) values = samples_of(*embedding.waves, shape.rows);
  const auto inputs = static_cast<double>(shape.micro_batches) * static_cast<double>(shape.rows.lengths.size());
  return inputs * static_cast<double>(values) * sizeof(float);
}

// Of a frozen positional convolution the model makes the weight once, and keeps it beside the parts.
double made_weight_bytes(const Blueprint& blueprint, const StepShape& shape) {
  const std::optional<WaveSpec>& waves = blueprint.embedding.waves;
  if (!waves || !shape.lora || shape.lora->is_trainable(waves->positions.weight)) return 0;
  return static_cast<double>(waves->positions.element_count() * shape.bytes_per_weight);
}

}  // namespace

std::int64_t samples_of(const WaveSpec& waves, const ComputedRows& rows) {
  return rows.samples > 0 ? rows.samples : waves.samples(*std::max_element(rows.lengths.begin(), rows.lengths.end()));
}

double mask_values(const Blueprint& blueprint, const ComputedRows& rows) {
  const bool has_bias = blueprint.relative_bias.has_value();
  if (!blueprint.is_causal && !has_bias) return 0;
  const double heads = has_bias ? static_cast<double>(blueprint.relative_bias->heads) : 1;
  const auto pairs = [](std::int64_t length) { return static_cast<double>(length) * static_cast<double>(length); };
  std::set<std::int64_t> lengths(rows.lengths.begin(), rows.lengths.end());
  if (!rows.is_packed && !lengths.empty()) lengths = {*lengths.rbegin()};
  double values = 0;
  for (const std::int64_t length : lengths) {
    std::set<std::int64_t> windows;  // that hide something; 0: none
    for (const LayerSpec& layer : blueprint.layers) {
      windows.insert(layer.attention.window < length ? layer.attention.window : 0);
    }
    const bool is_of_all_rows = !rows.is_packed && rows.has_padding;
    const auto all = is_of_all_rows ? static_cast<double>(rows.lengths.size()) : 1;
    for (const std::int64_t window : windows) {
      values += is_of_all_rows || window > 0 || has_bias ? all * pairs(length) * heads : 0;
    }
  }
  return values;
}

std::optional<StepMemory> forecast_step_memory(const ModelConfig& config, Task task, const StepShape& shape,
                                               const SavedForBackward& kept) {
  if (!config.architecture || !config.architecture->draw) return std::nullopt;
  const Blueprint blueprint = draw_blueprint(config, task);
  if (blueprint.layers.empty() || shape.rows.lengths.empty()) return std::nullopt;
  const bool needs_targets = blueprint.decoder || blueprint.head.ctc || blueprint.text_tower;
  if (needs_targets && shape.rows.target_lengths.size() != shape.rows.lengths.size()) return std::nullopt;
  const auto element = static_cast<double>(shape.bytes_per_weight);
  StepMemory memory;
  double largest = 0;  // of the trainable ones
  std::vector<TensorSpec> trainable;
  for (const TensorSpec& weight : tensor_inventory(config, task)) {
    if (!shape.lora || shape.lora->is_trainable(weight.name)) {
      trainable.push_back(weight);
    } else {
      memory.weights += static_cast<double>(weight.element_count()) * element;
    }
  }
  if (shape.lora) {
    for (TensorSpec& adapter : adapter_inventory(*shape.lora)) trainable.push_back(std::move(adapter));
  }
  for (const TensorSpec& weight : trainable) {
    const double bytes = static_cast<double>(weight.element_count()) * element;
    const auto state = optimizer_bytes(shape.optimizer, weight, element);
    if (!state) return std::nullopt;
    memory.weights += bytes;
    memory.gradients += bytes;
    memory.optimizer += *state;
    largest = std::max(largest, static_cast<double>(weight.element_count()));
  }
  const Tape tape = record_pass(blueprint, shape, kept);
  BackwardReplay replay(memory.weights + memory.optimizer + made_weight_bytes(blueprint, shape) +
                        input_bytes(blueprint, shape));
  for (std::int64_t i = 0; i < std::min<std::int64_t>(shape.micro_batches, 2); ++i) replay.run(tape);
  replay.look_at(shape.optimizer == "adafactor" ? kAdafactorScratch * largest * kMoment : 0);
  memory.activations = kept_bytes(tape);
  memory.peak = replay.peak();
  return memory;
}

}  // namespace transformeter
