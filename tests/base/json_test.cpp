// Parsing errors in our own words.
#include "base/json.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

TEST(ParseJson, RefusesBrokenTextAndNumbersOutOfRange) {
  EXPECT_EQ(parse_json("plan", "[1]"), Json::array({1}));
  EXPECT_THROW(parse_json("plan", "{"), Error);
  EXPECT_THROW(parse_json("plan", "1e999"), Error) << "the library reports it with another exception type";
}

}  // namespace
}  // namespace transformeter
