// With the fused operators that ONNX Runtime's own optimizer for Transformers puts into exported models.
#include "onnx_runtime/drawing.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "model/drawable.h"
#include "model/embedding.h"
#include "model/int8_channels.h"
#include "model/layer.h"
#include "model/profile_scope.h"

namespace transformeter {
namespace {

using Kind = GraphInput::Kind;
using Value = OnnxValue;

constexpr float kMasked = -1e30F;  // added to the score of a key that is not attended to

// A product whose bias, if it has one, is still to be added: what follows may do so in passing.
struct Product {
  Value value;
  Value bias;
};

// A residual stream: hidden states and what is still to be added to them.
struct Stream {
  Value hidden;
  Product added;
};

class Drawing {
 public:
  Drawing(const Parameters& parameters, bool is_int8) : parameters_(parameters), is_int8_(is_int8) {}

  DrawnOnnx draw(const Blueprint& blueprint) {
    is_causal_ = blueprint.is_causal;
    Stream stream = embed(blueprint.embedding);
    if (blueprint.rotary) {
      rotation_rows_ = input({Kind::kRotationRows}, at::kLong, {-1, -1});
      cosine_ = input({Kind::kHalfCosine}, at::kFloat, {-1, -1});
      sine_ = input({Kind::kHalfSine}, at::kFloat, {-1, -1});
    }
    for (const LayerSpec& layer : blueprint.layers) run(layer, stream);
    const auto inside = graph_.scopes().enter("", ProfilePhase::kHead);
    Value hidden = blueprint.final_norm ? normed(stream, *blueprint.final_norm, false) : whole(stream);
    if (blueprint.final_projection) hidden = linear(hidden, *blueprint.final_projection);
    Value output = head(blueprint.head, hidden);
    return {std::move(graph_), std::move(output), std::move(inputs_)};
  }

 private:
  Value input(GraphInput what, c10::ScalarType type, const std::vector<std::int64_t>& shape) {
    inputs_.push_back(what);
    return graph_.input(type, shape);
  }

  Value add(const Value& left, const Value& right) { return graph_.node("Add", {left, right}); }
  Value multiply(const Value& left, const Value& right) { return graph_.node("Mul", {left, right}); }
  Value reshaped(const Value& x, const std::vector<std::int64_t>& shape) {
    return graph_.node("Reshape", {x, graph_.whole_numbers(shape)});
  }
  Value rows_of(const std::string& table, const Value& indices) {
    const auto inside = graph_.scopes().enter(module_of(table));
    return graph_.node("Gather", {graph_.weight(parameters_.at(table)), indices});
  }

  // ONNX multiplies by [in, out].
  Product product(const Value& x, const LinearSpec& spec) {
    const auto inside = graph_.scopes().enter(module_of(spec.weight));
    const LinearWeights weights = parameters_.weights_of(spec);
    const Value bias = weights.bias.defined() ? graph_.weight(weights.bias) : Value();
    if (!is_int8_ || !is_worth_int8(weights))
      return {graph_.node("MatMul", {x, graph_.weight(weights.weight.t())}), bias};
    const Int8Channels& channels = channels_of(spec.weight, weights.weight);
    const std::vector<Value>& inputs = quantized(x);
    return {graph_.node("ms.MatMulIntegerToFloat", {inputs[0], graph_.weight(channels.values.t()), inputs[1],
                                                    graph_.weight(channels.scales), inputs[2]}),
            bias};
  }
  // Once for a weight that several layers share.
  const Int8Channels& channels_of(const std::string& names, const at::Tensor& weight) {
    Int8Channels& channels = channels_[names];
    if (!channels.values.defined()) channels = quantize_channels(weight, largest_int8_weight());
    return channels;
  }
  // In uint8, its scale and its zero, once for all products of it.
  const std::vector<Value>& quantized(const Value& x) {
    std::vector<Value>& values = quantized_[x];
    if (values.empty()) values = graph_.node("DynamicQuantizeLinear", {x}, {}, {true, true, true});
    return values;
  }
  Value whole(const Product& product) {
    return product.bias.empty() ? product.value : add(product.value, product.bias);
  }
  Value linear(const Value& x, const LinearSpec& spec) {
    const Product result = product(x, spec);
    const auto inside = graph_.scopes().enter(module_of(spec.weight));
    return whole(result);
  }

