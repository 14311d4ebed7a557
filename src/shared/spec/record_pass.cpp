// What each operation keeps is what PyTorch's derivatives.yaml has it save; a tensor that two of them save counts at
// the first.
#include "spec/record_pass.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "spec/encoder_decoder.h"

namespace transformeter {
namespace {

constexpr double kWide = 4;            // bytes of an element of fp32
constexpr double kRandomState = 5056;  // bytes of LibTorch's generator, which a second run goes back to

// What a matrix reads.
enum class Source {
  kOwn,     // what no operation before has kept
  kShared,  // the same as the matrix before
};

// Tensors of the activation's size that its derivative is computed from, beside the result.
double kept_by(Activation activation) {
  switch (activation) {
    case Activation::kLinear:
    case Activation::kRelu:
    case Activation::kSigmoid:
    case Activation::kTanh:
      return 0;
    case Activation::kClippedGelu:
    case Activation::kQuickGelu:
      return 2;
    default:
      return 1;  // its input
  }
}

// What an attention reads: queries, keys, and pairs of them, summed over rows.
struct AttentionSize {
  double queries, keys, pairs;
};

// Of one stack of layers.
class Recorder {
 public:
  /// `texts`: what a decoder's layers attend to beside their tokens; null: no decoder.
  Recorder(const Blueprint& blueprint, const StepShape& shape, const SavedForBackward& kept,
           const ComputedRows* texts = nullptr)
      : blueprint_(blueprint),
        shape_(shape),
        kept_(kept),
        texts_(texts),
        rows_(static_cast<double>(shape.rows.lengths.size())),
        tokens_(std::accumulate(shape.rows.lengths.begin(), shape.rows.lengths.end(), 0.0)),
        weight_(static_cast<double>(shape.bytes_per_weight)),
        product_(static_cast<double>(shape.bytes_per_product)),
        stream_(ends_in_product(blueprint.embedding) ? product_ : weight_),
        width_(static_cast<double>(blueprint.layers.front().attention.output.out)),
        has_gradients_(!shape.lora || texts != nullptr) {}

  Tape record() {
    add_stack();
    add_head();
    return std::move(tape_);
  }
  /// Without head and loss.
  Tape record_stack() {
    add_stack();
    return std::move(tape_);
  }

 private:
  void add_stack() {
    embed();
    if (texts_ != nullptr) shared_gradients_ += text_tokens() * width_ * stream_;
    // The gradient of a sum of all layers is there until the first of them.
    const bool sums_layers = !blueprint_.head.layer_weights.empty();
    if (sums_layers) layer_sum_ = tokens_ * width_ * stream_;
    for (std::size_t i = 0; i < blueprint_.layers.size(); ++i) {
      const bool is_last = i + 1 == blueprint_.layers.size();
      add_layer(blueprint_.layers[i], is_last && leaves_out_tokens() ? rows_ : tokens_, is_last);
    }
    layer_sum_ = 0;
    if (sums_layers) return add_last_of_sum();
    const double left = tokens_left();
    if (blueprint_.final_norm) add_norm(*blueprint_.final_norm, left);
    add_dropout(blueprint_.final_dropout, left * width_ * stream_);
    if (blueprint_.final_projection) add_linear(*blueprint_.final_projection, left);
  }

  double text_tokens() const { return std::accumulate(texts_->lengths.begin(), texts_->lengths.end(), 0.0); }
  double tokens_left() const { return leaves_out_tokens() ? rows_ : tokens_; }

  // What goes from layer to layer is of the type that the embedding ends in.
  static bool ends_in_product(const EmbeddingSpec& spec) {
    return spec.waves || (spec.projection && !spec.project_before_positions);
  }

  bool leaves_out_tokens() const { return !kept_.unneeded_tokens && blueprint_.needs_one_token(); }

  // Nothing is kept of what comes before all weights that learn.
  void add(double kept, double in_flight) {
    if (has_gradients_) tape_.push_back({kept, in_flight + beside_ + summed_ + layer_sum_});
  }

  bool learns(const std::string& weight) const { return !shape_.lora || shape_.lora->is_trainable(weight); }
  bool adapts(const LinearSpec& matrix) const { return shape_.lora && shape_.lora->adapts(matrix); }
  // For the gradient of what learns.
  bool reads_again(const LinearSpec& matrix) const { return adapts(matrix) || learns(matrix.weight); }
  bool learns_bias() const { return blueprint_.relative_bias && learns(blueprint_.relative_bias->table); }

