// Selection and the output layers.
#include "model/heads.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include <vector>

#include "model/needed_tokens.h"

namespace transformeter {
namespace {

at::Tensor mean_of(const at::Tensor& hidden, const at::Tensor& token_mask) {
  if (!token_mask.defined()) return hidden.mean(1);
  const at::Tensor weights = token_mask.to(hidden.scalar_type()).unsqueeze(-1);
  return (hidden * weights).sum(1) / weights.sum(1);
}

at::Tensor last_of(const at::Tensor& hidden, const at::Tensor& token_mask) {
  if (!token_mask.defined()) return hidden.select(1, -1);
  return hidden.gather(1, last_columns(token_mask).view({-1, 1, 1}).expand({-1, 1, hidden.size(2)})).squeeze(1);
}

// The mean of each packed row.
at::Tensor packed_means(const at::Tensor& tokens, const std::vector<std::int64_t>& lengths) {
  std::vector<at::Tensor> rows;
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths) {
    rows.push_back(tokens.slice(0, begin, begin + length).mean(0));
    begin += length;
  }
  return at::stack(rows);
}

// Of each packed row its first token, its last, or the mean.
at::Tensor select_packed(const at::Tensor& hidden, const PackedRows& rows, Selection selection) {
  const at::Tensor tokens = hidden.squeeze(0);  // [N, C]
  if (selection == Selection::kFirst) return tokens.index_select(0, rows.first_tokens());
  if (selection == Selection::kLast) return tokens.index_select(0, rows.last_tokens());
  return packed_means(tokens, rows.lengths);
}

}  // namespace

at::Tensor select_tokens(const at::Tensor& hidden, const ModelInputs& inputs, Selection selection) {
  if (selection == Selection::kAll) return hidden;
  if (inputs.is_packed()) return select_packed(hidden, inputs.rows, selection);
  switch (selection) {
    case Selection::kFirst:
      return hidden.select(1, 0);
    case Selection::kLast:
      return last_of(hidden, inputs.token_mask);
    case Selection::kMean:
      return mean_of(hidden, inputs.token_mask);
    case Selection::kAll:
      break;
  }
  return hidden;
}

TaskHead::TaskHead(const HeadSpec& spec, const Parameters& parameters)
    : selection_(spec.selection), activation_(spec.activation), normalized_(spec.normalized), dropout_(spec.dropout) {
  if (spec.dense) dense_ = parameters.linear(*spec.dense);
  if (spec.norm) norm_ = make_norm(parameters, *spec.norm);
  if (spec.output) output_ = parameters.linear(*spec.output);
}

at::Tensor TaskHead::forward(const at::Tensor& hidden, const ModelInputs& inputs, const Operators& operators) const {
  at::Tensor result = select_tokens(hidden, inputs, selection_);
  if (dense_ != nullptr && activation_) {
    result = dense_->activated(result, *activation_);
  } else {
    if (dense_ != nullptr) result = dense_->forward(result);
    if (activation_) result = activation_function(*activation_)(result);
  }
  if (norm_) result = (*norm_)(result, operators);
  if (inputs.is_training && dropout_ > 0) result = operators.dropout(result, dropout_);
  if (output_ != nullptr) result = output_->forward(result);
  // As torch.nn.functional.normalize.
  if (normalized_) result = result / result.norm(2, -1, true).clamp_min(1e-12);
  return result;
}

}  // namespace transformeter