  Value whole(Stream& stream) {
    if (!stream.added.value.empty()) stream.hidden = add(stream.hidden, whole(std::exchange(stream.added, {})));
    return stream.hidden;
  }

  Value normed(const Value& x, const NormSpec& spec) {
    const auto inside = graph_.scopes().enter(spec.name, ProfilePhase::kNorm);
    const Value weight = graph_.weight(parameters_.at(spec.name + ".weight"));
    const std::vector<OnnxAttribute> attributes{{"axis", std::int64_t{-1}},
                                                {"epsilon", static_cast<float>(spec.epsilon)}};
    if (spec.kind == NormKind::kRms) return graph_.node("SimplifiedLayerNormalization", {x, weight}, attributes);
    return graph_.node("LayerNormalization", {x, weight, graph_.weight(parameters_.at(spec.name + ".bias"))},
                       attributes);
  }

  // Of the sum, which the stream keeps where it is `kept`.
  Value normed(Stream& stream, const NormSpec& spec, bool kept) {
    if (stream.added.value.empty()) return normed(stream.hidden, spec);
    const auto inside = graph_.scopes().enter(spec.name, ProfilePhase::kNorm);
    const Product added = std::exchange(stream.added, {});
    const bool is_rms = spec.kind == NormKind::kRms;
    std::vector<Value> inputs{stream.hidden, added.value, graph_.weight(parameters_.at(spec.name + ".weight"))};
    if (!is_rms) inputs.push_back(graph_.weight(parameters_.at(spec.name + ".bias")));
    if (!added.bias.empty()) inputs.push_back(added.bias);
    const std::vector<Value> outputs =
        graph_.node(is_rms ? "ms.SkipSimplifiedLayerNormalization" : "ms.SkipLayerNormalization", inputs,
                    {{"epsilon", static_cast<float>(spec.epsilon)}},
                    kept ? std::vector<bool>{true, false, false, true} : std::vector<bool>{true});
    stream.hidden = outputs.back();
    return outputs.front();
  }

  Stream embed(const EmbeddingSpec& spec) {
    const auto inside = graph_.scopes().enter(embedding_module(spec), ProfilePhase::kEmbedding);
    Stream stream{rows_of(spec.words, input({Kind::kIds}, at::kLong, {-1, -1})), {}};
    if (!spec.types.empty()) {
      // A table of one row, as RoBERTa's, has the same for all.
      stream.hidden =
          add(stream.hidden, spec.type_rows > 1 ? rows_of(spec.types, input({Kind::kTypes}, at::kLong, {-1, -1}))
                                                : graph_.weight(parameters_.at(spec.types)));
    }
    if (spec.projection && spec.project_before_positions) stream.hidden = linear(stream.hidden, *spec.projection);
    if (!spec.positions.empty()) {
      stream.added.value = rows_of(spec.positions, input({Kind::kPositions}, at::kLong, {-1, -1}));
    }
    if (spec.norm) stream = {normed(stream, *spec.norm, false), {}};
    if (spec.projection && !spec.project_before_positions) stream = {linear(whole(stream), *spec.projection), {}};
    return stream;
  }

  Value activated(const Product& x, Activation activation) {
    switch (activation) {
      case Activation::kGelu:
        return x.bias.empty() ? graph_.node("ms.Gelu", {x.value}) : graph_.node("ms.BiasGelu", {x.value, x.bias});
      case Activation::kGeluTanh:
        return x.bias.empty() ? graph_.node("ms.FastGelu", {x.value}) : graph_.node("ms.FastGelu", {x.value, x.bias});
      default:
        return activated(whole(x), activation);
    }
  }