  void embed() {
    const EmbeddingSpec& spec = blueprint_.embedding;
    if (spec.patches) return embed_patches(*spec.patches, spec.norm);
    if (spec.waves) return embed_waves(*spec.waves, spec.norm);
    const double values = tokens_ * static_cast<double>(spec.width);
    TapeEntry tables{0, 2 * values * weight_};
    const auto learn_table = [&](const std::string& table, std::int64_t rows, double width) {
      if (!table.empty()) tables.weights.emplace_back(table, static_cast<double>(rows) * width * weight_);
    };
    const auto width = static_cast<double>(spec.width);
    learn_table(spec.words, spec.vocabulary, width);
    learn_table(spec.types, spec.type_rows, width);
    learn_table(spec.positions, spec.position_rows, spec.project_before_positions ? width_ : width);
    // LibTorch adds up the rows' gradients in fp32.
    if (weight_ < kWide) tables.in_flight += static_cast<double>(spec.vocabulary * spec.width) * kWide;
    if (learns(spec.words)) tape_.push_back(std::move(tables));
    if (spec.norm) add_norm(*spec.norm, tokens_, values, weight_);
    if (spec.projection) add_linear(*spec.projection, tokens_);
    add_dropout(blueprint_.hidden_dropout, tokens_ * width_ * stream_);
    add_mask();
  }

  // Pixels have no gradient, so that nothing keeps a cast of the matrix that multiplies them; gradients of learnt
  // tokens and positions are summed over the rows.
  void embed_patches(const PatchSpec& patches, const std::optional<NormSpec>& norm) {
    if (!learns(patches.projection.weight)) return;
    const LinearSpec& projection = patches.projection;
    const auto in = static_cast<double>(projection.in), out = static_cast<double>(projection.out);
    const double rows = rows_ * static_cast<double>(patches.count());
    double in_flight = rows * out * product_;
    if (kept_.widened_products && product_ < kWide) in_flight += rows * (in + out) * kWide;
    add(rows * in * product_, in_flight);
    learn(projection.weight, in * out);
    if (!projection.bias.empty()) learn(projection.bias, out);
    const double values = tokens_ * width_ * stream_;
    TapeEntry tokens{0, 2 * values};
    for (const std::string& token : patches.first_tokens) tokens.weights.emplace_back(token, width_ * weight_);
    tokens.weights.emplace_back(patches.positions, static_cast<double>(patches.tokens()) * width_ * weight_);
    tape_.push_back(std::move(tokens));
    if (norm) add_norm(*norm, tokens_);
    add_dropout(blueprint_.hidden_dropout, values);
  }

  // Samples are an input, of which only a cast is kept. Each convolution keeps what it reads, which is the activation
  // of the one before; norm and activation keep their own inputs.
  void embed_waves(const WaveSpec& waves, const std::optional<NormSpec>& norm) {
    const std::int64_t samples = samples_of(waves, shape_.rows);
    const std::vector<std::int64_t> lengths = waves.lengths(samples);
    double read = rows_ * static_cast<double>(samples);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const WaveLayerSpec& layer = waves.layers[i];
      const double times = rows_ * static_cast<double>(lengths[i]);
      const double made = times * static_cast<double>(layer.convolution.out);
      const bool norms_channels = layer.norm && !layer.norms_over_time;
      if (i > 0) {
        add_convolution(layer.convolution, read, convolution_in_flight(read, made, norms_channels));
      } else {
        add_convolution(layer.convolution, product_ < kWide ? read : 0, (norms_channels ? 3 : 2) * made);
      }
      if (layer.norm)
        add_wave_norm(layer, norms_channels ? times : rows_ * static_cast<double>(layer.norm->width), made);
      add(kept_by(waves.activation) * made * product_, 2 * made * product_);
      read = made;
    }
    if (waves.norm) add_norm(*waves.norm, tokens_, read, product_);
    add_linear(waves.projection, tokens_);
    const double frames = tokens_ * width_;
    add_dropout(waves.dropout, frames * product_);
    if (shape_.rows.has_padding) add(tokens_ * product_, 2 * frames * product_);
    add_positions(waves, frames);
    if (norm) add_norm(*norm, tokens_);
    add_dropout(blueprint_.hidden_dropout, frames * product_);
  }

