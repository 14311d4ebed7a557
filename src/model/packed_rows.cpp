// Runs of equal numbers.
#include "model/packed_rows.h"

namespace transformeter {

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
