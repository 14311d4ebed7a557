// The tokens whose hidden states a head reads: one of each row, or all. What the last layer computes beside them
// reaches no output.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "model/model.h"
#include "spec/blueprint.h"

namespace transformeter {

/// One token of each row, at the same place of all rows or at a place of its own.
class NeededTokens {
 public:
  /// Nothing where a head of that selection needs all tokens.
  static std::optional<NeededTokens> of(const ModelInputs& inputs, Selection selection);

  /// Of a padded batch: values [..., T, d] with rows in the first dimension and tokens in the one before the last, to
  /// [..., 1, d].
  at::Tensor of_rows(const at::Tensor& values) const;
  /// Of a group of packed rows that are as long as each other.
  at::Tensor of_group(const at::Tensor& values) const;
  /// Of packed rows [..., N, d] to [..., rows, d].
  at::Tensor of_packed(const at::Tensor& values, const PackedRows& rows) const;

 private:
  bool is_last_ = false;
  at::Tensor columns_;  // [B] int64; undefined: the first or the last column
};

/// The last token of each row that is no padding, [B] int64. `token_mask`: as ModelInputs.
at::Tensor last_columns(const at::Tensor& token_mask);

}  // namespace transformeter
