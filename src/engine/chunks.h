// How a batch is cut for streams: into chunks of rows that stay in the processor's caches and end at about one time.
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

/// Rows of each chunk, every row in one of them. `lengths`: tokens of each row, padding included where it is computed.
/// Chunks of about equal tokens, as many as a multiple of `streams` where there are rows enough.
std::vector<std::vector<std::size_t>> plan_chunks(const std::vector<std::int64_t>& lengths,
                                                  const ChunkOptions& options);

}  // namespace transformeter
