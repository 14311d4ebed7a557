// In the forms that OpenVINO's own converters make of PyTorch's modules, which are those that its plug-in fuses.
#include "open_vino/graph.h"

#include <ATen/core/Tensor.h>

#include <cmath>
#include <map>
#include <openvino/opsets/opset13.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "model/drawable.h"
#include "model/embedding.h"
#include "model/layer.h"
#include "model/profile_scope.h"
#include "open_vino/element_types.h"

namespace transformeter {
namespace {

namespace op = ov::opset13;

using Kind = GraphInput::Kind;

using Value = ov::Output<ov::Node>;

Value number(float value) {
  return op::Constant::create(ov::element::f32, ov::Shape{}, {value});
}

Value whole_numbers(const std::vector<std::int64_t>& values) {
  return op::Constant::create(ov::element::i64, ov::Shape{values.size()}, values);
}

Value whole_number(std::int64_t value) {
  return op::Constant::create(ov::element::i64, ov::Shape{}, {value});
}

class Drawing {
 public:
  explicit Drawing(const Parameters& parameters) : parameters_(parameters) {}

  DrawnGraph draw(const Blueprint& blueprint) {
    Value hidden = embed(blueprint.embedding);
    is_causal_ = blueprint.is_causal;
    if (blueprint.rotary) {
      cosine_ = input({Kind::kCosine}, ov::element::f32, {-1, 1, -1, -1});
      sine_ = input({Kind::kSine}, ov::element::f32, {-1, 1, -1, -1});
    }
    for (const LayerSpec& layer : blueprint.layers) hidden = run(layer, hidden);
    const auto inside = scopes_.enter("", ProfilePhase::kHead);
    if (blueprint.final_norm) hidden = normed(hidden, *blueprint.final_norm);
    if (blueprint.final_projection) hidden = linear(hidden, *blueprint.final_projection);
    const Value output = head(blueprint.head, hidden);
    return {std::make_shared<ov::Model>(ov::OutputVector{output}, parameters_of_graph_), std::move(inputs_),
            std::move(scopes_)};
  }

 private:
  Value input(GraphInput what, const ov::element::Type& type, const ov::PartialShape& shape) {
    inputs_.push_back(what);
    parameters_of_graph_.push_back(std::make_shared<op::Parameter>(type, shape));
    return parameters_of_graph_.back();
  }

  // Named after the module at hand.
  template <typename Operator, typename... Arguments>
  std::shared_ptr<Operator> node(Arguments&&... arguments) {
    auto made = std::make_shared<Operator>(std::forward<Arguments>(arguments)...);
    made->set_friendly_name(scopes_.name_node(made->get_type_name()));
    return made;
  }
  template <typename Operator, typename... Arguments>
  Value make(Arguments&&... arguments) {
    return node<Operator>(std::forward<Arguments>(arguments)...);
  }
  ov::OutputVector split(const Value& x, const std::vector<std::int64_t>& widths) {
    return node<op::VariadicSplit>(x, whole_number(-1), whole_numbers(widths))->outputs();
  }

  Value token_input(Kind kind) { return input({kind}, ov::element::i64, {-1, -1}); }

  // The tensor's memory, not a copy of it, for as long as anything uses the node; one node for a tensor that several
  // layers share.
  Value constant(const at::Tensor& tensor) {
    Value& node = constants_[{tensor.const_data_ptr(), tensor.sizes().vec(), tensor.strides().vec()}];
    if (node.get_node() != nullptr) return node;
    const at::Tensor whole = tensor.contiguous();
    const ov::Shape shape(whole.sizes().begin(), whole.sizes().end());
    node = std::make_shared<op::Constant>(element_of(whole.scalar_type()), shape, whole.const_data_ptr(),
                                          std::make_shared<at::Tensor>(whole));
    return node;
  }

