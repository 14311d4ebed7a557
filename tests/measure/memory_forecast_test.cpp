// Which micro-batches a forecast of a training's memory looks at.
#include "measure/memory_forecast.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

ComputedRows rows_of(std::vector<std::int64_t> lengths, std::vector<std::int64_t> targets = {}) {
  return {std::move(lengths), false, false, std::move(targets)};
}

TEST(LargestRows, HaveTheMostTokensThePairsOfTheLongestRowsAndTheMostTargets) {
  const ComputedRows most_tokens = rows_of({40, 40, 40, 40}, {5, 5, 5, 5});  // 180, 6,500 pairs
  const ComputedRows most_pairs = rows_of({90}, {5});                        // 95, 8,125
  const ComputedRows most_targets = rows_of({30, 30}, {30, 30});             // 120, 3,600
  LargestRows largest;
  for (const ComputedRows& rows : {rows_of({8}, {8}), most_targets, most_pairs, most_tokens, rows_of({8}, {8})}) {
    largest.look_at(rows);
  }
  EXPECT_EQ(largest.candidates()[0], most_tokens);
  EXPECT_EQ(largest.candidates()[1], most_pairs);
  EXPECT_EQ(largest.candidates()[2], most_targets);
}

TEST(LargestRows, HaveNoTargetsWhereNoMicroBatchHas) {
  ComputedRows padded = rows_of({16, 16});
  padded.has_padding = true;
  LargestRows largest;
  for (const ComputedRows& rows : {rows_of({16, 16}), padded}) largest.look_at(rows);
  EXPECT_EQ(largest.candidates()[0], padded);
  EXPECT_TRUE(largest.candidates()[2].lengths.empty());
}

TEST(LargestRows, OfAsManyTokensThoseWithPaddingCountMore) {
  ComputedRows padded = rows_of({16, 16}, {4, 4});
  padded.has_padding = true;
  LargestRows largest;
  for (const ComputedRows& rows : {rows_of({16, 16}, {4, 4}), padded, rows_of({16, 16}, {4, 4})}) largest.look_at(rows);
  for (const ComputedRows& rows : largest.candidates()) EXPECT_EQ(rows, padded);
}

}  // namespace
}  // namespace transformeter