  static double count_of(const ConvolutionSpec& spec) {
    const std::int64_t inputs = spec.in / spec.groups;  // that each output reads
    return static_cast<double>(spec.out * inputs * spec.kernel);
  }

  // The gradient of `made` values, and that of `read` in oneDNN's layout, in LibTorch's and as a copy; where channels
  // come last, copies of input and gradient too. As LibTorch 2.15 allocates them, in fp32 and bf16.
  static double convolution_in_flight(double read, double made, bool has_channels_last) {
    return has_channels_last ? 4 * read + 2 * made : 3 * read + made;
  }

  // `kept` and `in_flight`: values.
  void add_convolution(const ConvolutionSpec& spec, double kept, double in_flight) {
    const bool casts = shape_.has_autocast() && cast_.insert(spec.weight).second;
    add((kept + (casts ? count_of(spec) : 0)) * product_, in_flight * product_);
    learn(spec.weight, count_of(spec));
    if (!spec.bias.empty()) learn(spec.bias, static_cast<double>(spec.out));
  }

  // `means`: with as many deviations, in the weights' type. Over channels a norm copies its input and its gradient.
  void add_wave_norm(const WaveLayerSpec& layer, double means, double values) {
    add(values * product_ + 2 * means * weight_, (layer.norms_over_time ? 2 : 4) * values * product_);
    learn(layer.norm->name + ".weight", static_cast<double>(layer.norm->width));
    learn(layer.norm->name + ".bias", static_cast<double>(layer.norm->width));
  }

  // Their weight is made of its two parts in each pass, and kept. The gradient of the frames goes around.
  void add_positions(const WaveSpec& waves, double frames) {
    const ConvolutionSpec& spec = waves.positions;
    const double weight = count_of(spec);
    beside_ = frames * product_;
    add(3 * static_cast<double>(spec.kernel) * weight_, 3 * weight * weight_);
    learn(spec.weight, weight);
    learn(waves.position_gain, static_cast<double>(spec.kernel));
    const double made = frames + (spec.kernel % 2 == 0 ? rows_ * width_ : 0);  // a frame that is left out
    add((frames + weight) * product_, convolution_in_flight(frames, made, true) * product_ + weight * weight_);
    if (!spec.bias.empty()) learn(spec.bias, width_);
    add(kept_by(waves.activation) * made * product_, 3 * made * product_);
    beside_ = 0;
  }

  // The last of the hidden states that are summed; those before are what layers read, and kept by them.
  void add_last_of_sum() {
    const double hidden = tokens_ * width_ * stream_;
    add(hidden, 3 * hidden);
    learn(blueprint_.head.layer_weights, static_cast<double>(blueprint_.layers.size() + 1));
  }

  void add_mask() {
    const double bytes = mask_values(blueprint_, shape_.rows) * stream_;
    if (learns_bias()) {
      // Nothing keeps the mask. Its gradient is summed over layers, unless each layer computes its own again.
      if (!shape_.checkpoints_layers) shared_gradients_ += bytes;
    } else if (bytes > 0 && !keeps_shares(blueprint_.layers.front().attention)) {
      tape_.push_back({bytes, 0});
    }
  }
  bool masks_pairs() const { return blueprint_.is_causal && shape_.rows.has_padding && !shape_.rows.is_packed; }

  // Of what goes from layer to layer.
  void add_norm(const NormSpec& spec, double rows) {
    add_norm(spec, rows, rows * static_cast<double>(spec.width), stream_);
  }

  // Beside the values a layer norm keeps mean and deviation of each row. LibTorch composes the other kind in fp32, and
  // the normed values are kept too, for the gradient of its weight.
  void add_norm(const NormSpec& spec, double rows, double values, double element) {
    const bool is_layer = spec.kind == NormKind::kLayer;
    const double copies = learns(spec.name + ".weight") ? 2 : 1;
    add(is_layer ? (values + 2 * rows) * element : (copies * values + rows) * kWide, 2 * values * element);
    learn(spec.name + ".weight", static_cast<double>(spec.width));
    if (is_layer) learn(spec.name + ".bias", static_cast<double>(spec.width));
  }

  void learn(const std::string& weight, double count) {
    if (learns(weight)) tape_.back().weights.emplace_back(weight, count * weight_);
  }