  Value clipped(const Value& x, float low, float high) {
    return graph_.node("Clip", {x, graph_.number(low), graph_.number(high)});
  }

  Value activated(const Value& x, Activation activation) {
    switch (activation) {
      case Activation::kGelu:
      case Activation::kGeluTanh:
        return activated(Product{x, ""}, activation);
      case Activation::kRelu:
        return graph_.node("Relu", {x});
      case Activation::kSilu:
        return graph_.node("ms.QuickGelu", {x}, {{"alpha", 1.0F}});
      case Activation::kTanh:
        return graph_.node("Tanh", {x});
      case Activation::kClippedGelu:
        return clipped(graph_.node("ms.Gelu", {x}), -10, 10);
      case Activation::kQuickGelu:
        return graph_.node("ms.QuickGelu", {x}, {{"alpha", 1.702F}});
      case Activation::kHardSwish:
        return graph_.node("HardSwish", {x});
      case Activation::kLaplace: {
        const Value scaled = multiply(add(x, graph_.number(-0.707107F)),
                                      graph_.number(static_cast<float>(1 / (0.282095 * std::sqrt(2.0)))));
        return multiply(add(graph_.node("Erf", {scaled}), graph_.number(1)), graph_.number(0.5F));
      }
      case Activation::kLeakyRelu:
        return graph_.node("LeakyRelu", {x}, {{"alpha", 0.01F}});
      case Activation::kLinear:
        return x;
      case Activation::kMish:
        return graph_.node("Mish", {x});
      case Activation::kRelu6:
        return clipped(x, 0, 6);
      case Activation::kSigmoid:
        return graph_.node("Sigmoid", {x});
      case Activation::kSquaredRelu: {
        const Value positive = graph_.node("Relu", {x});
        return multiply(positive, positive);
      }
      case Activation::kSqrtSoftplus:
        return graph_.node("Sqrt", {graph_.node("Softplus", {x})});
    }
    throw Error(ErrorKind::kInternal, "unknown activation");
  }

  // [B, T, heads · d], normed over d and rotated where the model does, each head as often as queries share it.
  Value heads_of(const Value& projected, std::int64_t heads, const AttentionSpec& spec,
                 const std::optional<NormSpec>& norm, bool is_rotated) {
    const std::int64_t times = spec.heads / heads;
    const std::int64_t d = spec.head_dim;
    Value x = projected;
    if (norm) x = reshaped(normed(reshaped(x, {0, 0, heads, d}), *norm), {0, 0, heads * d});
    if (is_rotated && !cosine_.empty()) {
      x = graph_.node("ms.RotaryEmbedding", {x, rotation_rows_, cosine_, sine_}, {{"num_heads", heads}});
    }
    if (times == 1) return x;
    x = reshaped(x, {0, 0, heads, 1, d});
    x = graph_.node("Expand", {x, graph_.whole_numbers({1, 1, 1, times, 1})});
    return reshaped(x, {0, 0, spec.heads * d});
  }

  std::vector<Value> projections(const Value& hidden, const AttentionSpec& spec) {
    if (spec.inputs.size() == 3) {
      return {linear(hidden, spec.inputs[0]), linear(hidden, spec.inputs[1]), linear(hidden, spec.inputs[2])};
    }
    const std::int64_t width = spec.key_value_heads * spec.head_dim;
    return graph_.node(
        "Split",
        {linear(hidden, spec.inputs.front()), graph_.whole_numbers({spec.heads * spec.head_dim, width, width})},
        {{"axis", std::int64_t{-1}}}, {true, true, true});
  }

  Value key_mask() {
    if (key_mask_.empty()) key_mask_ = input({Kind::kKeyMask}, at::kInt, {-1, -1});
    return key_mask_;
  }