  Value rows_of(const std::string& table, const Value& indices) {
    const auto inside = scopes_.enter(module_of(table));
    return make<op::Gather>(constant(parameters_.at(table)), indices, whole_number(0));
  }

  Value linear(const Value& x, const LinearSpec& spec) {
    const auto inside = scopes_.enter(module_of(spec.weight));
    const LinearWeights weights = parameters_.weights_of(spec);
    const Value product = make<op::MatMul>(x, constant(weights.weight), false, true);
    return weights.bias.defined() ? make<op::Add>(product, constant(weights.bias)) : product;
  }

  Value normed(const Value& x, const NormSpec& spec) {
    const auto inside = scopes_.enter(spec.name, ProfilePhase::kNorm);
    const Value weight = constant(parameters_.at(spec.name + ".weight"));
    const Value last = whole_numbers({-1});
    if (spec.kind == NormKind::kRms) {
      const Value mean = make<op::ReduceMean>(make<op::Power>(x, number(2)), last, true);
      const Value root = make<op::Sqrt>(make<op::Add>(mean, number(static_cast<float>(spec.epsilon))));
      return make<op::Multiply>(make<op::Divide>(x, root), weight);
    }
    const Value centred =
        make<op::MVN>(x, last, true, static_cast<float>(spec.epsilon), ov::op::MVNEpsMode::INSIDE_SQRT);
    return make<op::Add>(make<op::Multiply>(centred, weight), constant(parameters_.at(spec.name + ".bias")));
  }

  Value activated(const Value& x, Activation activation) {
    switch (activation) {
      case Activation::kGelu:
        return make<op::Gelu>(x, ov::op::GeluApproximationMode::ERF);
      case Activation::kGeluTanh:
        return make<op::Gelu>(x, ov::op::GeluApproximationMode::TANH);
      case Activation::kRelu:
        return make<op::Relu>(x);
      case Activation::kSilu:
        return make<op::Swish>(x);
      case Activation::kTanh:
        return make<op::Tanh>(x);
      case Activation::kClippedGelu:
        return make<op::Clamp>(make<op::Gelu>(x, ov::op::GeluApproximationMode::ERF), -10.0, 10.0);
      case Activation::kQuickGelu:
        return make<op::Swish>(x, number(1.702F));
      case Activation::kHardSwish:
        return make<op::HSwish>(x);
      case Activation::kLaplace: {
        const Value scaled = make<op::Multiply>(make<op::Add>(x, number(-0.707107F)),
                                                number(static_cast<float>(1 / (0.282095 * std::sqrt(2.0)))));
        return make<op::Multiply>(make<op::Add>(make<op::Erf>(scaled), number(1)), number(0.5F));
      }
      case Activation::kLeakyRelu:
        return make<op::PRelu>(x, number(0.01F));
      case Activation::kLinear:
        return x;
      case Activation::kMish:
        return make<op::Mish>(x);
      case Activation::kRelu6:
        return make<op::Clamp>(x, 0.0, 6.0);
      case Activation::kSigmoid:
        return make<op::Sigmoid>(x);
      case Activation::kSquaredRelu:
        return make<op::Power>(make<op::Relu>(x), number(2));
      case Activation::kSqrtSoftplus:
        return make<op::Sqrt>(make<op::SoftPlus>(x));
    }
    throw Error(ErrorKind::kInternal, "unknown activation");
  }

  Value embed(const EmbeddingSpec& spec) {
    const auto inside = scopes_.enter(embedding_module(spec), ProfilePhase::kEmbedding);
    Value sum = rows_of(spec.words, token_input(Kind::kIds));
    if (!spec.types.empty()) {
      // A table of one row, as RoBERTa's, has the same for all.
      sum = make<op::Add>(sum, spec.type_rows > 1 ? rows_of(spec.types, token_input(Kind::kTypes))
                                                  : constant(parameters_.at(spec.types)));
    }
    if (spec.projection && spec.project_before_positions) sum = linear(sum, *spec.projection);
    if (!spec.positions.empty()) {
      sum = make<op::Add>(sum, rows_of(spec.positions, token_input(Kind::kPositions)));
    }
    if (spec.norm) sum = normed(sum, *spec.norm);
    return spec.projection && !spec.project_before_positions ? linear(sum, *spec.projection) : sum;
  }

