// What rows of a cache hold before and after there are several beams.
#include "model/key_value_cache.h"

#include <gtest/gtest.h>

#include <ATen/ops/zeros.h>

#include <initializer_list>
#include <vector>

namespace transformeter {
namespace {

at::Tensor rows_with(std::initializer_list<float> values) {
  at::Tensor rows = at::zeros({static_cast<std::int64_t>(values.size()), 1, 1, 1});
  std::int64_t row = 0;
  for (const float value : values) rows[row++].fill_(value);
  return rows;
}

std::vector<float> first_tokens(const at::Tensor& rows) {
  const at::Tensor values = rows.select(2, 0).reshape({-1}).contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

TEST(KeyValueCache, GivesThePromptToItsBeams) {
  KeyValueCache cache(3, 2);
  const KeyValueCache::KeyValue prompt = cache.append(0, rows_with({1, 2}), rows_with({1, 2}));
  EXPECT_EQ(prompt.key.size(0), 2) << "of two inputs";
  EXPECT_EQ(first_tokens(prompt.key), (std::vector<float>{1, 2}));
  EXPECT_EQ(cache.bytes(), 2 * 4 * 3 * 4) << "room for all beams";
  cache.advance(1);
  cache.reorder({0, 0, 2, 2});
  const KeyValueCache::KeyValue beams = cache.append(0, rows_with({5, 6, 7, 8}), rows_with({5, 6, 7, 8}));
  EXPECT_EQ(first_tokens(beams.key), (std::vector<float>{1, 1, 2, 2}));
  EXPECT_EQ(first_tokens(beams.value.slice(2, 1)), (std::vector<float>{5, 6, 7, 8}));
  cache.advance(1);
  cache.reorder({1, 0, 2, 2});
  const KeyValueCache::KeyValue swapped = cache.append(0, rows_with({0, 0, 0, 0}), rows_with({0, 0, 0, 0}));
  EXPECT_EQ(first_tokens(swapped.key.slice(2, 1)), (std::vector<float>{6, 5, 7, 7})) << "also both ways at once";
}

}  // namespace
}  // namespace transformeter
