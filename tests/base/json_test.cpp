// Parsing errors in our own words.
#include "base/json.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace transformeter {
namespace {

TEST(ParseJson, RefusesBrokenTextAndNumbersOutOfRange) {
  EXPECT_EQ(parse_json("plan", "[1]"), Json::array({1}));
  EXPECT_THROW(parse_json("plan", "{"), Error);
  EXPECT_THROW(parse_json("plan", "1e999"), Error) << "the library reports it with another exception type";
}

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonDepth, CountsBracketsOutsideStrings) {
  EXPECT_EQ(json_depth("7"), 0u);
  EXPECT_EQ(json_depth(R"({"a": [1, [2]], "b": {}})"), 3u);
  EXPECT_EQ(json_depth(R"(["[[[", "\"[[", "\\", [1]])"), 2u);
}

TEST(ParseJson, RefusesWhatNestsTooDeepForTheStack) {
  EXPECT_EQ(parse_json("plan", nested(kMaxJsonDepth)).size(), 1u);
  EXPECT_THROW(parse_json("plan", nested(kMaxJsonDepth + 1)), Error);
  EXPECT_THROW(parse_json("plan", nested(1'000'000)), Error) << "dumping the value in a message would overflow";
}

}  // namespace
}  // namespace transformeter