  void add_linear(const LinearSpec& spec, double rows, Source source = Source::kOwn) {
    const auto in = static_cast<double>(spec.in), out = static_cast<double>(spec.out);
    const bool is_adapted = adapts(spec), needs_input = reads_again(spec);
    if (source == Source::kOwn) {
      input_is_kept_ = false;
      input_has_gradient_ = has_gradients_;
    }
    has_gradients_ = has_gradients_ || needs_input;
    if (!needs_input && !input_has_gradient_) return;
    // Autocast casts what goes from layer to layer again for each matrix.
    double kept = !needs_input || (input_is_kept_ && !casts_stream()) ? 0 : rows * in * product_;
    input_is_kept_ = input_is_kept_ || needs_input;
    double in_flight = rows * (in * stream_ + out * product_);
    // Both gradients, and what oneDNN lays out again of output and input, in 16 bits twice.
    if (blueprint_.channels_first) in_flight = rows * ((product_ < kWide ? 3 : 2) * in + 2 * out) * product_;
    const WidenedProducts widened = widened_products(spec);
    if (widened.any()) in_flight += widened_backward(spec, rows, widened);
    // Autocast casts a frozen matrix each time, and only the gradient of its input needs it.
    const bool casts_matrix = learns(spec.weight) ? cast_.insert(spec.weight).second : input_has_gradient_;
    if (shape_.has_autocast() && !widened.any() && casts_matrix) kept += in * out * product_;
    if (is_adapted) kept += rows * static_cast<double>(shape_.lora->rank) * product_;  // what B reads
    add(kept, in_flight);
    if (widened.outputs) tape_.back().computed = widened_forward(spec, rows);
    learn(spec.weight, in * out);
    if (!spec.bias.empty()) learn(spec.bias, out);
    if (is_adapted) learn_adapter(spec);
  }

  void learn_adapter(const LinearSpec& spec) {
    const auto rank = static_cast<double>(shape_.lora->rank);
    const double down = static_cast<double>(spec.in) * rank, up = static_cast<double>(spec.out) * rank;
    TapeEntry& entry = tape_.back();
    entry.weights.emplace_back(lora_a_of(spec.weight), down * weight_);
    entry.weights.emplace_back(lora_b_of(spec.weight), up * weight_);
    if (shape_.has_autocast() && cast_.insert(lora_a_of(spec.weight)).second) entry.kept += (down + up) * product_;
  }

  WidenedProducts widened_products(const LinearSpec& spec) const {
    if (product_ >= kWide) return {};
    if (kept_.widened_products) return WidenedProducts::all();
    return kept_.widens ? kept_.widens(spec) : WidenedProducts();
  }

  // Inputs, matrix and outputs in fp32, and the matrix's cast. What runs again has the gradient of its layer beside it.
  double widened_forward(const LinearSpec& spec, double rows) const {
    const auto in = static_cast<double>(spec.in), out = static_cast<double>(spec.out);
    const double beside = shape_.checkpoints_layers ? beside_ : 0;
    return (rows * (in + out) + in * out) * kWide + cast_bytes(spec) + beside;
  }

  // The slopes' fp32 copy is there for both gradients. While that of the inputs is computed, beside the matrix's fp32
  // copy and its cast, that of the matrix is not there yet.
  double widened_backward(const LinearSpec& spec, double rows, const WidenedProducts& widened) const {
    const auto in = static_cast<double>(spec.in), out = static_cast<double>(spec.out);
    const bool has_inputs = widened.input_gradient && input_has_gradient_;
    const bool has_weights = widened.weight_gradient && learns(spec.weight);
    const double slopes = has_inputs || has_weights ? rows * out * kWide : 0;
    const double gradient = learns(spec.weight) ? in * out * weight_ : 0;
    const double to_round = rows * in * (kWide + product_ - stream_);
    const double of_inputs = has_inputs ? cast_bytes(spec) + in * out * kWide - gradient + to_round : 0;
    const double of_weights = has_weights ? rows * in * kWide : 0;
    return slopes + std::max(of_inputs, of_weights);
  }

  double cast_bytes(const LinearSpec& spec) const {
    return shape_.has_autocast() ? static_cast<double>(spec.in) * static_cast<double>(spec.out) * product_ : 0;
  }

