// Files of predictions, and every way they can fail to fit the data set.
#include "tasks/predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename Read>
std::string failure_of(Read read) {
  try {
    read();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

TEST(PredictedAnswers, AreOneObject) {
  EXPECT_THAT(read_predicted_answers("p", R"({"b": "x", "a": ""})"),
              ElementsAre(std::pair<const std::string, std::string>("a", ""),
                          std::pair<const std::string, std::string>("b", "x")));
  EXPECT_THAT(failure_of([] { read_predicted_answers("p", "[]"); }), AllOf(HasSubstr("p: "), HasSubstr("object")));
  EXPECT_THAT(failure_of([] { read_predicted_answers("p", R"({"a": 1})"); }),
              AllOf(HasSubstr("'a'"), HasSubstr("'1'")));
  EXPECT_THAT(failure_of([] { read_predicted_answers("p", R"({"a": "x", "a": "y"})"); }),
              AllOf(HasSubstr("id 'a'"), HasSubstr("once")));
}

std::vector<TaggedSentence> sentences() {
  return {{{"Ann", "B-p", 1}, {"ran", "O", 2}}, {{"so", "O", 4}}};
}

TEST(PredictedTags, AreReadWithAndWithoutTokens) {
  const auto all = sentences();
  EXPECT_THAT(read_predicted_tags("p", "B-p\nO\n\nO\n", all), ElementsAre(ElementsAre("B-p", "O"), ElementsAre("O")));
  EXPECT_THAT(read_predicted_tags("p", "Ann\tB-p\nran\tI-p\n\t\nso\tO\n", all),
              ElementsAre(ElementsAre("B-p", "I-p"), ElementsAre("O")));
  EXPECT_THAT(read_predicted_tags("p", "Ann O B-p\nran O O\n\nso O O\n", all).at(0), ElementsAre("B-p", "O"));
}

TEST(PredictedTags, NameWhatDoesNotFit) {
  const auto all = sentences();
  const auto failure = [&](std::string_view text) { return failure_of([&] { read_predicted_tags("p", text, all); }); };
  EXPECT_THAT(failure("B-p\nO\nO\n"), AllOf(HasSubstr("p:1:"), HasSubstr("3 tags"), HasSubstr("2 tokens")));
  EXPECT_THAT(failure("B-p\nO\n"), AllOf(HasSubstr("1 sentences"), HasSubstr("has 2")));
  EXPECT_THAT(failure("Ann\tB-p\nRan\tO\n\nso\tO\n"), AllOf(HasSubstr("p:2:"), HasSubstr("'Ran'"), HasSubstr("'ran'")));
  EXPECT_THAT(failure("B-p\nperson\n\nO\n"), HasSubstr("p:2: tag 'person'"));
}

TEST(LogProbabilities, AreListsOfNumbersNotAboveZero) {
  const auto texts = read_log_probabilities("p", "[null, -1.5, 0]\n\n{\"logprobs\": [-2, 0.00001]}\n");
  EXPECT_THAT(texts, ElementsAre(ElementsAre(-1.5, 0), ElementsAre(-2, 0)));
  EXPECT_THAT(failure_of([] { read_log_probabilities("p", "[-1]\n[-1, 0.5]\n"); }),
              AllOf(HasSubstr("p:2: [1]: 0.5"), HasSubstr("at most 0")));
  EXPECT_THAT(failure_of([] { read_log_probabilities("p", "{\"x\": []}"); }), HasSubstr("expected a list"));
  EXPECT_THAT(failure_of([] { read_log_probabilities("p", "[-1"); }), AllOf(HasSubstr("p:1:"), HasSubstr("JSON")));
}

TEST(TokenIds, AreListsOfWholeNumbers) {
  const std::vector<TokenIds> lines = read_token_ids("p", "[1, -100]\n\n{\"labels\": [3]}\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0].ids, ElementsAre(1, -100));
  EXPECT_EQ(lines[1].line, 3u);
  EXPECT_THAT(lines[1].ids, ElementsAre(3));
  EXPECT_THAT(failure_of([] { read_token_ids("p", "[1.5]"); }), HasSubstr("p:1: [0]: 1.5 is not a token id"));
  EXPECT_THAT(failure_of([] { read_token_ids("p", "[99999999999]"); }), HasSubstr("not a token id"));
  EXPECT_THAT(failure_of([] { read_token_ids("p", "[18446744073709551615]"); }), HasSubstr("not a token id"))
      << "2^64 - 1 is not -1";
}

}  // namespace
}  // namespace transformeter
