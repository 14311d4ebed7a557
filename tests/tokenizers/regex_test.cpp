// Matches as Oniguruma finds them, and what is refused.
#include "tokenizers/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<TextSpan> matches(const std::string& pattern, std::string_view text) {
  return Regex(pattern, "test").find_all(text);
}

TEST(Regex, FindsMatchesFromLeftToRight) {
  EXPECT_THAT(matches(R"(\p{L}+)", "a b\u00E9 \u6211"), ElementsAre(TextSpan{0, 1}, TextSpan{2, 5}, TextSpan{6, 9}));
  EXPECT_THAT(matches("x", "abc"), IsEmpty());
  EXPECT_THAT(matches("a", ""), IsEmpty());
}

TEST(Regex, TakesEmptyMatchesButNotRightBehindAnother) {
  EXPECT_THAT(matches("b*", "abba"), ElementsAre(TextSpan{0, 0}, TextSpan{1, 3}, TextSpan{4, 4}));
}

TEST(Regex, LiteralsStandForThemselves) {
  EXPECT_THAT(Regex::literal(".*\u00E9|", "test").find_all("a.*\u00E9|"), ElementsAre(TextSpan{1, 6}));
}

TEST(Regex, RefusesWhatItDoesNotUnderstand) {
  const auto failure = [](const std::string& pattern) -> std::string {
    try {
      Regex(pattern, "file: invalid pattern");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(failure("a(b"), AllOf(HasSubstr("file: invalid pattern"), HasSubstr("'a(b'"), HasSubstr("byte 3")));
  EXPECT_THAT(failure("\\p{Nonsense}"), HasSubstr("'\\p{Nonsense}'"));
  EXPECT_THAT(failure("\\h+"), HasSubstr("without \\h"));
}

TEST(Regex, EndsWithAnErrorWhereAPatternTakesForEver) {
  const Regex pattern("(a|aa)+$", "test");
  EXPECT_THROW(pattern.find_all(std::string(5000, 'a') + "b"), Error);
}

}  // namespace
}  // namespace transformeter
