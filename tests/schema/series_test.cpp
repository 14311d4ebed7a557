// Series survive packing whatever they hold, and no bytes make unpacking crash.
#include "schema/series.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/error.h"
#include "base/random.h"

namespace transformeter {
namespace {

template <typename T>
void maybe_fill(std::vector<T>& column, std::size_t count, RandomStream& random) {
  if (random.below(2) == 0) return;
  for (std::size_t i = 0; i < count; ++i) column.push_back(std::bit_cast<T>(random.next()));
}

// Any bit pattern, NaNs and negative zeros included; each column is there or not.
Series random_series(RandomStream& random) {
  Series series;
  series.name = "series" + std::to_string(random.below(1000));
  series.unit = "s";
  series.rank = static_cast<int>(random.below(8));
  const std::size_t count = random.below(20);
  for (std::size_t i = 0; i < count; ++i) series.value.push_back(std::bit_cast<double>(random.next()));
  maybe_fill(series.start_s, count, random);
  maybe_fill(series.index, count, random);
  maybe_fill(series.examples, count, random);
  maybe_fill(series.useful_tokens, count, random);
  maybe_fill(series.processed_tokens, count, random);
  if (random.below(2) == 0) series.flags.assign(count, static_cast<std::uint32_t>(random.next()));
  return series;
}

// As bytes, because NaN is not equal to itself.
std::string image(const std::vector<Series>& series) {
  std::string blob;
  return encode_series(series, blob).dump() + blob;
}

TEST(Series, SurvivePackingBitForBit) {
  RandomStream random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Series> all(random.below(5));
    for (Series& one : all) one = random_series(random);
    std::string blob;
    const Json directory = encode_series(all, blob);
    const std::vector<Series> back = decode_series(Json::parse(directory.dump()), blob);
    EXPECT_EQ(image(back), image(all));
    ASSERT_EQ(back.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(column_bytes(back[i].value), column_bytes(all[i].value));
  }
}

TEST(Series, RefuseBytesThatEndEarly) {
  RandomStream random(6);
  Series series = random_series(random);
  series.value = {1, 2, 3};
  series.start_s.clear();
  std::string blob;
  const Json directory = encode_series({series}, blob);
  EXPECT_THROW(decode_series(directory, std::string_view(blob).substr(0, 23)), Error);
  Json huge = directory;
  huge[0]["count"] = std::uint64_t{1} << 62;
  EXPECT_THROW(decode_series(huge, blob), Error);
}

TEST(Series, RefuseColumnsThatWouldBeLost) {
  Series series = scalar_series("load_time", 1);
  series.start_s = {2};
  std::string blob;
  const Json directory = encode_series({series}, blob);
  Json unknown = directory;
  unknown[0]["columns"] = {"value", "startS"};
  EXPECT_THROW(decode_series(unknown, blob), Error) << "a column of another name";
  Json without_values = directory;
  without_values[0]["columns"] = {"start_s"};
  EXPECT_THROW(decode_series(without_values, blob.substr(8)), Error);
  EXPECT_THROW(decode_series(directory, blob + "x"), Error) << "a byte that no series owns";
  EXPECT_EQ(decode_series(directory, blob)[0].start_s, series.start_s);
}

TEST(Series, AppendBlocksInOrder) {
  Series whole;
  whole.name = "latency";
  Series block = whole;
  block.value = {1, 2};
  block.index = {0, 1};
  whole.append(block);
  block.value = {3};
  block.index = {0};
  whole.append(block);
  EXPECT_EQ(whole.value, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(whole.index, (std::vector<std::int64_t>{0, 1, 0}));
  EXPECT_TRUE(whole.start_s.empty());
}

TEST(Series, ColumnsHoldWholeElements) {
  EXPECT_TRUE(column_values<double>("").empty());
  EXPECT_THROW(column_values<double>("1234567"), Error);
  EXPECT_EQ(column_values<std::uint32_t>(std::string_view("\x01\0\0\0", 4)), std::vector<std::uint32_t>{1});
}

}  // namespace
}  // namespace transformeter
