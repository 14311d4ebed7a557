// The largest of the moments at which tensors of a pass live side by side, as the modules of src/worker/model hold
// them.
#include "spec/forward_memory.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "schema/linear_types.h"
#include "spec/architecture.h"
#include "spec/encoder_decoder.h"

namespace transformeter {
namespace {

constexpr double kFloat = 4, kByte = 1;   // bytes
constexpr double kTileQueries = 4 * 128;  // a tile is of so many at least, over all keys: 128 queries of 4 heads

// Tensors of the activation's size that are alive at once while it is computed, input and result included: those that
// src/worker/model/blocks.cpp composes keep what they are made of until they are done.
double tensors_of(Activation activation) {
  switch (activation) {
    case Activation::kLinear:
      return 1;
    case Activation::kClippedGelu:
    case Activation::kSquaredRelu:
    case Activation::kSqrtSoftplus:
      return 3;
    case Activation::kQuickGelu:
      return 4;
    case Activation::kLaplace:
      return 6;
    default:
      return 2;
  }
}

// What a decoder's layers attend to beside their tokens.
struct EncodedRows {
  std::vector<std::int64_t> lengths;
  double bytes = 0;           // of its hidden states
  bool keeps_values = false;  // keys and values are a part of the cache
  bool is_projected = false;  // and were made by an earlier pass
};

class PassOnPaper {
 public:
  PassOnPaper(const Blueprint& blueprint, const ForwardShape& shape, EncodedRows encoded = {})
      : blueprint_(blueprint),
        shape_(shape),
        encoded_(std::move(encoded)),
        rows_(static_cast<double>(shape.rows.lengths.size())),
        tokens_(std::accumulate(shape.rows.lengths.begin(), shape.rows.lengths.end(), 0.0)),
        value_(static_cast<double>(shape.bytes_per_value)),
        width_(static_cast<double>(blueprint.layers.front().attention.output.out)) {}

  ForwardMemory run() {
    held_ = encoded_.bytes;
    embed();
    mask_ = mask_values(blueprint_, shape_.rows) * value_;
    held_ += mask_;
    const bool leaves_out = shape_.leaves_out_tokens && blueprint_.needs_one_token();
    // The weighted sum of what layers read, which a head reads in place of the last layer's output.
    const double layer_sum = sums_layers() ? stream(tokens_) : 0;
    held_ += layer_sum;
    for (std::size_t i = 0; i < blueprint_.layers.size(); ++i) {
      const bool is_last = i + 1 == blueprint_.layers.size();
      if (blueprint_.channels_first) {
        convolution_layer(blueprint_.layers[i]);
      } else {
        layer(blueprint_.layers[i], is_last && leaves_out ? rows_ : tokens_);
      }
    }
    held_ -= layer_sum;
    if (sums_layers()) moment(4 * stream(tokens_));  // that output, its part of the sum, and the sum before and after
    const double output = head(leaves_out ? rows_ : tokens_);
    return {peak_, output};
  }

 private:
  // Bytes of tensors that are alive at once.
  void moment(double bytes) { peak_ = std::max(peak_, held_ + bytes); }
  double stream(double tokens) const { return tokens * width_ * value_; }
  bool sums_layers() const { return !blueprint_.head.layer_weights.empty(); }

  void embed() {
    const EmbeddingSpec& spec = blueprint_.embedding;
    if (spec.patches) return embed_patches(*spec.patches);
    if (spec.waves) return embed_waves(*spec.waves);
    const double values = tokens_ * static_cast<double>(spec.width) * value_;
    moment(3 * values);  // a sum, what is added to it, and the next sum
    if (spec.projection) moment(values + product(*spec.projection, tokens_));
  }

