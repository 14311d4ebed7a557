// Selection and the output layers.
#include "model/heads.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "model/needed_tokens.h"

namespace transformeter {
namespace {

at::Tensor mean_of(const at::Tensor& hidden, const at::Tensor& token_mask) {
  if (!token_mask.defined()) return hidden.mean(1);
  const at::Tensor weights = token_mask.to(hidden.scalar_type()).unsqueeze(-1);
  return (hidden * weights).sum(1) / weights.sum(1);
}

at::Tensor at_columns(const at::Tensor& hidden, const at::Tensor& columns) {
  return hidden.gather(1, columns.view({-1, 1, 1}).expand({-1, 1, hidden.size(2)})).squeeze(1);
}

at::Tensor last_of(const at::Tensor& hidden, const at::Tensor& token_mask) {
  return token_mask.defined() ? at_columns(hidden, last_columns(token_mask)) : hidden.select(1, -1);
}

// The mean with the weights 1, 2, …; they and the sums are too large for half precision.
at::Tensor weighted_mean_of(const at::Tensor& hidden, const at::Tensor& token_mask) {
  at::Tensor weights = at::arange(1, hidden.size(1) + 1, hidden.options().dtype(at::kFloat)).unsqueeze(0);
  if (token_mask.defined()) {
    const at::Tensor mask = token_mask.to(at::kFloat);
    weights = mask.cumsum(1) * mask;
  }
  return ((hidden * weights.unsqueeze(-1)).sum(1) / weights.sum(1, true)).to(hidden.scalar_type());
}

at::Tensor mean_over_root_of(const at::Tensor& hidden, const at::Tensor& token_mask) {
  if (!token_mask.defined()) return hidden.mean(1) * std::sqrt(static_cast<double>(hidden.size(1)));
  const at::Tensor count = token_mask.to(at::kFloat).sum(1, true);
  return (mean_of(hidden, token_mask) * count.sqrt()).to(hidden.scalar_type());
}

at::Tensor max_of(const at::Tensor& hidden, const at::Tensor& token_mask) {
  if (!token_mask.defined()) return hidden.amax(1);
  return hidden.masked_fill(token_mask.unsqueeze(-1) == 0, -std::numeric_limits<double>::infinity()).amax(1);
}

// Of each row one vector. `token_mask` [B, T] may be undefined: no padding.
at::Tensor pooled(const at::Tensor& hidden, const at::Tensor& token_mask, Selection selection) {
  switch (selection) {
    case Selection::kFirst:
      return hidden.select(1, 0);
    case Selection::kLast:
      return last_of(hidden, token_mask);
    case Selection::kMean:
      return mean_of(hidden, token_mask);
    case Selection::kMax:
      return max_of(hidden, token_mask);
    case Selection::kMeanOverRoot:
      return mean_over_root_of(hidden, token_mask);
    case Selection::kWeightedMean:
      return weighted_mean_of(hidden, token_mask);
    case Selection::kProbe:
      throw Error(ErrorKind::kInternal, "a probe makes its vector itself");
    case Selection::kAll:
      break;
  }
  return hidden;
}

at::Tensor select_packed(const at::Tensor& hidden, const PackedRows& rows, Selection selection) {
  const at::Tensor tokens = hidden.squeeze(0);  // [N, C]
  if (selection == Selection::kFirst) return tokens.index_select(0, rows.first_tokens());
  if (selection == Selection::kLast) return tokens.index_select(0, rows.last_tokens());
  std::vector<at::Tensor> vectors;
  std::int64_t begin = 0;
  for (const std::int64_t length : rows.lengths) {
    vectors.push_back(pooled(tokens.slice(0, begin, begin + length).unsqueeze(0), at::Tensor(), selection));
    begin += length;
  }
  return at::cat(vectors);
}

}  // namespace

at::Tensor select_tokens(const at::Tensor& hidden, const ModelInputs& inputs, Selection selection) {
  if (selection == Selection::kAll) return hidden;
  if (inputs.is_packed()) return select_packed(hidden, inputs.rows, selection);
  if (selection == Selection::kLast && inputs.last_columns.defined()) return at_columns(hidden, inputs.last_columns);
  return pooled(hidden, inputs.token_mask, selection);
}

TaskHead::TaskHead(const HeadSpec& spec, const Parameters& parameters)
    : selections_({spec.selection}),
      dense_on_tokens_(spec.dense_on_tokens),
      activation_(spec.activation),
      normalized_(spec.normalized),
      dropout_(spec.dropout),
      input_scale_(spec.input_scale) {
  selections_.insert(selections_.end(), spec.beside.begin(), spec.beside.end());
  if (!spec.layer_weights.empty()) layer_weights_ = parameters.at(spec.layer_weights);
  if (spec.probe) pooling_.emplace(*spec.probe, parameters);
  if (spec.dense) dense_ = parameters.linear(*spec.dense);
  if (spec.norm) norm_ = make_norm(parameters, *spec.norm);
  if (spec.output) output_ = parameters.linear(*spec.output);
  if (spec.similarities) similarities_ = parameters.linear(spec.similarities->product);
}

at::Tensor TaskHead::forward(const at::Tensor& hidden, const ModelInputs& inputs, const Operators& operators) const {
  const at::Tensor tokens = dense_on_tokens_ ? dense_->forward(hidden) : hidden;
  at::Tensor result =
      pooling_ ? pooling_->forward(tokens, operators) : select_tokens(tokens, inputs, selections_.front());
  for (std::size_t i = 1; i < selections_.size(); ++i) {
    result = at::cat({result, select_tokens(tokens, inputs, selections_[i])}, -1);
  }
  if (input_scale_ != 1) result = result * input_scale_;
  const bool has_dense = dense_ != nullptr && !dense_on_tokens_;
  if (has_dense && activation_) {
    result = dense_->activated(result, *activation_);
  } else {
    if (has_dense) result = dense_->forward(result);
    if (activation_) result = activation_function(*activation_)(result);
  }
  if (norm_) result = (*norm_)(result, operators);
  if (inputs.is_training && dropout_ > 0) result = operators.dropout(result, dropout_);
  if (output_ != nullptr) result = output_->forward(result);
  // As torch.nn.functional.normalize.
  if (normalized_) result = result / result.norm(2, -1, true).clamp_min(1e-12);
  return similarities_ == nullptr ? result : similarities_->forward(result);
}

}  // namespace transformeter