  // One for all layers of a window.
  Value bias_of(std::int64_t window) {
    Value& bias = biases_[window];
    if (bias.empty()) bias = input({Kind::kBias, window}, at::kFloat, {-1, 1, -1, -1});
    return bias;
  }

  std::vector<OnnxAttribute> attention_attributes(const AttentionSpec& spec) const {
    const double scale = spec.score_scale / std::sqrt(static_cast<double>(spec.head_dim));
    return {{"num_heads", spec.heads},
            {"scale", static_cast<float>(scale)},
            {"mask_filter_value", kMasked},
            {"unidirectional", std::int64_t{is_causal_ && spec.window == 0 ? 1 : 0}}};
  }

  // Whether queries, keys and values are products of one input and nothing more, which one operator computes.
  bool is_plain(const AttentionSpec& spec) const {
    return cosine_.empty() && !spec.query_norm && !spec.key_norm && spec.key_value_heads == spec.heads &&
           spec.window == 0;
  }

  // Those of several products of one input, side by side; once for those that several layers share.
  std::pair<std::string, const LinearWeights&> joined(const std::vector<LinearSpec>& specs) {
    std::string names;
    for (const LinearSpec& spec : specs) names += spec.weight + ' ';
    LinearWeights& all = joined_[names];
    if (!all.weight.defined()) {
      std::vector<at::Tensor> weights;
      std::vector<at::Tensor> biases;
      for (const LinearSpec& spec : specs) {
        const LinearWeights one = parameters_.weights_of(spec);
        weights.push_back(one.weight);
        biases.push_back(one.bias.defined() ? one.bias : at::zeros({one.weight.size(0)}));
      }
      all = {at::cat(weights), at::cat(biases)};
    }
    return {names, all};
  }

  Value plain_attention(const Value& hidden, const AttentionSpec& spec) {
    const auto [names, all] = joined(spec.inputs);
    const Value bias = graph_.weight(all.bias);
    if (!is_int8_ || !is_worth_int8(all)) {
      return graph_.node("ms.Attention", {hidden, graph_.weight(all.weight.t()), bias, key_mask()},
                         attention_attributes(spec));
    }
    const Int8Channels& channels = channels_of(names, all.weight);
    const std::vector<Value>& inputs = quantized(hidden);
    return graph_.node("ms.QAttention",
                       {inputs[0], graph_.weight(channels.values.t()), bias, inputs[1], graph_.weight(channels.scales),
                        key_mask(), inputs[2]},
                       attention_attributes(spec));
  }

  Product attend(const Value& hidden, const AttentionSpec& spec) {
    const auto inside = graph_.scopes().enter(attention_module(spec), ProfilePhase::kAttention);
    if (is_plain(spec)) return product(plain_attention(hidden, spec), spec.output);
    const std::vector<Value> inputs = projections(hidden, spec);
    const Value query = heads_of(inputs[0], spec.heads, spec, spec.query_norm, true);
    const Value key = heads_of(inputs[1], spec.key_value_heads, spec, spec.key_norm, true);
    const Value value = heads_of(inputs[2], spec.key_value_heads, spec, std::nullopt, false);
    // A window is a bias, which knows of padding too.
    const std::vector<Value> masks =
        spec.window == 0 ? std::vector<Value>{key_mask()} : std::vector<Value>{"", bias_of(spec.window)};
    std::vector<Value> all{query, key, value, ""};
    all.insert(all.end(), masks.begin(), masks.end());
    return product(graph_.node("ms.MultiHeadAttention", all, attention_attributes(spec)), spec.output);
  }

