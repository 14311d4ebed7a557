// One call for a padded batch; one for each group of packed rows, which are views of the same tensors.
#include "model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <utility>
#include <vector>

namespace transformeter {
namespace {

// [1, heads, N, d] to each group's [rows, heads, length, d]. Split once: the gradient of a slice is as large as what it
// was cut from and must be added to that of the others, that of all parts of a split is written once.
std::vector<at::Tensor> rows_of(const at::Tensor& packed, const std::vector<RowGroup>& groups) {
  std::vector<std::int64_t> sizes;
  for (const RowGroup& group : groups) sizes.push_back(group.tokens());
  std::vector<at::Tensor> parts = packed.split_with_sizes(sizes, 2);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    parts[i] = parts[i].squeeze(0).unflatten(1, {groups[i].rows, groups[i].length}).transpose(0, 1);
  }
  return parts;
}

}  // namespace

at::Tensor join_heads(const at::Tensor& context) {
  return context.transpose(1, 2).reshape({context.size(0), context.size(2), context.size(1) * context.size(3)});
}

AttentionPlan::AttentionPlan(AttentionMasks masks) : bias_(masks.bias()), masks_{std::move(masks)} {}

AttentionPlan::AttentionPlan(PackedRows rows, const AttentionMasks::Shape& shape, const at::TensorOptions& options)
    : rows_(std::move(rows)), is_causal_(shape.is_causal), bias_(shape.bias), groups_(row_groups(rows_->lengths)) {
  for (const RowGroup& group : groups_) {
    AttentionMasks::Shape own = shape;
    own.tokens = group.length;
    masks_.emplace_back(own, at::Tensor(), options);
  }
}

at::Tensor AttentionPlan::attend(AttentionInputs inputs, std::int64_t window, const Operators& operators) {
  if (!rows_) {
    const AttentionMask mask = masks_.front().with_window(window);
    inputs.mask = mask.additive;
    inputs.is_causal = mask.is_causal;
    inputs.mask_learns = mask_learns();
    return join_heads(operators.attention(inputs));
  }
  if (bias_ != nullptr || !operators.takes_packed_rows()) return attend_groups(inputs, window, operators);
  const std::int64_t longest = rows_->longest();
  return join_heads(operators.packed_attention({inputs.query, inputs.key, inputs.value, rows_->starts, rows_->starts,
                                                longest, longest, is_causal_, window, inputs.dropout}));
}

at::Tensor AttentionPlan::attend_groups(const AttentionInputs& inputs, std::int64_t window,
                                        const Operators& operators) {
  const std::vector<at::Tensor> queries = rows_of(inputs.query, groups_);
  const std::vector<at::Tensor> keys = rows_of(inputs.key, groups_);
  const std::vector<at::Tensor> values = rows_of(inputs.value, groups_);
  std::vector<at::Tensor> parts;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const AttentionMask mask = masks_[i].with_window(window);
    const at::Tensor part = join_heads(operators.attention(
        {queries[i], keys[i], values[i], mask.additive, mask.is_causal, inputs.dropout, mask_learns()}));
    parts.push_back(part.view({1, groups_[i].tokens(), part.size(2)}));
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

at::Tensor AttentionPlan::attend_needed(AttentionInputs inputs, const NeededTokens& needed,
                                        const Operators& operators) {
  inputs.is_causal = false;
  inputs.mask_learns = mask_learns();
  if (!rows_) {
    const std::int64_t rows = inputs.query.size(0);
    inputs.query = needed.of_rows(inputs.query);
    inputs.mask = bias_ != nullptr ? needed.of_rows(masks_.front().with_window(0).additive.expand({rows, -1, -1, -1}))
                                   : masks_.front().padding();
    return join_heads(operators.attention(inputs));
  }
  if (bias_ == nullptr && operators.takes_packed_rows()) {
    return join_heads(operators.packed_attention({needed.of_packed(inputs.query, *rows_), inputs.key, inputs.value,
                                                  rows_->of_one_token().starts, rows_->starts, 1, rows_->longest(),
                                                  false, 0, inputs.dropout}));
  }
  const std::vector<at::Tensor> queries = rows_of(inputs.query, groups_);
  const std::vector<at::Tensor> keys = rows_of(inputs.key, groups_);
  const std::vector<at::Tensor> values = rows_of(inputs.value, groups_);
  std::vector<at::Tensor> parts;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const at::Tensor mask = bias_ != nullptr ? needed.of_group(masks_[i].with_window(0).additive) : at::Tensor();
    const at::Tensor part = join_heads(operators.attention(
        {needed.of_group(queries[i]), keys[i], values[i], mask, false, inputs.dropout, inputs.mask_learns}));
    parts.push_back(part.view({1, groups_[i].rows, part.size(2)}));
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

at::Tensor AttentionPlan::needed_of(const at::Tensor& hidden, const NeededTokens& needed) const {
  return !rows_ ? needed.of_rows(hidden) : needed.of_packed(hidden, *rows_);
}

}  // namespace transformeter
