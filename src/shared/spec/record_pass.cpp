// Layers, their matrices, and the head.
#include "spec/record_pass.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "spec/encoder_decoder.h"
#include "spec/lora.h"
#include "spec/pass_recorder.h"
#include "spec/two_towers.h"

namespace transformeter {
namespace {

constexpr double kRandomState = 5056;  // bytes of LibTorch's generator, which a second run goes back to
constexpr double kFp32 = 4;            // bytes of an element

}  // namespace

// Tensors of the activation's size that its derivative is computed from, beside the result.
double PassRecorder::kept_by(Activation activation) {
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

// Tensors of the activation's size while its derivative is computed. That of a product, x σ(1.702 x), has both factors'
// beside the result's.
double PassRecorder::slopes_of(Activation activation) {
  return activation == Activation::kQuickGelu ? 3 : 2;
}

Tape PassRecorder::record() {
  add_stack();
  add_head();
  return std::move(tape_);
}

Tape PassRecorder::record_vectors() {
  add_stack();
  const double vectors = rows_ * add_output() * product_;
  add(vectors + 2 * rows_ * product_, 3 * vectors);  // with their lengths, as they are and at least 1e-12
  return std::move(tape_);
}

Tape PassRecorder::record_stack() {
  add_stack();
  return std::move(tape_);
}

void PassRecorder::add_stack() {
  embed();
  if (texts_ != nullptr && texts_->have_gradients) shared_gradients_ += text_tokens() * width_ * stream_;
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

// What goes from layer to layer is of the type that the embedding ends in.
bool PassRecorder::ends_in_product(const EmbeddingSpec& spec) {
  return spec.waves || (spec.projection && !spec.project_before_positions);
}

// Nothing is kept of what comes before all trainable weights.
void PassRecorder::add(double kept, double in_flight) {
  if (has_gradients_) tape_.push_back({kept, in_flight + beside_ + summed_ + layer_sum_});
}

// The last of the hidden states that are summed; those before are what layers read, and kept by them.
void PassRecorder::add_last_of_sum() {
  const double hidden = tokens_ * width_ * stream_;
  add(hidden, 3 * hidden);
  learn(blueprint_.head.layer_weights, static_cast<double>(blueprint_.layers.size() + 1));
}

void PassRecorder::add_mask() {
  const double bytes = mask_values(blueprint_, shape_.rows) * stream_;
  if (learns_bias()) {
    // Nothing keeps the mask. Its gradient is summed over layers, unless each layer computes its own again.
    if (!shape_.checkpoints_layers) shared_gradients_ += bytes;
  } else if (bytes > 0 && !keeps_shares(blueprint_.layers.front().attention)) {
    tape_.push_back({bytes, 0});
  }
}

// Of what goes from layer to layer.
void PassRecorder::add_norm(const NormSpec& spec, double rows) {
  add_norm(spec, rows, rows * static_cast<double>(spec.width), stream_);
}

// Beside the values a layer norm keeps mean and deviation of each row. LibTorch composes the other kind in fp32, and
// the normed values are kept too, for the gradient of its weight.
void PassRecorder::add_norm(const NormSpec& spec, double rows, double values, double element) {
  const bool is_layer = spec.kind == NormKind::kLayer;
  const double copies = learns(spec.name + ".weight") ? 2 : 1;
  add(is_layer ? (values + 2 * rows) * element : (copies * values + rows) * kWide, 2 * values * element);
  learn(spec.name + ".weight", static_cast<double>(spec.width));
  if (is_layer) learn(spec.name + ".bias", static_cast<double>(spec.width));
}

void PassRecorder::learn(const std::string& weight, double count) {
  if (learns(weight)) tape_.back().weights.emplace_back(weight, count * weight_);
}

void PassRecorder::add_linear(const LinearSpec& spec, double rows, Source source) {
  const auto in = static_cast<double>(spec.in), out = static_cast<double>(spec.out);
  const bool is_adapted = adapts(spec), needs_input = reads_again(spec);
  begin_input(source);
  has_gradients_ = has_gradients_ || input_has_gradient_ || needs_input;
  if (!needs_input && !input_has_gradient_) return;
  // Autocast casts what goes from layer to layer again for each matrix.
  double kept = !needs_input || (input_is_kept_ && !casts_stream()) ? 0 : rows * in * product_;
  input_is_kept_ = input_is_kept_ || needs_input;
  if (source == Source::kTexts) texts_are_kept_ = input_is_kept_;
  double in_flight = rows * (in * stream_ + out * product_);
  // Both gradients, and what oneDNN lays out again of output and input, in 16 bits twice.
  if (blueprint_.channels_first) in_flight = rows * ((product_ < kWide ? 3 : 2) * in + 2 * out) * product_;
  const WidenedProducts widened = widened_products(spec);
  if (widened.any()) in_flight += widened_backward(spec, rows, widened);
  // Autocast casts a frozen matrix each time, and only the gradient of its input needs it.
  const bool casts_matrix = learns(spec.weight) ? cast_.insert(spec.key()).second : input_has_gradient_;
  if (shape_.has_autocast() && !widened.any() && casts_matrix) kept += in * out * product_;
  if (is_adapted) kept += rows * static_cast<double>(shape_.lora->rank) * product_;  // what B reads
  add(kept, in_flight);
  if (widened.outputs) tape_.back().computed = widened_forward(spec, rows);
  // The gradient of a part is as large as what it is a part of, with zeros elsewhere.
  const double rows_learnt = spec.is_part() ? static_cast<double>(spec.stored_rows) : out;
  learn(spec.weight, in * rows_learnt);
  if (!spec.bias.empty()) learn(spec.bias, rows_learnt);
  if (is_adapted) learn_adapter(spec);
}

void PassRecorder::begin_input(Source source) {
  if (source == Source::kShared) return;
  const bool is_of_texts = source == Source::kTexts;
  input_is_kept_ = is_of_texts && texts_are_kept_;
  input_has_gradient_ = is_of_texts ? texts_->have_gradients : has_gradients_;
}

void PassRecorder::learn_adapter(const LinearSpec& spec) {
  const auto rank = static_cast<double>(shape_.lora->rank);
  const double down = static_cast<double>(spec.in) * rank, up = static_cast<double>(spec.out) * rank;
  TapeEntry& entry = tape_.back();
  entry.weights.emplace_back(lora_a_of(spec.weight), down * weight_);
  entry.weights.emplace_back(lora_b_of(spec.weight), up * weight_);
  if (shape_.has_autocast() && cast_.insert(lora_a_of(spec.weight)).second) entry.kept += (down + up) * product_;
}

WidenedProducts PassRecorder::widened_products(const LinearSpec& spec) const {
  if (product_ >= kWide) return {};
  if (kept_.widened_products) return WidenedProducts::all();
  return kept_.widens ? kept_.widens(spec) : WidenedProducts();
}

// Inputs, matrix and outputs in fp32, and the matrix's cast. What runs again has the gradient of its layer beside it.
double PassRecorder::widened_forward(const LinearSpec& spec, double rows) const {
  const auto in = static_cast<double>(spec.in), out = static_cast<double>(spec.out);
  const double beside = shape_.checkpoints_layers ? beside_ : 0;
  return (rows * (in + out) + in * out) * kWide + cast_bytes(spec) + beside;
}

// The slopes' fp32 copy is there for both gradients. While that of the inputs is computed, beside the matrix's fp32
// copy and its cast, that of the matrix is not there yet.
double PassRecorder::widened_backward(const LinearSpec& spec, double rows, const WidenedProducts& widened) const {
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

double PassRecorder::cast_bytes(const LinearSpec& spec) const {
  return shape_.has_autocast() ? static_cast<double>(spec.in) * static_cast<double>(spec.out) * product_ : 0;
}

// `bytes` of the values.
void PassRecorder::add_dropout(double share, double bytes) {
  if (!shape_.has_dropout || share == 0) return;
  add(kept_.dropout_masks ? bytes : 0, 2 * bytes);
}

void PassRecorder::add_layer(const LayerSpec& spec, double rows_after, bool is_last) {
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
    add_cross_attention(*spec.cross_attention);
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

void PassRecorder::add_attention(const AttentionSpec& spec, double rows_after) {
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
    const LinearSpec& keys = spec.inputs.size() == 1 ? spec.inputs.front() : spec.inputs[1];
    add_composed_attention(
        spec, {is_one ? rows_ : tokens_, tokens_, pairs(is_one)},
        {gives_gradient(spec.inputs.front()), gives_gradient(keys), gives_gradient(spec.inputs.back())});
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

// Beside the texts' padding it has no mask. What was encoded is kept once for all layers.
void PassRecorder::add_cross_attention(const AttentionSpec& spec) {
  const double texts = text_tokens(), width = static_cast<double>(spec.heads * spec.head_dim);
  add_linear(spec.inputs[0], tokens_);
  const bool has_query_gradients = gives_gradient(spec.inputs[0]);
  add_linear(spec.inputs[1], texts, Source::kTexts);
  add_linear(spec.inputs[2], texts, Source::kTexts);
  if (keeps_shares(spec)) {
    double all = 0;
    const std::vector<std::int64_t>& lengths = texts_->rows.lengths;
    for (std::size_t row = 0; row < lengths.size(); ++row) {
      all += static_cast<double>(shape_.rows.lengths[row]) * static_cast<double>(lengths[row]);
    }
    add_composed_attention(spec, {tokens_, texts, all},
                           {has_query_gradients, gives_gradient(spec.inputs[1]), gives_gradient(spec.inputs[2])});
  } else {
    const double values = (tokens_ + 2 * texts) * width * product_, result = tokens_ * width * product_;
    const double kept_result = is_own_kernel(spec) || reads_again(spec.output) ? 0 : result;
    add(values + tokens_ * static_cast<double>(spec.heads) * kWide + kept_result, values + 2 * result);
  }
  add_linear(spec.output, tokens_);
  add_dropout(blueprint_.hidden_dropout, tokens_ * width_ * product_);
}

bool PassRecorder::keeps_shares(const AttentionSpec& spec) const {
  const bool composes = kept_.composes_columns && blueprint_.channels_first && !is_own_kernel(spec);
  return composes || kept_.attention_shares == SharesKept::kAlways ||
         (kept_.attention_shares == SharesKept::kWithDropout && drops_shares(spec));
}

// The engine's, which keeps its mask in fp32. LibTorch's keeps its result, which of packed rows of several lengths is
// joined to another.
bool PassRecorder::is_own_kernel(const AttentionSpec& spec) const {
  return kept_.own_attention && (drops_shares(spec) || (kept_.widened_products && product_ < kWide));
}

bool PassRecorder::has_groups() const {
  const std::vector<std::int64_t>& lengths = shape_.rows.lengths;
  return shape_.rows.is_packed && std::set<std::int64_t>(lengths.begin(), lengths.end()).size() > 1;
}

// Of a query and a key, in each head.
double PassRecorder::pairs(bool is_one) const {
  double sum = 0;
  for (const std::int64_t length : shape_.rows.lengths) {
    sum += static_cast<double>(length) * static_cast<double>(is_one ? 1 : length);
  }
  return sum;
}

// Scores, softmax, dropout and the product with the values, one after another.
void PassRecorder::add_composed_attention(const AttentionSpec& spec, const AttentionSize& size,
                                          const AttentionGradients& gradients) {
  const double element = kept_.wide_shares ? kWide : product_;
  const double shares = size.pairs * static_cast<double>(spec.heads) * element;
  const double width = static_cast<double>(spec.heads * spec.head_dim) * element;
  const double queries = size.queries * width, values = size.keys * width;
  const double both = values + std::max(queries, values);
  const bool drops = drops_shares(spec);
  // Each factor is kept for the gradient of the other.
  const double score_factors = (gradients.keys ? queries : 0) + (gradients.queries ? values : 0);
  const double score_shares = gradients.of_scores() ? shares : 0, other_factor = gradients.of_scores() ? values : 0;
  const bool keeps_dropped = gradients.values && (drops || !gradients.of_scores());
  add(score_factors, both + 2 * shares);                                // Q Kᵀ
  add(score_shares, 2 * shares);                                        // softmax
  if (drops) add(score_shares, 2 * shares);                             // dropout, whose mask LibTorch keeps
  add(other_factor + (keeps_dropped ? shares : 0), 2 * shares + both);  // · V
}

void PassRecorder::add_feed_forward(const FeedForwardSpec& spec, double rows) {
  const double inner = rows * static_cast<double>(spec.width()) * product_;
  if (spec.gate) add_linear(*spec.gate, rows);
  add_linear(spec.in, rows, spec.gate ? Source::kShared : Source::kOwn);
  if (spec.holds_gate) add(0, 4 * inner);  // both gradients, then joined
  // The gate's values are kept with those beside them.
  add(std::max(kept_by(spec.activation), spec.holds_gate ? 1.0 : 0.0) * inner, slopes_of(spec.activation) * inner);
  if (spec.is_gated()) add(2 * inner, 3 * inner);  // · in(x): both factors
  const bool drops = shape_.has_dropout && spec.dropout > 0;
  if (!drops && keeps_result(spec) && !reads_again(spec.out)) add(inner, 0);
  add_inner_dropout(spec, inner);
  add_linear(spec.out, rows);
  add_dropout(blueprint_.hidden_dropout, rows * width_ * product_);
}

// Whether the activation's derivative is computed from its result, which the last matrix usually keeps as well.
bool PassRecorder::keeps_result(const FeedForwardSpec& spec) {
  return !spec.is_gated() && kept_by(spec.activation) == 0 && spec.activation != Activation::kLinear;
}

// The last matrix keeps what was not dropped, and so does an activation whose derivative is computed from its result.
void PassRecorder::add_inner_dropout(const FeedForwardSpec& spec, double bytes) {
  if (!shape_.has_dropout || spec.dropout == 0) return;
  if (keeps_result(spec)) add(bytes, 0);
  add_dropout(spec.dropout, bytes);
}

// Of what the head reads: by a norm, if anything before it has a gradient, or for the gradient of a matrix, which may
// be the first trainable weight.
bool PassRecorder::keeps_view() const {
  const HeadSpec& head = blueprint_.head;
  if (!reads_view()) return false;
  if (head.norm && !head.dense) return has_gradients_;
  const std::optional<LinearSpec>& first = head.dense ? head.dense : head.output;
  return !casts_stream() && first && reads_again(*first);
}

// Returns the width of what the head gives.
double PassRecorder::add_output() {
  const HeadSpec& head = blueprint_.head;
  const double read = tokens_read();
  if (keeps_view()) tape_.push_back({(tokens_left() - rows_) * width_ * stream_, 0});
  double width = width_;
  const auto apply = [&](const std::optional<LinearSpec>& linear, double rows) {
    if (!linear) return;
    add_linear(*linear, rows);
    width = static_cast<double>(linear->out);
  };
  if (head.probe) add_probe(*head.probe);
  apply(head.dense, head.dense_on_tokens ? tokens_ : read);
  if (head.activation && kept_by(*head.activation) > 0) {
    add(kept_by(*head.activation) * read * width * product_, 2 * read * width * product_);
  }
  if (head.norm) add_norm(*head.norm, read, read * width, product_);
  add_dropout(head.dropout, read * width * product_);
  apply(head.output, read);
  return width;
}

void PassRecorder::add_head() {
  const HeadSpec& head = blueprint_.head;
  const double read = tokens_read(), width = add_output();
  // The logarithm of the softmax, in fp32; a text's last token is followed by none. A target has a label for each.
  double labels = read;
  const bool predicts_next = blueprint_.is_causal && head.selection == Selection::kAll && texts_ == nullptr;
  if (predicts_next) labels -= shape_.rows.is_packed ? 1 : rows_;
  add(labels * width * kWide, (labels * (shape_.smooths_labels ? 2 : 1) + read) * width * kWide);
  if (head.ctc) add_ctc(read * width * kWide);
}

// For each frame the probabilities of a transcript's beginnings, with blanks between its tokens and around them; in
// the backward pass those of its ends. `logits` bytes, of which a gradient is made beside the softmax's.
void PassRecorder::add_ctc(double logits) {
  const std::vector<std::int64_t>& tokens = shape_.rows.target_lengths;
  const auto longest = static_cast<double>(*std::max_element(tokens.begin(), tokens.end()));
  const double beginnings = tokens_ * (2 * longest + 1) * kWide;
  add(beginnings, beginnings + logits);
}

// One column of all rows' tokens, which are kept with it.
bool PassRecorder::reads_view() const {
  const Selection selection = blueprint_.head.selection;
  if (shape_.rows.is_packed) return false;
  return selection == Selection::kFirst || (selection == Selection::kLast && !shape_.rows.has_padding);
}

namespace {

// What is there besides while the backward passes of `tape` run.
void keep_beside(Tape& tape, double bytes) {
  for (TapeEntry& entry : tape) {
    entry.in_flight += bytes;
    keep_beside(entry.again, bytes);
  }
}

// Of all logits of texts and images, in fp32: the logarithms of their softmax in both directions, or those of the
// logistic function, which keeps what it reads, with a sign of each.
TapeEntry pair_loss(PairLoss loss, double pairs) {
  const double tensors = loss == PairLoss::kSoftmax ? 2 : 3;
  return {.kept = tensors * pairs * kFp32, .in_flight = 3 * pairs * kFp32};
}

// Both towers, then the product of all texts' vectors with all images', its scale, and the loss. Each factor of a
// product is kept for the gradient of the other.
Tape record_pairs(const Blueprint& whole, const StepShape& shape, const SavedForBackward& kept) {
  const Blueprint images = image_tower_of(whole), texts = text_tower_of(whole);
  StepShape of_images = shape, of_texts = shape;
  of_images.rows.has_padding = false;
  of_texts.rows.lengths = shape.rows.target_lengths;
  PassRecorder image_pass(images, of_images, kept), text_pass(texts, of_texts, kept);
  Tape tape = image_pass.record_vectors();
  Tape after = text_pass.record_vectors();
  const auto rows = static_cast<double>(shape.rows.lengths.size());
  const auto product = static_cast<double>(shape.bytes_per_product);
  const double vectors = rows * static_cast<double>(whole.text_tower->vector_size) * product;
  const double image_gradients = image_pass.has_gradients() ? vectors : 0;
  const double gradients = image_gradients + (text_pass.has_gradients() ? vectors : 0);
  keep_beside(after, image_gradients);
  std::move(after.begin(), after.end(), std::back_inserter(tape));
  const double pairs = rows * rows;
  const PairLogitsSpec& logits = whole.text_tower->logits;
  // What autocast multiplies in 16 bits becomes as wide as a scale with an axis.
  const double scaled = logits.has_axis ? std::max(product, static_cast<double>(shape.bytes_per_weight)) : product;
  const bool learns_scale = !shape.lora || shape.lora->is_trainable(logits.scale);
  tape.push_back({.kept = gradients, .in_flight = gradients + pairs * product});
  tape.push_back({.kept = learns_scale ? pairs * product : 0, .in_flight = (learns_scale ? 3 : 2) * pairs * scaled});
  const auto one = static_cast<double>(shape.bytes_per_weight);
  if (learns_scale) tape.back().weights.emplace_back(logits.scale, one);
  const bool learns_bias = !logits.bias.empty() && (!shape.lora || shape.lora->is_trainable(logits.bias));
  if (learns_bias) tape.push_back({.in_flight = 2 * pairs * scaled, .weights = {{logits.bias, one}}});
  tape.push_back(pair_loss(logits.loss, pairs));
  return tape;
}

}  // namespace

Tape record_pass(const Blueprint& blueprint, const StepShape& shape, const SavedForBackward& kept) {
  if (blueprint.text_tower) return record_pairs(blueprint, shape, kept);
  if (!blueprint.decoder) return PassRecorder(blueprint, shape, kept).record();
  const Blueprint encoder = encoder_of(blueprint), decoder = decoder_of(blueprint);
  StepShape targets = shape;
  targets.rows.lengths = shape.rows.target_lengths;
  targets.rows.has_padding = false;  // no token sees what comes after it
  PassRecorder encoding(encoder, shape, kept);
  Tape tape = encoding.record_stack();
  const EncodedTexts texts{shape.rows, encoding.has_gradients()};
  Tape after = PassRecorder(decoder, targets, kept, &texts).record();
  std::move(after.begin(), after.end(), std::back_inserter(tape));
  return tape;
}

}  // namespace transformeter
