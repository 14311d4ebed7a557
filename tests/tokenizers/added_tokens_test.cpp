// Added tokens in a text, and what is said of those that do not fit the vocabulary.
#include "tokenizers/added_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "tokenizers/reference_streams.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

// One digit a code point, as scripts/references/single_word_reference.py writes them. All of them in one text, apart by
// line breaks, which are no word.
std::string found_beside(const std::string& before, const std::string& behind) {
  const AddedToken token{.content = "<t>", .id = 1, .single_word = true};
  std::string text;
  std::string found;
  std::vector<std::size_t> starts;  // of the token, by code point
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    text += "\n" + before;
    if (before.empty()) {
      append_utf8(c, text);
      starts.push_back(text.size());
      text += behind;
    } else {
      starts.push_back(text.size() - before.size());
      append_utf8(c, text);
    }
  }
  text += "\n";
  std::set<std::size_t> places;
  for (const TextPart& part : AddedTokenFinder({token}).cut(text)) {
    if (part.id == 1) places.insert(static_cast<std::size_t>(part.text.data() - text.data()));
  }
  for (const std::size_t start : starts) found += places.contains(start) ? '1' : '0';
  return found;
}

TEST(AddedTokenFinder, FindsASingleWordBesideTheCharactersThatHuggingFaceDoes) {
  const Json expected = reference("single_word.json");
  const std::string before = found_beside("", "<t>");
  EXPECT_EQ(std::count(before.begin(), before.end(), '1'), expected.at("before").at("found").get<std::int64_t>());
  EXPECT_EQ(sha256_hex(before), expected.at("before").at("sha256").get<std::string>());
  EXPECT_EQ(sha256_hex(found_beside("<t>", "")), expected.at("behind").at("sha256").get<std::string>());
}

TEST(CheckAddedTokens, ShowsTheBeginningOfALongOne) {
  Vocabulary words(1);
  const std::string known(1'000'000, 'x');
  words.insert(known, 0);
  try {
    check_added_tokens({{.content = std::string(1'000'000, 'y'), .id = 0}}, words, "f");
    FAIL();
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 500u);
    EXPECT_THAT(error.what(), testing::HasSubstr("which belongs to 'xxx"));
  }
}

}  // namespace
}  // namespace transformeter
