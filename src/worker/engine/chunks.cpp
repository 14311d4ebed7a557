// Equal shares of the tokens, cut between successive rows.
#include "engine/chunks.h"

#include <algorithm>
#include <numeric>

namespace transformeter {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

using Rows = std::vector<std::size_t>;

// `count` chunks of about equal tokens, cut between successive rows; none is left out while there are rows for it.
std::vector<Rows> equal_shares(const Rows& order, const std::vector<std::int64_t>& lengths, std::int64_t total,
                               std::int64_t count) {
  std::vector<Rows> chunks;
  std::int64_t done = 0;  // tokens in earlier rows
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t length = lengths[order[i]];
    // The chunk in which the middle of the row falls.
    const std::int64_t share = (2 * done + length) * count / (2 * total);
    const auto rows_left = static_cast<std::int64_t>(order.size() - i);
    const auto made = static_cast<std::int64_t>(chunks.size());
    if (made == 0 || (made < count && (share >= made || rows_left <= count - made))) chunks.emplace_back();
    chunks.back().push_back(order[i]);
    done += length;
  }
  return chunks;
}

bool within(const std::vector<Rows>& chunks, const std::vector<std::int64_t>& lengths, std::int64_t bound) {
  return std::all_of(chunks.begin(), chunks.end(), [&](const Rows& rows) {
    std::int64_t tokens = 0;
    for (const std::size_t row : rows) tokens += lengths[row];
    return rows.size() == 1 || tokens <= bound;
  });
}

}  // namespace

std::vector<std::vector<std::size_t>> plan_chunks(const std::vector<std::int64_t>& lengths,
                                                  const ChunkOptions& options) {
  Rows order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options.sorted) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  }
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const auto rows = static_cast<std::int64_t>(lengths.size());
  const std::int64_t bound = options.tokens.value_or(total);
  const std::int64_t needed = std::max<std::int64_t>((total + bound - 1) / bound, 1);
  // Whole rows fill no chunk to the brim, so that more than `needed` may be.
  for (std::int64_t count = round_up(needed, options.streams);; count += options.streams) {
    std::vector<Rows> chunks = equal_shares(order, lengths, total, std::min(count, rows));
    if (count >= rows || within(chunks, lengths, bound)) return chunks;
  }
}

}  // namespace transformeter