  bool casts_stream() const { return product_ < stream_; }

  // `bytes` of the values.
  void add_dropout(double share, double bytes) {
    if (!shape_.has_dropout || share == 0) return;
    add(kept_.dropout_masks ? bytes : 0, 2 * bytes);
  }

  void add_layer(const LayerSpec& spec, double rows_after, bool is_last) {
    Tape before = std::move(tape_);
    tape_.clear();
    has_gradients_ = has_gradients_ || shape_.checkpoints_layers;  // a layer's input has one, whatever learns
    summed_ = shared_gradients_;
    beside_ = rows_after * width_ * stream_;
    if (spec.norm_first) add_norm(spec.attention_norm, tokens_);
    add_attention(spec.attention, rows_after);
    if (spec.attention_output_norm) add_norm(*spec.attention_output_norm, rows_after);
    if (!spec.norm_first) add_norm(spec.attention_norm, rows_after);
    if (spec.cross_attention) {
      add_norm(*spec.cross_attention_norm, tokens_);
      add_cross_attention(*spec.cross_attention, &spec == &blueprint_.layers.front());
    }
    if (is_last) summed_ = 0;  // they begin with the last layer's attention
    beside_ = rows_after * width_ * stream_;
    if (spec.norm_first) add_norm(spec.feed_forward_norm, rows_after);
    add_feed_forward(spec.feed_forward, rows_after);
    if (spec.feed_forward_output_norm) add_norm(*spec.feed_forward_output_norm, rows_after);
    if (!spec.norm_first) add_norm(spec.feed_forward_norm, rows_after);
    beside_ = summed_ = 0;
    if (shape_.checkpoints_layers) {
      cast_.clear();  // a second run casts again
      // The texts are kept once for all layers.
      const bool reads_texts_first = spec.cross_attention && &spec == &blueprint_.layers.front();
      const double texts = reads_texts_first ? text_tokens() * width_ * stream_ : 0;
      before.push_back({.kept = tokens_ * width_ * stream_ + texts + kRandomState, .again = std::move(tape_)});
    } else {
      std::move(tape_.begin(), tape_.end(), std::back_inserter(before));
    }
    tape_ = std::move(before);
  }

  void add_attention(const AttentionSpec& spec, double rows_after) {
    for (const LinearSpec& input : spec.inputs) {
      add_linear(input, tokens_, &input == &spec.inputs.front() ? Source::kOwn : Source::kShared);
    }
    const auto heads = static_cast<double>(spec.heads), key_heads = static_cast<double>(spec.key_value_heads);
    const double width = heads * static_cast<double>(spec.head_dim);
    const double key_width = key_heads * static_cast<double>(spec.head_dim);
    // Rotated queries and keys are tensors of their own, beside the one that the values are a part of; its gradient is
    // joined of three.
    if (spec.inputs.size() == 1 && blueprint_.rotary) {
      add(tokens_ * (width + key_width) * product_, 2 * tokens_ * (width + 2 * key_width) * product_);
    }
    if (spec.query_norm) add_norm(*spec.query_norm, tokens_ * heads, tokens_ * width, product_);
    if (spec.key_norm) add_norm(*spec.key_norm, tokens_ * key_heads, tokens_ * key_width, product_);
    if (learns_bias() || keeps_shares(spec)) {
      const bool is_one = rows_after < tokens_;
      add_composed_attention(spec, {is_one ? rows_ : tokens_, tokens_, pairs(is_one)});
    } else {
      const double values = tokens_ * (width + 2 * key_width) * product_, result = rows_after * width * product_;
      double kept = values + rows_after * heads * kWide;
      if (!is_own_kernel(spec) && (has_groups() || !reads_again(spec.output))) kept += result;
      if (is_own_kernel(spec) && masks_pairs() && stream_ < kWide) kept += pairs(rows_after < tokens_) * kWide;
      add(kept, values + 2 * result);
    }
    add_linear(spec.output, rows_after);
    add_dropout(blueprint_.hidden_dropout, rows_after * width_ * product_);
  }

