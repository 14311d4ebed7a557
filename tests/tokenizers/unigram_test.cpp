// The Unigram model on vocabularies small enough to reckon by hand.
#include "tokenizers/unigram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<const TokenModel> model_of(const Json& vocab, const Json& more = Json::object()) {
  Json json = {{"type", "Unigram"}, {"unk_id", 0U}, {"vocab", vocab}};
  json.update(more);
  return make_unigram(ComponentJson(json, "m"));
}

struct Encoded {
  std::vector<std::int32_t> ids;
  std::vector<TextSpan> spans;
};
Encoded encode(const TokenModel& model, std::string_view text) {
  Encoded encoded;
  model.encode_piece(text, encoded.ids, &encoded.spans);
  return encoded;
}

const Json kWords =
    Json::parse(R"([["<unk>", 0], ["a", -1], ["b", -1], ["ab", -1.5], ["abc", -4], ["c", -2], ["bc", -9]])");

TEST(Unigram, TakesTheHighestSumOfScores) {
  const auto model = model_of(kWords);
  // ab + c = -3.5 beats abc = -4, a + b + c = -4 and a + bc = -10.
  EXPECT_THAT(encode(*model, "abc").ids, ElementsAre(3, 5));
  EXPECT_THAT(encode(*model, "abc").spans, ElementsAre(TextSpan{0, 2}, TextSpan{2, 3}));
}

TEST(Unigram, KeepsTheFirstWayFoundWhenSumsAreEqual) {
  const auto model = model_of(Json::parse(R"([["<unk>", 0], ["a", -1], ["aa", -2]])"));
  EXPECT_THAT(encode(*model, "aa").ids, ElementsAre(2)) << "the way ending at 2 found first is aa, from 0";
}

TEST(Unigram, JoinsNeighbouringUnknownCharacters) {
  const auto model = model_of(kWords);
  const Encoded encoded = encode(*model, "ax\xC3\xA9yb");
  EXPECT_THAT(encoded.ids, ElementsAre(1, 0, 2));
  EXPECT_THAT(encoded.spans, ElementsAre(TextSpan{0, 1}, TextSpan{1, 5}, TextSpan{5, 6}));
}

TEST(Unigram, FallsBackToBytesOnlyWhenAllOfThemAreThere) {
  const Json with_bytes = Json::parse(R"([["<unk>", 0], ["a", -1], ["<0xC3>", 0], ["<0xA9>", 0]])");
  const auto model = model_of(with_bytes, {{"byte_fallback", true}});
  const Encoded encoded = encode(*model, "a\xC3\xA9");
  EXPECT_THAT(encoded.ids, ElementsAre(1, 2, 3));
  EXPECT_THAT(encoded.spans, ElementsAre(TextSpan{0, 1}, TextSpan{1, 3}, TextSpan{1, 3}));
  EXPECT_THAT(encode(*model, "\xC3\xA9\xC3\xA8").ids, ElementsAre(0)) << "0xA8 is missing, and both are one unknown";
  EXPECT_THAT(encode(*model_of(with_bytes), "\xC3\xA9").ids, ElementsAre(0)) << "byte_fallback is off";
}

TEST(Unigram, RefusesUnknownTextWithoutAnUnknownToken) {
  const auto model = model_of(kWords, {{"unk_id", nullptr}});
  EXPECT_THAT(encode(*model, "ab").ids, ElementsAre(3));
  EXPECT_THROW(encode(*model, "x"), Error);
}

TEST(Unigram, TakesALongLineInOnePiece) {
  const auto model = model_of(kWords);
  std::string text;
  for (int i = 0; i < 300000; ++i) text += "abc";
  EXPECT_EQ(encode(*model, text).ids.size(), 600000u);
}

std::string error_of(const Json& vocab, const Json& more = Json::object()) {
  try {
    model_of(vocab, more);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Unigram, NamesWhatIsWrongWithAVocabulary) {
  EXPECT_THAT(error_of(Json::array()), HasSubstr("vocab has 0 tokens; allowed: 1 to"));
  EXPECT_THAT(error_of(Json::parse(R"([["a", 0]])"), {{"unk_id", 1U}}), HasSubstr("unk_id is 1; allowed: 0 to 0"));
  EXPECT_THAT(error_of(Json::parse(R"([["a", 0], ["b", null]])")), HasSubstr("vocab[1]"));
  EXPECT_THAT(error_of(Json::parse(R"([["a", 0], ["a", 1]])")), HasSubstr("'a' occurs twice"));
  EXPECT_THAT(error_of(Json::parse(R"([["a", 0]])"), {{"alpha", 0.1}}), HasSubstr("alpha"));
}

TEST(PieceTrie, FindsAllWordsThatBeginAText) {
  Vocabulary words;
  for (const auto& [word, id] : {std::pair{"b", 0}, {"ab", 1}, {"abc", 2}, {"abd", 3}, {"\xFF", 4}})
    words.insert(word, id);
  const PieceTrie trie(words);
  std::vector<std::pair<std::int32_t, std::size_t>> found;
  trie.for_each_prefix("abdx", [&](std::int32_t id, std::size_t length) { found.emplace_back(id, length); });
  EXPECT_THAT(found, ElementsAre(std::pair{1, std::size_t{2}}, std::pair{3, std::size_t{3}}));
}

}  // namespace
}  // namespace transformeter