  // One for all layers of a window.
  Value bias_of(std::int64_t window) {
    Value& bias = biases_[window];
    if (bias.get_node() == nullptr) {
      const ov::PartialShape shape{-1, 1, is_causal_ ? -1 : 1, -1};
      bias = input({Kind::kBias, window}, ov::element::f32, shape);
    }
    return bias;
  }

  // As rotate in model/rotary_embedding.cpp.
  Value rotated(const Value& x, std::int64_t head_dim) {
    if (cosine_.get_node() == nullptr) return x;
    const ov::OutputVector halves = split(x, {head_dim / 2, head_dim / 2});
    const Value swapped = make<op::Concat>(ov::OutputVector{make<op::Negative>(halves[1]), halves[0]}, -1);
    return make<op::Add>(make<op::Multiply>(x, cosine_), make<op::Multiply>(swapped, sine_));
  }

  // Each head of keys or values as often as queries share it.
  Value repeated(const Value& grouped, const AttentionSpec& spec) {
    const std::int64_t times = spec.heads / spec.key_value_heads;
    if (times == 1) return grouped;
    const Value wide = make<op::Broadcast>(make<op::Unsqueeze>(grouped, whole_number(2)),
                                           whole_numbers({1, 1, times, 1, 1}), ov::op::BroadcastType::BIDIRECTIONAL);
    return make<op::Reshape>(wide, whole_numbers({0, spec.heads, -1, spec.head_dim}), true);
  }

  ov::OutputVector projections(const Value& hidden, const AttentionSpec& spec) {
    if (spec.inputs.size() == 3) {
      return {linear(hidden, spec.inputs[0]), linear(hidden, spec.inputs[1]), linear(hidden, spec.inputs[2])};
    }
    const std::int64_t width = spec.key_value_heads * spec.head_dim;
    return split(linear(hidden, spec.inputs.front()), {spec.heads * spec.head_dim, width, width});
  }

  // [B, T, heads, d], normed over d where the model does, to [B, heads, T, d].
  Value heads_of(const Value& projected, std::int64_t heads, std::int64_t head_dim,
                 const std::optional<NormSpec>& norm) {
    Value rows = make<op::Reshape>(projected, whole_numbers({0, 0, heads, head_dim}), true);
    if (norm) rows = normed(rows, *norm);
    return make<op::Transpose>(rows, whole_numbers({0, 2, 1, 3}));
  }

  // What attention makes of `hidden`, added to the residual.
  Value attend(const Value& hidden, const Value& residual, const AttentionSpec& spec) {
    const auto inside = scopes_.enter(attention_module(spec), ProfilePhase::kAttention);
    const ov::OutputVector inputs = projections(hidden, spec);
    const std::int64_t d = spec.head_dim;
    Value query = rotated(heads_of(inputs[0], spec.heads, d, spec.query_norm), d);
    const Value key = rotated(heads_of(inputs[1], spec.key_value_heads, d, spec.key_norm), d);
    const Value value = heads_of(inputs[2], spec.key_value_heads, d, std::nullopt);
    if (spec.score_scale != 1) query = make<op::Multiply>(query, number(static_cast<float>(spec.score_scale)));
    const Value context = make<op::ScaledDotProductAttention>(query, repeated(key, spec), repeated(value, spec),
                                                              bias_of(spec.window), false);
    const Value rows = make<op::Transpose>(context, whole_numbers({0, 2, 1, 3}));
    const Value joined = make<op::Reshape>(rows, whole_numbers({0, 0, spec.heads * d}), true);
    return make<op::Add>(residual, linear(joined, spec.output));
  }

