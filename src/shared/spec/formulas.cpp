// Sums over the blueprint.
#include "spec/formulas.h"

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "spec/architecture.h"
#include "spec/encoder_decoder.h"
#include "spec/two_towers.h"

namespace transformeter {

namespace {

void check_shape(std::int64_t batch, std::int64_t sequence_length) {
  if (batch < 1) throw bad_value("batch", std::to_string(batch), "a whole number of at least 1");
  if (sequence_length < 1) {
    throw bad_value("sequence_length", std::to_string(sequence_length), "a whole number of at least 1");
  }
}

/// Of one token.
double flops_of(const LinearSpec& linear) {
  return 2.0 * static_cast<double>(linear.in) * static_cast<double>(linear.out) / static_cast<double>(linear.groups);
}

double flops_of(const std::optional<LinearSpec>& linear) {
  return linear ? flops_of(*linear) : 0;
}

/// Of one token, after attention.
double output_flops(const LayerSpec& layer) {
  return flops_of(layer.attention.output) + flops_of(layer.feed_forward.gate) + flops_of(layer.feed_forward.in) +
         flops_of(layer.feed_forward.out);
}

/// Of `t` tokens that attend to `s` others: a query for each of the first, a key and a value for each of the second.
double cross_attention_flops(const AttentionSpec& attention, double t, double s) {
  const auto width = static_cast<double>(attention.heads * attention.head_dim);
  const double keys = flops_of(attention.inputs[1]) + flops_of(attention.inputs[2]);
  return t * (flops_of(attention.inputs[0]) + flops_of(attention.output)) + s * keys + 4 * t * s * width;
}

/// Of one row of `t` tokens; in a decoder they also attend to the `s` that were encoded.
double layer_flops(const LayerSpec& layer, double t, double s) {
  double per_token = output_flops(layer);
  for (const LinearSpec& input : layer.attention.inputs) per_token += flops_of(input);
  const auto width = static_cast<double>(layer.attention.heads * layer.attention.head_dim);
  const double cross = layer.cross_attention ? cross_attention_flops(*layer.cross_attention, t, s) : 0;
  return t * per_token + 4 * t * t * width + cross;
}

double flops_of(const ConvolutionSpec& convolution, std::int64_t outputs) {
  const std::int64_t inputs = convolution.in / convolution.groups * convolution.kernel;  // of each output
  return 2.0 * static_cast<double>(inputs) * static_cast<double>(convolution.out) * static_cast<double>(outputs);
}

/// Of the shortest sound that becomes so many frames. The convolution of an even kernel makes a frame that is left out.
double wave_flops(const WaveSpec& waves, std::int64_t frames) {
  const std::vector<std::int64_t> lengths = waves.lengths(waves.samples(frames));
  double flops = static_cast<double>(frames) * flops_of(waves.projection);
  for (std::size_t i = 0; i < lengths.size(); ++i) flops += flops_of(waves.layers[i].convolution, lengths[i]);
  const std::int64_t surplus = waves.positions.kernel % 2 == 0 ? 1 : 0;
  return flops + flops_of(waves.positions, frames + surplus);
}

/// Of one row of `t` tokens, which one query attends to.
double probe_flops(const ProbeSpec& probe, double t) {
  const AttentionSpec& attention = probe.attention;
  const auto width = static_cast<double>(attention.heads * attention.head_dim);
  const double of_one = flops_of(attention.inputs[0]) + flops_of(attention.output) + flops_of(probe.feed_forward.in) +
                        flops_of(probe.feed_forward.out);
  return of_one + t * (flops_of(attention.inputs[1]) + 4 * width);
}

double head_flops(const HeadSpec& head, double t) {
  const double tokens = head.selection == Selection::kAll ? t : 1;
  const double similarities = head.similarities ? flops_of(head.similarities->product) : 0;
  const double probe = head.probe ? probe_flops(*head.probe, t) : 0;
  return probe + (head.dense_on_tokens ? t : tokens) * flops_of(head.dense) +
         tokens * (flops_of(head.output) + similarities);
}

/// Of a blueprint without a decoder; `encoded`: tokens that its layers attend to beside their own.
double stack_flops(const Blueprint& blueprint, std::int64_t length, std::int64_t encoded) {
  const auto t = static_cast<double>(length), s = static_cast<double>(encoded);
  double flops = t * (flops_of(blueprint.embedding.projection) + flops_of(blueprint.final_projection));
  if (const std::optional<PatchSpec>& patches = blueprint.embedding.patches) {
    flops += static_cast<double>(patches->count()) * flops_of(patches->projection);
  }
  if (blueprint.embedding.waves) flops += wave_flops(*blueprint.embedding.waves, length);
  for (const LayerSpec& layer : blueprint.layers) flops += layer_flops(layer, t, s);
  return flops + head_flops(blueprint.head, t);
}

// An encoder and its decoder, a tower for images and one for texts, or the one stack.
class Stacks {
 public:
  explicit Stacks(Blueprint whole) {
    if (whole.decoder) second_ = decoder_of(whole);
    if (whole.text_tower) {
      second_ = text_tower_of(whole);
      vector_size_ = static_cast<double>(whole.text_tower->vector_size);
    }
    has_decoder_ = whole.decoder.has_value();
    first_ = whole.decoder ? encoder_of(whole) : whole.text_tower ? image_tower_of(whole) : std::move(whole);
  }

  double row_flops(std::int64_t length, std::int64_t target_length) const {
    const double flops = stack_flops(first_, length, 0);
    return second_ ? flops + stack_flops(*second_, target_length, has_decoder_ ? length : 0) : flops;
  }

