// One call for a padded batch; one for each group of packed rows, which are views of the same tensors.
#include "model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <utility>

namespace transformeter {
namespace {

// [1, heads, N, d] to the group's [rows, heads, length, d].
at::Tensor rows_of(const at::Tensor& packed, const RowGroup& group) {
  const at::Tensor tokens = packed.slice(2, group.begin, group.begin + group.tokens()).squeeze(0);  // [heads, n, d]
  return tokens.unflatten(1, {group.rows, group.length}).transpose(0, 1);
}

// [B, H, T, d] to [B, T, H d].
at::Tensor join_heads(const at::Tensor& context) {
  return context.transpose(1, 2).reshape({context.size(0), context.size(2), context.size(1) * context.size(3)});
}

}  // namespace

AttentionPlan::AttentionPlan(AttentionMasks masks) : masks_{std::move(masks)} {}

AttentionPlan::AttentionPlan(const std::vector<std::int64_t>& lengths, bool is_causal, const at::TensorOptions& options)
    : lengths_(lengths), groups_(row_groups(lengths)) {
  for (const RowGroup& group : groups_) {
    masks_.emplace_back(AttentionMasks::Shape{is_causal, group.length, 0}, at::Tensor(), options);
  }
}

at::Tensor AttentionPlan::attend(AttentionInputs inputs, std::int64_t window, const Operators& operators) {
  const auto with_mask = [&](AttentionInputs group, AttentionMasks& masks) {
    const AttentionMask& mask = masks.with_window(window);
    group.mask = mask.additive;
    group.is_causal = mask.is_causal;
    return join_heads(operators.attention(group));
  };
  if (groups_.empty()) return with_mask(std::move(inputs), masks_.front());
  std::vector<at::Tensor> parts;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const RowGroup& group = groups_[i];
    const at::Tensor part = with_mask(
        {rows_of(inputs.query, group), rows_of(inputs.key, group), rows_of(inputs.value, group), {}, false}, masks_[i]);
    parts.push_back(part.view({1, group.tokens(), part.size(2)}));
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

at::Tensor AttentionPlan::attend_needed(AttentionInputs inputs, const NeededTokens& needed,
                                        const Operators& operators) const {
  inputs.is_causal = false;
  if (groups_.empty()) {
    inputs.query = needed.of_rows(inputs.query);
    inputs.mask = masks_.front().padding();
    return join_heads(operators.attention(inputs));
  }
  std::vector<at::Tensor> parts;
  for (const RowGroup& group : groups_) {
    const at::Tensor part = join_heads(operators.attention({needed.of_group(rows_of(inputs.query, group)),
                                                            rows_of(inputs.key, group),
                                                            rows_of(inputs.value, group),
                                                            {},
                                                            false}));
    parts.push_back(part.view({1, group.rows, part.size(2)}));
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

at::Tensor AttentionPlan::needed_of(const at::Tensor& hidden, const NeededTokens& needed) const {
  return groups_.empty() ? needed.of_rows(hidden) : needed.of_packed(hidden, lengths_);
}

}  // namespace transformeter
