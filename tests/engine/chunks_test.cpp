// How batches are cut for streams.
#include "engine/chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace transformeter {
namespace {

using Chunks = std::vector<std::vector<std::size_t>>;

std::vector<std::size_t> all_rows(const Chunks& chunks) {
  std::vector<std::size_t> rows;
  for (const auto& chunk : chunks) rows.insert(rows.end(), chunk.begin(), chunk.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(Chunks, OneStreamWithoutABoundKeepsTheBatchWhole) {
  EXPECT_EQ(plan_chunks({5, 5, 5}, {}), (Chunks{{0, 1, 2}}));
}

TEST(Chunks, StreamsShareEqualRowsEqually) {
  EXPECT_EQ(plan_chunks({8, 8, 8, 8}, {std::nullopt, 2, false}), (Chunks{{0, 1}, {2, 3}}));
}

TEST(Chunks, AChunkHoldsNoMoreTokensThanItsBoundWhereRowsAllow) {
  // 8 rows of 128 and at most 256: four chunks of two.
  EXPECT_EQ(plan_chunks(std::vector<std::int64_t>(8, 128), {256, 2, false}), (Chunks{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

TEST(Chunks, RowsThatDoNotFillABoundMakeMoreChunks) {
  // Two rows of 300 are above 512, though all three together are less than two chunks' worth.
  EXPECT_EQ(plan_chunks({300, 300, 300}, {512, 1, false}), (Chunks{{0}, {1}, {2}}));
}

TEST(Chunks, ARowAboveTheBoundIsAChunkOfItsOwn) {
  EXPECT_EQ(plan_chunks({100, 100}, {10, 1, false}), (Chunks{{0}, {1}}));
}

TEST(Chunks, FewerRowsThanStreamsMakeFewerChunks) {
  EXPECT_EQ(plan_chunks({7}, {std::nullopt, 4, true}), (Chunks{{0}}));
}

TEST(Chunks, TheirNumberIsAMultipleOfTheStreams) {
  // 5 rows of 100 and at most 200 tokens need 3 chunks; two streams take 4.
  EXPECT_EQ(plan_chunks(std::vector<std::int64_t>(5, 100), {200, 2, false}).size(), 4U);
}

TEST(Chunks, SortedRowsKeepEqualLengthsTogether) {
  EXPECT_EQ(plan_chunks({3, 9, 3, 9}, {std::nullopt, 1, true}), (Chunks{{1, 3, 0, 2}}));
}

TEST(Chunks, HoldEveryRowOnceWhateverTheLengths) {
  std::vector<std::int64_t> lengths(57);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = 1 + static_cast<std::int64_t>((i * 7919) % 113);
  std::vector<std::size_t> rows(lengths.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (const std::int64_t streams : {1, 2, 3, 8}) {
    for (const std::int64_t tokens : {1, 50, 400, 100000}) {
      const Chunks chunks = plan_chunks(lengths, {tokens, streams, true});
      EXPECT_EQ(all_rows(chunks), rows) << streams << " " << tokens;
      EXPECT_TRUE(std::none_of(chunks.begin(), chunks.end(), [](const auto& chunk) { return chunk.empty(); }));
      for (const auto& chunk : chunks) {
        std::int64_t sum = 0;
        for (const std::size_t row : chunk) sum += lengths[row];
        EXPECT_TRUE(chunk.size() == 1 || sum <= tokens) << sum << " of " << tokens;
      }
    }
  }
}

}  // namespace
}  // namespace transformeter
