// Splits a batch for streams into chunks of rows that fit into the CPU's caches and finish at about the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace transformeter {

struct ChunkOptions {
  std::optional<std::int64_t> tokens;  // a chunk holds so many at most, and one row at least; nothing: no bound
  std::int64_t streams = 1;            // that take chunks at a time
  bool sorted = false;                 // rows by falling length; else in their order
};

/// The rows of each chunk; each row belongs to exactly one. `lengths`: tokens of each row, padding included where it is
/// computed. Chunks with about equally many tokens; their number is a multiple of `streams` if there are enough rows.
std::vector<std::vector<std::size_t>> plan_chunks(const std::vector<std::int64_t>& lengths,
                                                  const ChunkOptions& options);

}  // namespace transformeter