  /// What a batch takes beside its rows: the product of all texts' vectors with all images'.
  double batch_flops(std::int64_t rows) const {
    const auto count = static_cast<double>(rows);
    return 2 * count * count * vector_size_;
  }

 private:
  Blueprint first_;
  std::optional<Blueprint> second_;
  bool has_decoder_ = false;
  double vector_size_ = 0;  // of images and texts; 0: there are none
};

/// Of a blueprint without further stacks.
double unneeded_row_flops(const Blueprint& blueprint, std::int64_t length) {
  if (!blueprint.needs_one_token()) return 0;
  const LayerSpec& last = blueprint.layers.back();
  const auto t = static_cast<double>(length);
  const auto width = static_cast<double>(last.attention.heads * last.attention.head_dim);
  return (t - 1) * (output_flops(last) + flops_of(blueprint.final_projection) + 4 * t * width);
}

bool is_looked_up(const Blueprint& blueprint, const std::string& tensor) {
  if (blueprint.text_tower && is_looked_up(text_tower_of(blueprint), tensor)) return true;
  const EmbeddingSpec& embedding = blueprint.embedding;
  if (tensor == embedding.types || tensor == embedding.positions) return true;
  if (embedding.patches || embedding.waves) return false;
  const auto is_matrix = [&](const std::optional<LinearSpec>& linear) { return linear && linear->weight == tensor; };
  return tensor == embedding.words && !is_matrix(blueprint.head.dense) && !is_matrix(blueprint.head.output);
}

}  // namespace

std::int64_t parameter_count(const std::vector<TensorSpec>& inventory) {
  std::int64_t count = 0;
  for (const TensorSpec& tensor : inventory) count += tensor.element_count();
  return count;
}

std::int64_t weight_bytes(const std::vector<TensorSpec>& inventory, std::int64_t bytes_per_element) {
  return parameter_count(inventory) * bytes_per_element;
}

std::int64_t cache_bytes(const ModelConfig& config, std::int64_t batch, std::int64_t sequence_length,
                         std::int64_t bytes_per_element) {
  check_shape(batch, sequence_length);
  const Blueprint blueprint = draw_blueprint(config, base_task(*config.architecture));
  std::int64_t per_token = 0;
  for (const LayerSpec& layer : blueprint.layers) {
    per_token += 2 * layer.attention.key_value_heads * layer.attention.head_dim;
  }
  return blueprint.is_causal ? batch * sequence_length * per_token * bytes_per_element : 0;
}

std::int64_t request_cache_bytes(const ModelConfig& config, Task task, std::int64_t prompt_length,
                                 std::int64_t new_tokens, std::int64_t num_beams, std::int64_t bytes_per_element) {
  const Blueprint blueprint = draw_blueprint(config, task);
  if (!blueprint.decoder) return cache_bytes(config, num_beams, prompt_length + new_tokens, bytes_per_element);
  const auto values = [](const AttentionSpec& attention) { return 2 * attention.key_value_heads * attention.head_dim; };
  std::int64_t count = 0;
  for (const LayerSpec& layer : blueprint.decoder->layers) {
    count += num_beams * new_tokens * values(layer.attention);
    if (layer.cross_attention) count += prompt_length * values(*layer.cross_attention);
  }
  return count * bytes_per_element;
}

double forward_flops(const ModelConfig& config, Task task, std::int64_t batch, std::int64_t sequence_length) {
  const Stacks stacks(draw_blueprint(config, task));
  check_shape(batch, sequence_length);
  return static_cast<double>(batch) * stacks.row_flops(sequence_length, sequence_length) + stacks.batch_flops(batch);
}

double forward_flops(const ModelConfig& config, Task task, const std::vector<std::int64_t>& row_lengths,
                     const std::vector<std::int64_t>& target_lengths) {
  return forward_flops(draw_blueprint(config, task), row_lengths, target_lengths);
}

double forward_flops(const Blueprint& blueprint, const std::vector<std::int64_t>& row_lengths,
                     const std::vector<std::int64_t>& target_lengths) {
  const Stacks stacks(blueprint);
  const std::vector<std::int64_t>& targets = target_lengths.empty() ? row_lengths : target_lengths;
  double sum = stacks.batch_flops(static_cast<std::int64_t>(row_lengths.size()));
  for (std::size_t row = 0; row < row_lengths.size(); ++row) {
    check_shape(1, row_lengths[row]);
    sum += stacks.row_flops(row_lengths[row], targets.at(row));
  }
  return sum;
}

double unneeded_flops(const ModelConfig& config, Task task, const std::vector<std::int64_t>& row_lengths,
                      const std::vector<std::int64_t>& caption_lengths) {
  return unneeded_flops(draw_blueprint(config, task), row_lengths, caption_lengths);
}

double unneeded_flops(const Blueprint& blueprint, const std::vector<std::int64_t>& row_lengths,
                      const std::vector<std::int64_t>& caption_lengths) {
  double sum = 0;
  for (const std::int64_t length : row_lengths) {
    check_shape(1, length);
    sum += unneeded_row_flops(blueprint, length);
  }
  if (!blueprint.text_tower) return sum;
  const Blueprint texts = text_tower_of(blueprint);
  for (const std::int64_t length : caption_lengths) sum += unneeded_row_flops(texts, length);
  return sum;
}

std::int64_t weights_read_whole(const ModelConfig& config, Task task) {
  const Blueprint blueprint = draw_blueprint(config, task);
  std::int64_t count = 0;
  for (const TensorSpec& tensor : tensor_inventory(config, task)) {
    if (!is_looked_up(blueprint, tensor.name)) count += tensor.element_count();
  }
  return count;
}

}  // namespace transformeter
