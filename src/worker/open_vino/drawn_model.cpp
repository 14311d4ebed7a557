// What a graph reads beside ids is computed by LibTorch, in the way of its own modules.
#include "open_vino/drawn_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/attention_masks.h"
#include "model/needed_tokens.h"
#include "model/rotary_embedding.h"
#include "model/token_positions.h"
#include "open_vino/compiled_graph.h"
#include "open_vino/graph.h"

namespace transformeter {
namespace {

at::Tensor mask_of(const ModelInputs& inputs) {
  if (inputs.token_mask.defined()) return inputs.token_mask.to(at::kFloat);
  return at::ones(inputs.input_ids.sizes(), at::kFloat);
}

// As pooled in model/heads.cpp, in the form that the graph reads.
at::Tensor selection_weights(const ModelInputs& inputs, Selection selection) {
  const at::Tensor mask = mask_of(inputs);
  switch (selection) {
    case Selection::kLast: {
      const at::Tensor last = inputs.last_columns.defined() ? inputs.last_columns : last_columns(mask != 0);
      return at::zeros_like(mask).scatter_(1, last.view({-1, 1}), 1.0);
    }
    case Selection::kMean:
      return mask / mask.sum(1, true);
    case Selection::kMeanOverRoot:
      return mask / mask.sum(1, true).sqrt();
    case Selection::kWeightedMean: {
      const at::Tensor weights = mask.cumsum(1) * mask;
      return weights / weights.sum(1, true);
    }
    case Selection::kMax:
      return (mask - 1) * 1e30;
    case Selection::kAll:
    case Selection::kFirst:
      break;
  }
  throw Error(ErrorKind::kInternal, "a selection without weights");
}

class DrawnModel final : public Model {
 public:
  DrawnModel(CompiledGraph graph, std::vector<GraphInput> inputs, const Blueprint& blueprint)
      : graph_(std::move(graph)),
        inputs_(std::move(inputs)),
        position_offset_(blueprint.embedding.position_offset),
        positions_skip_padding_(blueprint.positions_skip_padding),
        is_causal_(blueprint.is_causal),
        blanks_(blueprint.blanks),
        selections_{blueprint.head.selection} {
    selections_.insert(selections_.end(), blueprint.head.beside.begin(), blueprint.head.beside.end());
    if (blueprint.rotary) rotary_.emplace(*blueprint.rotary, c10::Device(c10::kCPU));
  }

  std::optional<BlankTokens> blank_tokens() const override { return blanks_; }
  bool takes_chunks() const override { return false; }

  at::Tensor forward(const ModelInputs& inputs, const Operators&) const override {
    if (inputs.cache != nullptr || inputs.is_packed()) {
      throw Error(ErrorKind::kUnsupported, "engine openvino runs padded batches without a key-value cache");
    }
    std::vector<at::Tensor> values;
    const at::Tensor positions = token_positions(inputs, positions_skip_padding_, 0);
    Rotation rotation;
    if (rotary_) rotation = rotary_->at(positions, inputs.input_ids.size(1), at::kFloat);
    for (const GraphInput& input : inputs_) {
      values.push_back(value_of(input, inputs, positions, rotation).contiguous());
    }
    return graph_.run(values, 0, output_shape(inputs.input_ids.size(0), inputs.input_ids.size(1)));
  }

  std::optional<ModelReadback> readback() const override { return graph_.readback(); }

 private:
  at::Tensor value_of(const GraphInput& input, const ModelInputs& inputs, const at::Tensor& positions,
                      const Rotation& rotation) const {
    const at::Tensor& ids = inputs.input_ids;
    switch (input.kind) {
      case GraphInput::Kind::kIds:
        return ids;
      case GraphInput::Kind::kTypes:
        return inputs.token_type_ids.defined() ? inputs.token_type_ids : zeros(ids.sizes());
      case GraphInput::Kind::kPositions:
        return (positions + position_offset_).clamp_min(0).expand(ids.sizes());
      case GraphInput::Kind::kBias:
        return bias(inputs, input.number);
      case GraphInput::Kind::kCosine:
        return rotation.cosine;
      case GraphInput::Kind::kSine:
        return rotation.sine;
      case GraphInput::Kind::kSelection:
        return selection_weights(inputs, selections_.at(static_cast<std::size_t>(input.number)));
    }
    throw Error(ErrorKind::kInternal, "an input of no kind");
  }

  at::Tensor bias(const ModelInputs& inputs, std::int64_t window) const {
    const std::int64_t tokens = inputs.input_ids.size(1);
    at::Tensor padding = inputs.attention_mask.defined() ? inputs.attention_mask.to(at::kFloat)
                                                         : no_bias(inputs.input_ids.size(0), tokens);
    if (!is_causal_) return padding;
    return AttentionMasks({true, tokens, 0}, padding, padding.options()).with_window(window).additive;
  }

  // Made once for each shape, so that making them costs no measured time.
  at::Tensor zeros(at::IntArrayRef shape) const {
    at::Tensor& kept = zeros_[shape.vec()];
    if (!kept.defined()) kept = at::zeros(shape, at::kLong);
    return kept;
  }
  at::Tensor no_bias(std::int64_t rows, std::int64_t tokens) const {
    at::Tensor& kept = no_bias_[{rows, tokens}];
    if (!kept.defined()) kept = at::zeros({rows, 1, 1, tokens}, at::kFloat);
    return kept;
  }

  // Of rows and tokens, what the graph leaves open.
  std::vector<std::int64_t> output_shape(std::int64_t rows, std::int64_t tokens) const {
    std::vector<std::int64_t> shape;
    for (const ov::Dimension& size : graph_.compiled().output().get_partial_shape()) {
      shape.push_back(size.is_static() ? size.get_length() : shape.empty() ? rows : tokens);
    }
    return shape;
  }

  CompiledGraph graph_;
  std::vector<GraphInput> inputs_;
  std::int64_t position_offset_;
  bool positions_skip_padding_, is_causal_;
  std::optional<RotaryEmbedding> rotary_;
  std::optional<BlankTokens> blanks_;
  std::vector<Selection> selections_;
  mutable std::map<std::vector<std::int64_t>, at::Tensor> zeros_;
  mutable std::map<std::pair<std::int64_t, std::int64_t>, at::Tensor> no_bias_;
};

}  // namespace

std::unique_ptr<Model> make_drawn_model(ov::Core& core, const Blueprint& blueprint, const Parameters& parameters,
                                        const BackendOptions& options) {
  DrawnGraph graph = draw_graph(blueprint, parameters);
  return std::make_unique<DrawnModel>(CompiledGraph(core, graph.model, options), std::move(graph.inputs), blueprint);
}

}  // namespace transformeter