  Product feed(const Value& hidden, const FeedForwardSpec& spec) {
    const auto inside = graph_.scopes().enter(feed_forward_module(spec), ProfilePhase::kFeedForward);
    if (spec.holds_gate) {
      const std::vector<Value> halves =
          graph_.node("Split", {linear(hidden, spec.in), graph_.whole_numbers({spec.width(), spec.width()})},
                      {{"axis", std::int64_t{-1}}}, {true, true});
      return product(multiply(activated(halves[0], spec.activation), halves[1]), spec.out);
    }
    if (!spec.gate) return product(activated(product(hidden, spec.in), spec.activation), spec.out);
    const Value gate = activated(product(hidden, *spec.gate), spec.activation);
    return product(multiply(gate, linear(hidden, spec.in)), spec.out);
  }

  void run(const LayerSpec& layer, Stream& stream) {
    const auto inside = graph_.scopes().enter(layer_module(layer));
    if (layer.norm_first) {
      // The norm first: it makes the sum that the stream keeps.
      const Value attended = normed(stream, layer.attention_norm, true);
      stream.added = attend(attended, layer.attention);
      const Value fed = normed(stream, layer.feed_forward_norm, true);
      stream.added = feed(fed, layer.feed_forward);
      return;
    }
    stream.added = attend(whole(stream), layer.attention);
    stream = {normed(stream, layer.attention_norm, false), {}};
    stream.added = feed(stream.hidden, layer.feed_forward);
    stream = {normed(stream, layer.feed_forward_norm, false), {}};
  }

  // [B, T, C], or [B, C].
  Value selected(const Value& hidden, Selection selection, std::int64_t place) {
    if (selection == Selection::kAll) return hidden;
    if (selection == Selection::kFirst) {
      return graph_.node("Gather", {hidden, graph_.whole_number(0)}, {{"axis", std::int64_t{1}}});
    }
    const Value weights = input({Kind::kSelection, place}, at::kFloat, {-1, -1});
    if (selection == Selection::kMax) {
      const Value shifted = add(hidden, graph_.node("Unsqueeze", {weights, graph_.whole_numbers({2})}));
      return graph_.node("ReduceMax", {shifted, graph_.whole_numbers({1})}, {{"keepdims", std::int64_t{0}}});
    }
    const Value sums = graph_.node("MatMul", {graph_.node("Unsqueeze", {weights, graph_.whole_numbers({1})}), hidden});
    return graph_.node("Squeeze", {sums, graph_.whole_numbers({1})});
  }

  Value head(const HeadSpec& spec, const Value& hidden) {
    Value result = selected(hidden, spec.selection, 0);
    for (std::size_t i = 0; i < spec.beside.size(); ++i) {
      result = graph_.node("Concat", {result, selected(hidden, spec.beside[i], static_cast<std::int64_t>(i) + 1)},
                           {{"axis", std::int64_t{-1}}});
    }
    if (spec.dense) result = linear(result, *spec.dense);
    if (spec.activation) result = activated(result, *spec.activation);
    if (spec.norm) result = normed(result, *spec.norm);
    if (spec.output) result = linear(result, *spec.output);
    if (!spec.normalized) return result;
    // As torch.nn.functional.normalize.
    const Value length = graph_.node("ReduceL2", {result, graph_.whole_numbers({-1})});
    return graph_.node("Div", {result, graph_.node("Max", {length, graph_.number(1e-12F)})});
  }

  const Parameters& parameters_;
  bool is_int8_;
  OnnxGraph graph_;
  std::map<Value, std::vector<Value>> quantized_;  // by what it is of
  std::map<std::string, Int8Channels> channels_;   // by names of weights
  std::map<std::string, LinearWeights> joined_;    // likewise
  std::vector<GraphInput> inputs_;
  bool is_causal_ = false;
  Value key_mask_;
  std::map<std::int64_t, Value> biases_;  // by window
  Value rotation_rows_, cosine_, sine_;   // empty: positions are not rotated
};

}  // namespace

DrawnOnnx draw_onnx(const Blueprint& blueprint, const Parameters& parameters, bool is_int8) {
  check_drawable(blueprint, "onnxruntime");
  return Drawing(parameters, is_int8).draw(blueprint);
}

}  // namespace transformeter