  // Pixels in the type of the weights, a copy of them patch by patch, and what is made of these.
  void embed_patches(const PatchSpec& patches) {
    const double cast = value_ < kFloat ? rows_ * static_cast<double>(patches.image.values()) * value_ : 0;
    const double copied = rows_ * static_cast<double>(patches.count() * patches.projection.in) * value_;
    const double projected = rows_ * static_cast<double>(patches.count() * patches.projection.out) * value_;
    moment(cast + copied + projected);
    moment(projected + stream(tokens_));  // with the learnt tokens before them
    moment(2 * stream(tokens_));          // and their places added; the same while they are normed
  }

  // Each convolution beside its input, of which oneDNN makes a copy in another layout where it has several channels,
  // and a norm's result; then features, frames and their positions.
  void embed_waves(const WaveSpec& waves) {
    const auto longest = *std::max_element(shape_.rows.lengths.begin(), shape_.rows.lengths.end());
    const std::int64_t samples = waves.samples(longest);
    const std::vector<std::int64_t> lengths = waves.lengths(samples);
    double input = rows_ * static_cast<double>(samples) * value_;
    moment(value_ < kFloat ? input : 0);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const double output = rows_ * static_cast<double>(waves.layers[i].convolution.out * lengths[i]) * value_;
      // The samples themselves are an input of the pass.
      const double read = i > 0 ? 2 * input : value_ < kFloat ? input : 0;
      moment(read + output);
      // A norm over channels has them last, and its result is laid out again.
      const double normed = !waves.layers[i].norm ? 0 : waves.layers[i].norms_over_time ? output : 2 * output;
      moment(std::max(output + normed, tensors_of(waves.activation) * output));
      input = output;
    }
    const double features = tokens_ * static_cast<double>(waves.projection.in) * value_;
    moment(input + (waves.norm ? features : 0));
    moment(features + product(waves.projection, tokens_));
    moment((2 + tensors_of(waves.activation)) * stream(tokens_));
  }

  // Of queries and keys, row by row.
  double pairs(const std::vector<std::int64_t>& keys) const {
    return std::inner_product(
        keys.begin(), keys.end(), shape_.rows.lengths.begin(), 0.0, std::plus<>(),
        [](std::int64_t key, std::int64_t query) { return static_cast<double>(key) * static_cast<double>(query); });
  }

  double activated(Activation activation) const {
    return shape_.form_of(activation) == ActivationForm::kInPlace ? 1 : tensors_of(activation);
  }

  // A product's output, with what else is alive while it is computed.
  double product(const LinearSpec& spec, double rows) const {
    const auto in = static_cast<double>(spec.in), out = static_cast<double>(spec.out);
    const double output = rows * out * value_;
    if (std::min(spec.in, spec.out) < kSmallestInt8Side) return output;
    switch (shape_.scratch) {
      case ProductScratch::kNone:
        return output;
      case ProductScratch::kBytesOfRows:
        return output + rows * in * kByte + rows * out * kFloat;
      case ProductScratch::kBytes:
        return output + rows * in * kByte;
      case ProductScratch::kWidenedWeights:
        if (rows <= static_cast<double>(kFewInt8Rows) && spec.in % kInt8InputStep == 0) return output;
        return output + 2 * in * out * value_;
      case ProductScratch::kOther:
        return output + shape_.other_scratch(rows, in, out);
    }
    return output;
  }

  // Products of one input, side by side where they are joined.
  std::vector<LinearSpec> as_computed(std::vector<LinearSpec> specs) const {
    if (!shape_.joins_products) return specs;
    for (std::size_t i = 1; i < specs.size(); ++i) specs.front().out += specs[i].out;
    specs.resize(1);
    return specs;
  }

  void layer(const LayerSpec& spec, double rows_after) {
    const double normed = spec.norm_first ? stream(tokens_) : 0;
    attention(spec, stream(tokens_) + normed, rows_after);
    if (spec.cross_attention) cross_attention(*spec.cross_attention);
    const double normed_after = spec.norm_first ? stream(rows_after) : 0;
    // What came into the layer lives on beside what attention made of it.
    feed_forward(spec, stream(tokens_) + stream(rows_after) + normed_after, rows_after);
  }

