// Rows of different lengths one after another, without padding: [1, N] with N the sum of the lengths. Everything but
// attention works on tokens alone; attention goes by groups of rows that are as long as each other, or by one kernel
// that is told where rows begin.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace transformeter {

/// Where packed rows lie. The tensors belong on the tokens' device, so that a pass copies nothing there.
struct PackedRows {
  std::vector<std::int64_t> lengths;  // of each row, at least 1; empty: the batch is padded
  at::Tensor starts;                  // [rows + 1] int32: each row's first token, and N
  at::Tensor positions;               // [1, N] int64: of each token in its row, from 0; −1 for none
  at::Tensor last;                    // [rows] int32: the tokens that heads read as the last; undefined: the last ones

  bool empty() const { return lengths.empty(); }
  std::int64_t longest() const;
  /// Of each row its first or its last token, [rows] int32.
  at::Tensor first_tokens() const { return starts.slice(0, 0, -1); }
  at::Tensor last_tokens() const;
  /// As many rows of one token each.
  PackedRows of_one_token() const;
};

/// On the host.
PackedRows pack_rows(std::vector<std::int64_t> lengths);

/// Successive rows of one length.
struct RowGroup {
  std::int64_t begin = 0;  // first token
  std::int64_t rows = 0;
  std::int64_t length = 0;

  std::int64_t tokens() const { return rows * length; }
};

/// `lengths`: of each row, at least 1.
std::vector<RowGroup> row_groups(const std::vector<std::int64_t>& lengths);

}  // namespace transformeter
