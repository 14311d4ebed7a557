// Attention of one layer over a batch, padded or packed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "model/attention_masks.h"
#include "model/needed_tokens.h"
#include "model/operators.h"
#include "model/packed_rows.h"

namespace transformeter {

/// [B, H, T, d] to [B, T, H d].
at::Tensor join_heads(const at::Tensor& context);

/// What the layers of one pass share: a padded batch is one group with the masks of it, packed rows are several.
class AttentionPlan {
 public:
  /// All rows in one matrix.
  explicit AttentionPlan(AttentionMasks masks);
  /// Packed rows. Of `shape` the numbers of tokens do not count; `options`: type and device of the masks.
  AttentionPlan(PackedRows rows, const AttentionMasks::Shape& shape, const at::TensorOptions& options);

  /// Query, key and value [B, heads, T, d], packed [1, heads, N, d], to the heads side by side, [B, T, H d]. `window`
  /// as in AttentionMasks. The inputs' masks are not read.
  at::Tensor attend(AttentionInputs inputs, std::int64_t window, const Operators& operators);

  /// The same of one query a row, which sees its whole row: [B, 1, H d], packed [1, rows, H d]. A first token of a
  /// causal model does not, nor does any token under a window.
  at::Tensor attend_needed(AttentionInputs inputs, const NeededTokens& needed, const Operators& operators);
  /// The needed tokens of hidden [B, T, C] or [1, N, C].
  at::Tensor needed_of(const at::Tensor& hidden, const NeededTokens& needed) const;

 private:
  bool mask_learns() const { return bias_ != nullptr && bias_->learns(); }
  at::Tensor attend_groups(const AttentionInputs& inputs, std::int64_t window, const Operators& operators);

  std::optional<PackedRows> rows_;  // nothing: padded
  bool is_causal_ = false;          // of packed rows
  const RelativeBias* bias_ = nullptr;
  std::vector<RowGroup> groups_;
  std::vector<AttentionMasks> masks_;  // of each group
};

}  // namespace transformeter