  // `around`: what lives on meanwhile.
  void attention(const LayerSpec& layer, double around, double rows_after) {
    const AttentionSpec& spec = layer.attention;
    const double query = tokens_ * static_cast<double>(spec.heads * spec.head_dim) * value_;
    const double key = tokens_ * static_cast<double>(spec.key_value_heads * spec.head_dim) * value_;
    const double inputs = query + 2 * key;
    for (const LinearSpec& input : as_computed(spec.inputs)) {
      const double scratch = product(input, tokens_) - tokens_ * static_cast<double>(input.out) * value_;
      moment(around + inputs + scratch);
    }
    // Queries are rotated first. What was rotated is freed, unless it is a part of one tensor with the values, which a
    // cache would have copied.
    const bool is_one_tensor = as_computed(spec.inputs).size() == 1;
    double replaced = 0;
    if (blueprint_.rotary) {
      moment(around + inputs + rotation(spec, query));
      moment(around + inputs + (is_one_tensor ? query : 0) + rotation(spec, key));
      if (is_one_tensor && !shape_.reads_last_token) replaced = query + key;
    }
    const double context = query * rows_after / tokens_;
    moment(around + inputs + replaced + context + scores(spec, query, shape_.rows.lengths));
    moment(around + context + product(spec.output, rows_after) + sum(rows_after, layer.attention_output_norm));
  }

  void cross_attention(const AttentionSpec& spec) {
    const double around = 3 * stream(tokens_);  // what came into the layer, what attention made of it, and that normed
    const double width = static_cast<double>(spec.heads * spec.head_dim) * value_;
    const double query = tokens_ * width;
    const double texts = std::accumulate(encoded_.lengths.begin(), encoded_.lengths.end(), 0.0);
    const double keys = encoded_.keeps_values ? 0 : 2 * texts * width;
    if (!encoded_.is_projected) moment(around + query + keys + product(spec.inputs[1], texts) - texts * width);
    moment(around + query + keys + query + scores(spec, query, encoded_.lengths));
    moment(around + query + product(spec.output, tokens_) + sum(tokens_, std::nullopt));
  }

  // Of `values` bytes, result included. LibTorch composes it: the turned dimensions in another order, two products and
  // their sum; then that sum beside the other dimensions.
  double rotation(const AttentionSpec& spec, double values) const {
    if (shape_.fuses_rows) return values;
    const double share = static_cast<double>(blueprint_.rotary->dimensions) / static_cast<double>(spec.head_dim);
    return std::max(4 * share * values, share < 1 ? (2 * share + 1) * values : 0);
  }

  // What a part adds, beside the product that it is made of: normed first, or in the product's place.
  double sum(double rows, const std::optional<NormSpec>& norm) const {
    return shape_.adds_in_place && !norm ? 0 : stream(rows);
  }

  // With copies of inputs whose heads lie side by side.
  double scores(const AttentionSpec& spec, double query, const std::vector<std::int64_t>& keys) const {
    return scores(spec, query, keys, pairs(keys));
  }
  double scores(const AttentionSpec& spec, double query, const std::vector<std::int64_t>& keys, double pairs) const {
    if (shape_.scores == ScoresHeld::kNone) return 0;
    if (shape_.scores == ScoresHeld::kTiles) {
      const double all = pairs * static_cast<double>(spec.heads);
      const double longest = static_cast<double>(*std::max_element(keys.begin(), keys.end()));
      const double most = std::max(static_cast<double>(shape_.tile_scores), kTileQueries * longest);
      // The masks in fp32.
      const double masks = value_ < kFloat ? mask_ / value_ * kFloat : 0;
      return 3 * query + std::min(all, most) * value_ + masks;
    }
    const double all = 2 * pairs * static_cast<double>(spec.heads);
    if (shape_.scores == ScoresHeld::kInType) return all * value_ + query;
    // Scaled queries, after all inputs were widened; and which of the scores are -inf.
    const double wide = query * kFloat / value_;
    return all * (kFloat + kByte / 2) + wide + (value_ < kFloat ? 3 * wide : 0);
  }

