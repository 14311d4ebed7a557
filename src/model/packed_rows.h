// Rows of different lengths one after another, without padding: [1, N] with N the sum of the lengths. Everything but
// attention works on tokens alone; attention goes by groups of rows that are as long as each other.
#pragma once

#include <cstdint>
#include <vector>

namespace transformeter {

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
