// A slice where all rows agree on the place, else a gather.
#include "model/needed_tokens.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include <vector>

namespace transformeter {

at::Tensor last_columns(const at::Tensor& token_mask) {
  const at::Tensor columns = at::arange(token_mask.size(1), token_mask.options().dtype(at::kLong));
  return (token_mask.to(at::kLong) * columns).argmax(-1);
}

std::optional<NeededTokens> NeededTokens::of(const ModelInputs& inputs, Selection selection) {
  NeededTokens needed;
  if (inputs.last_token_only) {  // the last column, whatever the padding, which is on the left
    needed.is_last_ = true;
    return needed;
  }
  if (selection != Selection::kFirst && selection != Selection::kLast) return std::nullopt;
  needed.is_last_ = selection == Selection::kLast;
  if (needed.is_last_ && inputs.token_mask.defined()) needed.columns_ = last_columns(inputs.token_mask);
  return needed;
}

at::Tensor NeededTokens::of_rows(const at::Tensor& values) const {
  if (!columns_.defined()) return of_group(values);
  std::vector<std::int64_t> shape(static_cast<std::size_t>(values.dim()), 1);
  shape.front() = values.size(0);
  std::vector<std::int64_t> wanted = values.sizes().vec();
  wanted[wanted.size() - 2] = 1;
  return values.gather(-2, columns_.view(shape).expand(wanted));
}

at::Tensor NeededTokens::of_group(const at::Tensor& values) const {
  return values.narrow(-2, is_last_ ? values.size(-2) - 1 : 0, 1);
}

at::Tensor NeededTokens::of_packed(const at::Tensor& values, const PackedRows& rows) const {
  return values.index_select(-2, is_last_ ? rows.last_tokens() : rows.first_tokens());
}

}  // namespace transformeter
