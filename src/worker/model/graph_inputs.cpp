// One case for each kind.
#include "model/graph_inputs.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

#include "base/error.h"
#include "model/attention_masks.h"
#include "model/needed_tokens.h"
#include "model/token_positions.h"

namespace transformeter {
namespace {

at::Tensor mask_of(const ModelInputs& inputs) {
  if (inputs.token_mask.defined()) return inputs.token_mask.to(at::kFloat);
  return at::ones(inputs.input_ids.sizes(), at::kFloat);
}

// As pooled in model/heads.cpp, in the form that a graph reads.
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
    case Selection::kProbe:
      break;
  }
  throw Error(ErrorKind::kInternal, "a selection without weights");
}

at::Tensor half_of(const at::Tensor& angles) {
  const std::int64_t half = angles.size(-1) / 2;
  return angles.narrow(-1, 0, half).reshape({-1, half});
}

}  // namespace

GraphInputs::GraphInputs(const Blueprint& blueprint, std::vector<GraphInput> inputs)
    : inputs_(std::move(inputs)),
      position_offset_(blueprint.embedding.position_offset),
      positions_skip_padding_(blueprint.positions_skip_padding),
      is_causal_(blueprint.is_causal),
      selections_{blueprint.head.selection} {
  selections_.insert(selections_.end(), blueprint.head.beside.begin(), blueprint.head.beside.end());
  if (blueprint.rotary) rotary_.emplace(*blueprint.rotary, c10::Device(c10::kCPU));
}

std::vector<at::Tensor> GraphInputs::values(const ModelInputs& inputs) const {
  std::vector<at::Tensor> values;
  const at::Tensor positions = token_positions(inputs, positions_skip_padding_, 0);
  Rotation rotation;
  if (rotary_) rotation = rotary_->at(positions, inputs.input_ids.size(1), at::kFloat);
  for (const GraphInput& input : inputs_) {
    values.push_back(value_of(input, inputs, positions, rotation).contiguous());
  }
  return values;
}

at::Tensor GraphInputs::value_of(const GraphInput& input, const ModelInputs& inputs, const at::Tensor& positions,
                                 const Rotation& rotation) const {
  const at::Tensor& ids = inputs.input_ids;
  switch (input.kind) {
    case GraphInput::Kind::kIds:
      return ids;
    case GraphInput::Kind::kTypes:
      return inputs.token_type_ids.defined() ? inputs.token_type_ids : filled(ids.sizes(), at::kLong, 0);
    case GraphInput::Kind::kPositions:
      return (positions + position_offset_).clamp_min(0).expand(ids.sizes());
    case GraphInput::Kind::kBias:
      return bias(inputs, input.number);
    case GraphInput::Kind::kKeyMask:
      if (!inputs.attention_mask.defined()) return filled(ids.sizes(), at::kInt, 1);
      return (inputs.attention_mask == 0).to(at::kInt).view(ids.sizes());
    case GraphInput::Kind::kCosine:
      return rotation.cosine;
    case GraphInput::Kind::kSine:
      return rotation.sine;
    case GraphInput::Kind::kHalfCosine:
      return half_of(rotation.cosine);
    case GraphInput::Kind::kHalfSine:
      return half_of(rotation.sine);
    case GraphInput::Kind::kRotationRows: {
      const std::int64_t tables = rotation.cosine.size(0);  // one for all rows, or one for each
      return at::arange(tables * ids.size(1), at::kLong).view({tables, -1}).expand(ids.sizes());
    }
    case GraphInput::Kind::kSelection:
      return selection_weights(inputs, selections_.at(static_cast<std::size_t>(input.number)));
  }
  throw Error(ErrorKind::kInternal, "an input of no kind");
}

at::Tensor GraphInputs::bias(const ModelInputs& inputs, std::int64_t window) const {
  const std::int64_t rows = inputs.input_ids.size(0);
  const std::int64_t tokens = inputs.input_ids.size(1);
  at::Tensor padding = inputs.attention_mask.defined() ? inputs.attention_mask.to(at::kFloat)
                                                       : filled({rows, 1, 1, tokens}, at::kFloat, 0);
  if (!is_causal_) return padding;
  return AttentionMasks({true, tokens, 0}, padding, padding.options()).with_window(window).additive;
}

at::Tensor GraphInputs::filled(at::IntArrayRef shape, c10::ScalarType type, std::int64_t value) const {
  at::Tensor& kept = filled_[{shape.vec(), type, value}];
  if (!kept.defined()) kept = at::full(shape, value, type);
  return kept;
}

}  // namespace transformeter