  void feed_forward(const LayerSpec& layer, double around, double rows) {
    const FeedForwardSpec& spec = layer.feed_forward;
    const double inner = rows * static_cast<double>(spec.width()) * value_;
    const double result = sum(rows, layer.feed_forward_output_norm);
    if (spec.is_gated()) {
      // Joined: both products, the activation of one, and the result. Apart: the second product beside the first one's
      // activation.
      const bool is_joined = shape_.joins_products || spec.holds_gate;
      moment(around +
             (is_joined ? 2 + tensors_of(spec.activation) : std::max(activated(spec.activation), 3.0)) * inner);
      if (spec.gate && !shape_.joins_products) {
        moment(around + inner + product(spec.in, rows));
      } else {
        moment(around + product(spec.gate ? as_computed({spec.in, *spec.gate}).front() : spec.in, rows));
      }
    } else if (shape_.form_of(spec.activation) == ActivationForm::kBytes) {
      const double bytes = inner / value_ * kByte;
      const double sums = shape_.scratch == ProductScratch::kBytesOfRows ? inner / value_ * kFloat : 0;
      moment(around + rows * static_cast<double>(spec.in.in) * kByte + sums + bytes);
      moment(around + bytes + stream(rows));
      return;
    } else {
      moment(around + product(spec.in, rows));
      moment(around + activated(spec.activation) * inner);
    }
    moment(around + inner + product(spec.out, rows) + result);
  }

  // Queries, keys and values are views of their convolutions' outputs; inputs are views with channels last, but for
  // that of the last convolution.
  void convolution_layer(const LayerSpec& spec) {
    const double hidden = stream(tokens_);
    double inputs = 0;
    for (const LinearSpec& input : spec.attention.inputs) {
      moment(hidden + inputs + hidden + convolution(input));
      inputs += output_of(input);
    }
    const double query = output_of(spec.attention.inputs.front());
    moment(hidden + inputs + scores(spec.attention, query, shape_.rows.lengths));
    moment(hidden + query + query + convolution(spec.attention.output));
    moment(4 * hidden);  // what came in, the sum, its copy for the norm, and the result
    const double inner = output_of(spec.feed_forward.in);
    const double activated = std::min(tensors_of(spec.feed_forward.activation), 2.0) * inner;
    moment(2 * hidden + hidden + convolution(spec.feed_forward.in));
    moment(2 * hidden + tensors_of(spec.feed_forward.activation) * inner);
    moment(2 * hidden + activated + convolution(spec.feed_forward.out));
  }

  double output_of(const LinearSpec& spec) const { return tokens_ * static_cast<double>(spec.out) * value_; }

  // The most that is alive at once beside a contiguous input, output included.
  double convolution(const LinearSpec& spec) const {
    const double input = tokens_ * static_cast<double>(spec.in) * value_, output = output_of(spec);
    const auto groups = static_cast<double>(spec.groups);
    // Of each group's output, then joined.
    if (shape_.convolves_by_group) return spec.groups == 1 ? output : output + std::max(output, input / groups);
    // oneDNN's layouts of input, weight and output; then of the output, which is laid out again (in 16 bits twice).
    const double weight = static_cast<double>(spec.in * spec.out) / groups * value_;
    return std::max(input + weight + output, (value_ < kFloat ? 3 : 2) * output);
  }

  // One query of each row attends to all of its tokens, and a feed-forward network follows. `around`: what lives on
  // meanwhile. Returns the result's bytes.
  double probe(const ProbeSpec& spec, double around) {
    const LinearSpec& tokens = spec.attention.inputs[1];
    const double keys = tokens_ * static_cast<double>(tokens.out) * value_, query = stream(rows_);
    moment(around + query + product(tokens, tokens_));
    moment(around + 2 * query + keys + scores(spec.attention, query, shape_.rows.lengths, tokens_));
    const double inner = rows_ * static_cast<double>(spec.feed_forward.width()) * value_;
    moment(around + 2 * query + activated(spec.feed_forward.activation) * inner);
    moment(around + 2 * query + inner + product(spec.feed_forward.out, rows_));
    return query;
  }