  // Beside the texts' padding it has no mask. What was encoded is kept once for all layers, of which the first counts
  // it.
  void add_cross_attention(const AttentionSpec& spec, bool is_first) {
    const double texts = text_tokens(), width = static_cast<double>(spec.heads * spec.head_dim);
    const bool keeps_texts = is_first && !shape_.checkpoints_layers;
    add_linear(spec.inputs[0], tokens_);
    add_linear(spec.inputs[1], texts, keeps_texts ? Source::kOwn : Source::kShared);
    add_linear(spec.inputs[2], texts, Source::kShared);
    if (keeps_shares(spec)) {
      double all = 0;
      for (std::size_t row = 0; row < texts_->lengths.size(); ++row) {
        all += static_cast<double>(shape_.rows.lengths[row]) * static_cast<double>(texts_->lengths[row]);
      }
      add_composed_attention(spec, {tokens_, texts, all});
    } else {
      const double values = (tokens_ + 2 * texts) * width * product_, result = tokens_ * width * product_;
      const double kept_result = reads_again(spec.output) ? 0 : result;
      add(values + tokens_ * static_cast<double>(spec.heads) * kWide + kept_result, values + 2 * result);
    }
    add_linear(spec.output, tokens_);
    add_dropout(blueprint_.hidden_dropout, tokens_ * width_ * product_);
  }

  bool drops_shares(const AttentionSpec& spec) const { return shape_.has_dropout && spec.dropout > 0; }

  bool keeps_shares(const AttentionSpec& spec) const {
    const bool composes = kept_.composes_columns && blueprint_.channels_first && !is_own_kernel(spec);
    return composes || kept_.attention_shares == SharesKept::kAlways ||
           (kept_.attention_shares == SharesKept::kWithDropout && drops_shares(spec));
  }

  // The engine's, which keeps its mask in fp32. LibTorch's keeps its result, which of packed rows of several lengths is
  // joined to another.
  bool is_own_kernel(const AttentionSpec& spec) const {
    return kept_.own_attention && (drops_shares(spec) || (kept_.widened_products && product_ < kWide));
  }
  bool has_groups() const {
    const std::vector<std::int64_t>& lengths = shape_.rows.lengths;
    return shape_.rows.is_packed && std::set<std::int64_t>(lengths.begin(), lengths.end()).size() > 1;
  }

  // Of a query and a key, in each head.
  double pairs(bool is_one) const {
    double sum = 0;
    for (const std::int64_t length : shape_.rows.lengths) {
      sum += static_cast<double>(length) * static_cast<double>(is_one ? 1 : length);
    }
    return sum;
  }

  // Scores, softmax, dropout and the product with the values, one after another.
  void add_composed_attention(const AttentionSpec& spec, const AttentionSize& size) {
    const double element = kept_.wide_shares ? kWide : product_;
    const double shares = size.pairs * static_cast<double>(spec.heads) * element;
    const double width = static_cast<double>(spec.heads * spec.head_dim) * element;
    const double queries = size.queries * width, values = size.keys * width;
    const double both = values + std::max(queries, values);
    const bool drops = drops_shares(spec);
    // Queries are kept for the gradient of keys.
    const bool learns_keys = input_has_gradient_ || spec.inputs.size() == 1 || reads_again(spec.inputs[1]);
    add((learns_keys ? queries : 0) + values, both + 2 * shares);  // Q Kᵀ
    add(shares, 2 * shares);                                       // softmax
    if (drops) add(shares, 2 * shares);                            // dropout, whose mask LibTorch keeps
    add(values + (drops ? shares : 0), 2 * shares + both);         // · V
  }

  void add_feed_forward(const FeedForwardSpec& spec, double rows) {
    const double inner = rows * static_cast<double>(spec.width()) * product_;
    if (spec.gate) add_linear(*spec.gate, rows);
    add_linear(spec.in, rows, spec.gate ? Source::kShared : Source::kOwn);
    if (spec.holds_gate) add(0, 4 * inner);  // both gradients, then joined
    // The gate's values are kept with those beside them.
    add(std::max(kept_by(spec.activation), spec.holds_gate ? 1.0 : 0.0) * inner, 2 * inner);
    if (spec.is_gated()) add(2 * inner, 3 * inner);  // · in(x): both factors
    const bool drops = shape_.has_dropout && spec.dropout > 0;
    if (!drops && keeps_result(spec) && !reads_again(spec.out)) add(inner, 0);
    add_inner_dropout(spec, inner);
    add_linear(spec.out, rows);
    add_dropout(blueprint_.hidden_dropout, rows * width_ * product_);
  }

