// Places are counted on the host and copied once; groups are runs of equal numbers.
#include "model/packed_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

namespace transformeter {

PackedRows pack_rows(std::vector<std::int64_t> lengths) {
  std::vector<std::int32_t> starts{0};
  std::vector<std::int64_t> positions;
  for (const std::int64_t length : lengths) {
    for (std::int64_t i = 0; i < length; ++i) positions.push_back(i);
    starts.push_back(static_cast<std::int32_t>(positions.size()));
  }
  return {std::move(lengths), at::tensor(starts, at::kInt), at::tensor(positions, at::kLong).unsqueeze(0), {}};
}

std::int64_t PackedRows::longest() const {
  return *std::max_element(lengths.begin(), lengths.end());
}

at::Tensor PackedRows::last_tokens() const {
  return last.defined() ? last : starts.slice(0, 1) - 1;
}

PackedRows PackedRows::of_one_token() const {
  const auto rows = static_cast<std::int64_t>(lengths.size());
  return {std::vector<std::int64_t>(lengths.size(), 1),
          at::arange(rows + 1, starts.options()),
          at::zeros({1, rows}, positions.options()),
          {}};
}

std::vector<RowGroup> row_groups(const std::vector<std::int64_t>& lengths) {
  std::vector<RowGroup> groups;
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths) {
    if (groups.empty() || groups.back().length != length) groups.push_back({begin, 0, length});
    ++groups.back().rows;
    begin += length;
  }
  return groups;
}

}  // namespace transformeter