  // Returns the output's bytes.
  double head(double rows) {
    const HeadSpec& spec = blueprint_.head;
    double read = spec.selection == Selection::kAll ? rows : rows_;
    if (shape_.reads_last_token) read = rows_;
    double hidden = stream(rows);
    if (blueprint_.final_norm && !sums_layers()) hidden += stream(shape_.reads_last_token ? rows_ : rows);
    double width = width_;
    double input = 0;
    const auto apply = [&](const LinearSpec& linear) {
      moment(hidden + input + product(linear, read));
      width = static_cast<double>(linear.out);
      input = read * width * value_;
    };
    if (blueprint_.final_projection) apply(*blueprint_.final_projection);
    if (spec.dense_on_tokens) {
      moment(hidden + product(*spec.dense, rows));
      width = static_cast<double>(spec.dense->out);
      hidden += rows * width * value_;
    }
    if (spec.probe) {
      input = probe(*spec.probe, hidden);
    } else if (spec.selection != Selection::kAll) {
      input = read * width * value_ * static_cast<double>(1 + spec.beside.size());
      moment(hidden + input);
    }
    if (spec.dense && !spec.dense_on_tokens) apply(*spec.dense);
    if (spec.activation) moment(hidden + activated(*spec.activation) * input);
    if (spec.norm) moment(hidden + 2 * input);
    if (spec.output) apply(*spec.output);
    if (spec.similarities) apply(spec.similarities->product);
    moment(hidden + input);
    return input > 0 ? input : stream(read);
  }

  const Blueprint& blueprint_;
  const ForwardShape& shape_;
  EncodedRows encoded_;
  double rows_, tokens_;
  double value_;  // bytes
  double width_;  // of what goes from layer to layer
  double held_ = 0;
  double mask_ = 0;  // of it
  double peak_ = 0;
};

// Each text is read by all of its beams.
std::vector<std::int64_t> repeated(const std::vector<std::int64_t>& lengths, std::int64_t times) {
  std::vector<std::int64_t> all;
  for (const std::int64_t length : lengths) all.insert(all.end(), static_cast<std::size_t>(times), length);
  return all;
}

}  // namespace

std::optional<ForwardMemory> forecast_forward_memory(const ModelConfig& config, Task task, const ForwardShape& shape) {
  if (!config.architecture || !config.architecture->draw) return std::nullopt;
  const Blueprint blueprint = draw_blueprint(config, task);
  if (blueprint.layers.empty() || shape.rows.lengths.empty()) return std::nullopt;
  if (!blueprint.decoder) return PassOnPaper(blueprint, shape).run();
  const bool is_request = shape.reads_last_token;
  ForwardShape encoding = shape, decoding = shape;
  encoding.reads_last_token = false;
  decoding.rows.has_padding = false;  // no token sees what comes after it
  const auto rows = static_cast<std::int64_t>(shape.rows.lengths.size());
  const bool is_later_step = shape.beams > 0;
  if (is_request) {
    decoding.rows.lengths.assign(static_cast<std::size_t>(rows * std::max<std::int64_t>(1, shape.beams)), 1);
  }
  const Blueprint encoder = encoder_of(blueprint), decoder = decoder_of(blueprint);
  const ForwardMemory encoded = PassOnPaper(encoder, encoding).run();
  EncodedRows text{shape.rows.lengths, encoded.output, is_request, is_later_step};
  if (is_later_step) {
    text.lengths = repeated(shape.rows.lengths, shape.beams);
    return PassOnPaper(decoder, decoding, text).run();
  }
  const ForwardMemory decoded = PassOnPaper(decoder, decoding, text).run();
  return ForwardMemory{std::max(encoded.peak, decoded.peak), decoded.output};
}

}  // namespace transformeter