  Value inner(const Value& hidden, const FeedForwardSpec& spec) {
    if (spec.holds_gate) {
      const ov::OutputVector halves = split(linear(hidden, spec.in), {spec.width(), spec.width()});
      return make<op::Multiply>(activated(halves[0], spec.activation), halves[1]);
    }
    if (!spec.gate) return activated(linear(hidden, spec.in), spec.activation);
    const Value gate = activated(linear(hidden, *spec.gate), spec.activation);
    return make<op::Multiply>(gate, linear(hidden, spec.in));
  }

  // What the feed-forward network makes of `hidden`, added to the residual.
  Value feed(const Value& hidden, const Value& residual, const FeedForwardSpec& spec) {
    const auto inside = scopes_.enter(feed_forward_module(spec), ProfilePhase::kFeedForward);
    return make<op::Add>(residual, linear(inner(hidden, spec), spec.out));
  }

  Value run(const LayerSpec& layer, const Value& hidden) {
    const auto inside = scopes_.enter(layer_module(layer));
    if (layer.norm_first) {
      const Value attended = attend(normed(hidden, layer.attention_norm), hidden, layer.attention);
      return feed(normed(attended, layer.feed_forward_norm), attended, layer.feed_forward);
    }
    const Value attended = normed(attend(hidden, hidden, layer.attention), layer.attention_norm);
    return normed(feed(attended, attended, layer.feed_forward), layer.feed_forward_norm);
  }

  // [B, T, C], or [B, C].
  Value selected(const Value& hidden, Selection selection, std::int64_t place) {
    if (selection == Selection::kAll) return hidden;
    if (selection == Selection::kFirst) return make<op::Gather>(hidden, whole_number(0), whole_number(1));
    const Value weights = input({Kind::kSelection, place}, ov::element::f32, {-1, -1});
    if (selection == Selection::kMax) {
      return make<op::ReduceMax>(make<op::Add>(hidden, make<op::Unsqueeze>(weights, whole_number(-1))),
                                 whole_numbers({1}), false);
    }
    const Value sums = make<op::MatMul>(make<op::Unsqueeze>(weights, whole_number(1)), hidden);
    return make<op::Squeeze>(sums, whole_number(1));
  }

  Value head(const HeadSpec& spec, const Value& hidden) {
    Value result = selected(hidden, spec.selection, 0);
    for (std::size_t i = 0; i < spec.beside.size(); ++i) {
      result = make<op::Concat>(
          ov::OutputVector{result, selected(hidden, spec.beside[i], static_cast<std::int64_t>(i) + 1)}, -1);
    }
    if (spec.dense) result = linear(result, *spec.dense);
    if (spec.activation) result = activated(result, *spec.activation);
    if (spec.norm) result = normed(result, *spec.norm);
    if (spec.output) result = linear(result, *spec.output);
    if (!spec.normalized) return result;
    // As torch.nn.functional.normalize.
    const Value length = make<op::ReduceL2>(result, whole_numbers({-1}), true);
    return make<op::Divide>(result, make<op::Maximum>(length, number(1e-12F)));
  }

  const Parameters& parameters_;
  GraphScopes scopes_;
  // By where and how their numbers lie.
  std::map<std::tuple<const void*, std::vector<std::int64_t>, std::vector<std::int64_t>>, Value> constants_;
  std::vector<GraphInput> inputs_;
  ov::ParameterVector parameters_of_graph_;  // for each of them
  bool is_causal_ = false;
  std::map<std::int64_t, Value> biases_;  // by window
  Value cosine_, sine_;                   // empty: positions are not rotated
};

}  // namespace

DrawnGraph draw_graph(const Blueprint& blueprint, const Parameters& parameters) {
  check_drawable(blueprint, "openvino");
  return Drawing(parameters).draw(blueprint);
}

}  // namespace transformeter
