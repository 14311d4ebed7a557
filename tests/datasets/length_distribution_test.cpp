// Lengths that follow their distribution exactly, and the forms that are refused.
#include "datasets/length_distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::vector<std::int64_t> lengths(const char* text, std::size_t count, std::vector<std::int64_t> file = {}) {
  return lengths_of(parse_length_distribution(text), count, std::move(file), 7);
}

double mean_of(const std::vector<std::int64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0})) /
         static_cast<double>(values.size());
}

TEST(LengthDistribution, FixedIsOneLength) {
  EXPECT_THAT(lengths("fixed:17", 5), Each(17));
}

TEST(LengthDistribution, UniformHasEveryLengthEquallyOften) {
  const auto drawn = lengths("uniform:10:19", 1000);
  for (std::int64_t length = 10; length < 20; ++length) {
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), length), 100) << length;
  }
}

TEST(LengthDistribution, NormalHasItsMomentsAndQuantiles) {
  auto drawn = lengths("normal:100:20:3:500", 2001);
  EXPECT_NEAR(mean_of(drawn), 100, 0.05);
  double squares = 0;
  for (const std::int64_t length : drawn) squares += std::pow(static_cast<double>(length) - 100, 2);
  EXPECT_NEAR(std::sqrt(squares / 2001), 20, 0.2);
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(drawn[1000], 100) << "the median";
  EXPECT_EQ(drawn[1000 + 683], 120) << "84.1 % lie below one deviation above the mean";
}

TEST(LengthDistribution, ANormalCutAtItsBoundsDoesNotPileUpThere) {
  const auto drawn = lengths("normal:10:5:8:12", 1000);
  EXPECT_EQ(*std::min_element(drawn.begin(), drawn.end()), 8);
  EXPECT_EQ(*std::max_element(drawn.begin(), drawn.end()), 12);
  EXPECT_LT(std::count(drawn.begin(), drawn.end(), 8), std::count(drawn.begin(), drawn.end(), 10));
  EXPECT_THAT(lengths("normal:64:0:3:128", 4), Each(64));
  const auto flat = lengths("normal:64:1048576:3:122", 12);
  EXPECT_EQ(*std::min_element(flat.begin(), flat.end()), 8) << "the quantile 1/24 of 2.5 to 122.5 is 7.5";
}

TEST(LengthDistribution, HistogramRepeatsTheLengthsOfTheFile) {
  EXPECT_THAT(lengths("histogram:f.csv", 4, {9, 5, 7, 5}), UnorderedElementsAre(5, 5, 7, 9));
  const auto more = lengths("histogram:f.csv", 400, {9, 5, 7, 5});
  EXPECT_EQ(std::count(more.begin(), more.end(), 5), 200);
  EXPECT_EQ(std::count(more.begin(), more.end(), 9), 100);
}

TEST(LengthDistribution, KnowsTheShortestLengthUnlessAFileHasIt) {
  EXPECT_EQ(parse_length_distribution("fixed:9").shortest(), 9);
  EXPECT_EQ(parse_length_distribution("uniform:8:12").shortest(), 8);
  EXPECT_EQ(parse_length_distribution("normal:20:4:8:30").shortest(), 8);
  EXPECT_EQ(parse_length_distribution("normal:20:0:8:30").shortest(), 20) << "all have the mean";
  EXPECT_EQ(lengths("normal:20:0:8:30", 3), (std::vector<std::int64_t>{20, 20, 20}));
  EXPECT_EQ(parse_length_distribution("histogram:f.csv").shortest(), std::nullopt);
}

TEST(LengthDistribution, OrderDependsOnTheSeed) {
  const LengthDistribution distribution = parse_length_distribution("uniform:3:400");
  EXPECT_EQ(lengths_of(distribution, 50, {}, 1), lengths_of(distribution, 50, {}, 1));
  EXPECT_NE(lengths_of(distribution, 50, {}, 1), lengths_of(distribution, 50, {}, 2));
}

TEST(LengthDistribution, NamesTheFormsForAnythingElse) {
  for (const char* text :
       {"", "fixed", "fixed:2", "fixed:x", "uniform:5", "uniform:9:8", "normal:5:1", "gamma:1:2", "normal:100:5:3:50",
        "normal:5:-1:3:50", "normal:nan:1:3:50", "normal:30:1048577:3:50", "histogram:", "fixed:1048577"}) {
    try {
      parse_length_distribution(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(std::string("'") + text + "'"), HasSubstr("normal:MEAN:DEVIATION")));
    }
  }
}

}  // namespace
}  // namespace transformeter
