// Equal shares of the tokens, cut between successive rows.
#include "engine/chunks.h"

#include <algorithm>
#include <numeric>

namespace transformeter {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

std::int64_t chunk_count(std::int64_t tokens, std::int64_t rows, const ChunkOptions& options) {
  const std::int64_t needed = options.tokens ? (tokens + *options.tokens - 1) / *options.tokens : 1;
  return std::clamp<std::int64_t>(round_up(std::max<std::int64_t>(needed, 1), options.streams), 1, rows);
}

}  // namespace

std::vector<std::vector<std::size_t>> plan_chunks(const std::vector<std::int64_t>& lengths,
                                                  const ChunkOptions& options) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options.sorted) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  }
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const auto rows = static_cast<std::int64_t>(lengths.size());
  const std::int64_t count = chunk_count(total, rows, options);

  std::vector<std::vector<std::size_t>> chunks;
  std::int64_t done = 0;  // tokens in earlier rows
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t length = lengths[order[i]];
    // The chunk in which the middle of the row falls; none is left out while there are rows for it.
    const std::int64_t share = (2 * done + length) * count / (2 * total);
    const auto rows_left = static_cast<std::int64_t>(order.size() - i);
    const auto chunks_left = count - static_cast<std::int64_t>(chunks.size());
    const bool begins =
        chunks.empty() ||
        (chunks_left > 0 && (share >= static_cast<std::int64_t>(chunks.size()) || rows_left <= chunks_left));
    if (begins) chunks.emplace_back();
    chunks.back().push_back(order[i]);
    done += length;
  }
  return chunks;
}

}  // namespace transformeter
