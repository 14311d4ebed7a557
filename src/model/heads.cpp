// Selection and the output layers.
#include "model/heads.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

namespace transformeter {
namespace {

at::Tensor mean_of(const at::Tensor& hidden, const at::Tensor& token_mask) {
  if (!token_mask.defined()) return hidden.mean(1);
  const at::Tensor weights = token_mask.to(hidden.scalar_type()).unsqueeze(-1);
  return (hidden * weights).sum(1) / weights.sum(1);
}

at::Tensor last_of(const at::Tensor& hidden, const at::Tensor& token_mask) {
  if (!token_mask.defined()) return hidden.select(1, -1);
  const at::Tensor columns = at::arange(token_mask.size(1), token_mask.options().dtype(at::kLong));
  const at::Tensor last = (token_mask.to(at::kLong) * columns).argmax(-1);  // [B]
  return hidden.gather(1, last.view({-1, 1, 1}).expand({-1, 1, hidden.size(2)})).squeeze(1);
}

}  // namespace

at::Tensor select_tokens(const at::Tensor& hidden, const at::Tensor& token_mask, Selection selection) {
  switch (selection) {
    case Selection::kFirst:
      return hidden.select(1, 0);
    case Selection::kLast:
      return last_of(hidden, token_mask);
    case Selection::kMean:
      return mean_of(hidden, token_mask);
    case Selection::kAll:
      break;
  }
  return hidden;
}

TaskHead::TaskHead(const HeadSpec& spec, const Parameters& parameters)
    : selection_(spec.selection), normalized_(spec.normalized) {
  if (spec.dense) dense_ = parameters.linear(*spec.dense);
  if (spec.activation) activation_ = activation_function(*spec.activation);
  if (spec.norm) norm_ = make_norm(parameters, *spec.norm);
  if (spec.output) output_ = parameters.linear(*spec.output);
}

at::Tensor TaskHead::forward(const at::Tensor& hidden, const at::Tensor& token_mask, const Operators& operators) const {
  at::Tensor result = select_tokens(hidden, token_mask, selection_);
  if (dense_) result = operators.linear(result, *dense_);
  if (activation_ != nullptr) result = activation_(result);
  if (norm_) result = (*norm_)(result);
  if (output_) result = operators.linear(result, *output_);
  // As torch.nn.functional.normalize.
  if (normalized_) result = result / result.norm(2, -1, true).clamp_min(1e-12);
  return result;
}

}  // namespace transformeter