  // Whether the activation's derivative is computed from its result, which the last matrix usually keeps as well.
  static bool keeps_result(const FeedForwardSpec& spec) {
    return !spec.is_gated() && kept_by(spec.activation) == 0 && spec.activation != Activation::kLinear;
  }

  // The last matrix keeps what was not dropped, and so does an activation whose derivative is computed from its result.
  void add_inner_dropout(const FeedForwardSpec& spec, double bytes) {
    if (!shape_.has_dropout || spec.dropout == 0) return;
    if (keeps_result(spec)) add(bytes, 0);
    add_dropout(spec.dropout, bytes);
  }

  void add_head() {
    const HeadSpec& head = blueprint_.head;
    const double read = head.selection == Selection::kAll ? tokens_ : rows_;
    if (reads_view() && !casts_stream()) add((tokens_left() - rows_) * width_ * stream_, 0);
    double width = width_;
    const auto apply = [&](const std::optional<LinearSpec>& linear, double rows) {
      if (!linear) return;
      add_linear(*linear, rows);
      width = static_cast<double>(linear->out);
    };
    apply(head.dense, head.dense_on_tokens ? tokens_ : read);
    if (head.activation && kept_by(*head.activation) > 0) {
      add(kept_by(*head.activation) * read * width * product_, 2 * read * width * product_);
    }
    if (head.norm) add_norm(*head.norm, read, read * width, product_);
    add_dropout(head.dropout, read * width * product_);
    apply(head.output, read);
    // The logarithm of the softmax, in fp32; a text's last token is followed by none. A target has a label for each.
    double labels = read;
    const bool predicts_next = blueprint_.is_causal && head.selection == Selection::kAll && texts_ == nullptr;
    if (predicts_next) labels -= shape_.rows.is_packed ? 1 : rows_;
    add(labels * width * kWide, (labels * (shape_.smooths_labels ? 2 : 1) + read) * width * kWide);
    if (head.ctc) add_ctc(read * width * kWide);
  }

  // For each frame the probabilities of a transcript's beginnings, with blanks between its tokens and around them; in
  // the backward pass those of its ends. `logits` bytes, of which a gradient is made beside the softmax's.
  void add_ctc(double logits) {
    const std::vector<std::int64_t>& tokens = shape_.rows.target_lengths;
    const auto longest = static_cast<double>(*std::max_element(tokens.begin(), tokens.end()));
    const double beginnings = tokens_ * (2 * longest + 1) * kWide;
    add(beginnings, beginnings + logits);
  }

  // One column of all rows' tokens, which are kept with it.
  bool reads_view() const {
    const Selection selection = blueprint_.head.selection;
    if (shape_.rows.is_packed) return false;
    return selection == Selection::kFirst || (selection == Selection::kLast && !shape_.rows.has_padding);
  }

  const Blueprint& blueprint_;
  const StepShape& shape_;
  const SavedForBackward& kept_;
  const ComputedRows* texts_;
  double rows_, tokens_;
  double weight_, product_, stream_;  // bytes of an element; the last of what goes from layer to layer
  double width_;                      // of the same
  Tape tape_;
  double beside_ = 0;            // the gradient that goes around the operation
  double shared_gradients_ = 0;  // of what all layers read, summed from the last to the first
  double summed_ = 0;            // of them, what is there while the operation's backward pass runs
  double layer_sum_ = 0;         // the gradient of a sum of all layers, likewise
  std::set<std::string> cast_;
  bool has_gradients_;                                      // whether any weight that learns came before
  bool input_is_kept_ = false, input_has_gradient_ = true;  // of the last matrices that read the same
};

}  // namespace

Tape record_pass(const Blueprint& blueprint, const StepShape& shape, const SavedForBackward& kept) {
  if (!blueprint.decoder) return Recorder(blueprint, shape, kept).record();
  const Blueprint encoder = encoder_of(blueprint), decoder = decoder_of(blueprint);
  StepShape targets = shape;
  targets.rows.lengths = shape.rows.target_lengths;
  targets.rows.has_padding = false;  // no token sees what comes after it
  Tape tape = Recorder(encoder, shape, kept).record_stack();
  Tape after = Recorder(decoder, targets, kept, &shape.rows).record();
  std::move(after.begin(), after.end(), std::back_inserter(tape));
  return tape;
}

}  // namespace transformeter
