// Parsing errors in our own words.
#include "base/json.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json_keys.h"
#include "base/text.h"

namespace transformeter {
namespace {

TEST(ParseJson, RefusesBrokenTextAndNumbersOutOfRange) {
  EXPECT_EQ(parse_json("plan", "[1]"), Json::array({1}));
  EXPECT_THROW(parse_json("plan", "{"), Error);
  EXPECT_THROW(parse_json("plan", "1e999"), Error) << "the library reports it with another exception type";
}

TEST(ParseJson, RefusesANulByteThatWouldHideTheRest) {
  using std::string_view_literals::operator""sv;
  for (const std::string_view text : {"{}\0"sv, "\0{}"sv, "[1]\0[2]"sv, "{\"a\0\":1}"sv}) {
    EXPECT_THROW(parse_json("plan", text), Error);
    EXPECT_TRUE(json_or_discarded(text).is_discarded());
  }
  EXPECT_EQ(parse_json("plan", R"("\u0000")"), Json("\0"sv)) << "escaped it is a character as any other";
}

TEST(JsonOrDiscarded, RefusesWhatParseJsonRefuses) {
  EXPECT_EQ(json_or_discarded("[1]"), Json::array({1}));
  for (const std::string& text : {std::string("{"), std::string("1e999"), std::string(1'000'000, '[')}) {
    EXPECT_TRUE(json_or_discarded(text).is_discarded()) << excerpt(text);
  }
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

TEST(ParseJson, SaysTheCauseInItsOwnWords) {
  const auto message_of = [](const char* text) -> std::string {
    try {
      parse_json("plan", text);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  for (const char* text : {"{\"a\": ]}", "[1e999]", "{\"a\": \"\xFF\"}"}) {
    EXPECT_EQ(message_of(text).find("json.exception"), std::string::npos) << message_of(text);
    EXPECT_EQ(message_of(text).find("line"), std::string::npos) << "one line, perhaps of many: " << message_of(text);
  }
  EXPECT_EQ(message_of("[1,\n2").rfind("plan is not valid JSON (at byte 6, in line 2): syntax error", 0), 0u)
      << message_of("[1,\n2");
  EXPECT_TRUE(message_of("[1,\n2").ends_with("; the text ends there: is it cut off?")) << message_of("[1,\n2");
  EXPECT_TRUE(message_of("").ends_with("; it is empty")) << message_of("");
  EXPECT_FALSE(message_of("[1,]").ends_with("?")) << message_of("[1,]");
}

TEST(WholeNumber, IsOneInRangeOrNothing) {
  EXPECT_EQ(whole_number<int>(Json(-7)), -7);
  EXPECT_EQ(whole_number<std::uint64_t>(Json(~std::uint64_t{0})), ~std::uint64_t{0});
  EXPECT_EQ(whole_number<int>(Json(2147483648)), std::nullopt);
  EXPECT_EQ(whole_number<unsigned>(Json(-1)), std::nullopt);
  EXPECT_EQ(whole_number<int>(Json(1.0)), std::nullopt) << "a fraction by its type";
  EXPECT_EQ(whole_number<std::int64_t>(Json(1.2e22)), std::nullopt) << "the library's conversion is undefined here";
  EXPECT_EQ(whole_number<int>(Json("7")), std::nullopt);
  EXPECT_EQ(whole_number<int>(Json(true)), std::nullopt);
}

TEST(RepeatedKey, IsFoundInAnyObjectHoweverItIsWritten) {
  EXPECT_EQ(repeated_key(R"({"a":1,"b":{"a":[{"a":2},{"a":3}]}})"), std::nullopt);
  EXPECT_EQ(repeated_key(R"({"a":"a","b":["b","b",",","\\",{}]})"), std::nullopt) << "values are no keys";
  EXPECT_EQ(repeated_key(R"({"a":1, "b":2 , "a" : 3})"), "a");
  EXPECT_EQ(repeated_key(R"([{"x":[1,{"key":{},"k\u0065y":0}]}])"), "key");
  EXPECT_EQ(repeated_key(R"({"\"":1,"\"":2})"), "\"");
  EXPECT_EQ(repeated_key("1"), std::nullopt);
}

}  // namespace
}  // namespace transformeter
