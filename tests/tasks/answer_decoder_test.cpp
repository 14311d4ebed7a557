// Answers from scores that can be added up by hand.
#include "tasks/answer_decoder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace transformeter {
namespace {

// "[CLS] who ? [SEP] Änn ran on [SEP]": the question's tokens and the special ones lie outside of the context.
constexpr std::string_view kContext = "\xC3\x84nn ran on";  // the first letter has two bytes
const std::vector<TextSpan> kCharacters = {{0, 0}, {0, 3}, {4, 5}, {0, 0}, {0, 3}, {4, 7}, {8, 10}, {0, 0}};
const std::vector<TextSpan> kBytes = {{0, 0}, {0, 3}, {4, 5}, {0, 0}, {0, 4}, {5, 8}, {9, 11}, {0, 0}};

AnswerWindow window(const std::vector<float>& start, const std::vector<float>& end) {
  return {start, end, {4, 7}, kCharacters, kBytes};
}

AnswerPrediction decode(const std::vector<float>& start, const std::vector<float>& end, AnswerOptions options = {}) {
  const AnswerWindow one = window(start, end);
  return decode_answer({&one, 1}, kContext, options);
}

TEST(AnswerDecoder, TakesTheLargestSumOfAStartAndALaterEnd) {
  // Tokens 5 and 6: 3 + 2. The question's own token 1 (9 + 9) and the reversed pair 5, 4 (3 + 4) are no answers.
  const AnswerPrediction answer = decode({0, 9, 0, 0, -5, 3, -5, 0}, {0, 9, 0, 0, 4, 1, 2, 0});
  EXPECT_EQ(answer.answer, "ran on");
  EXPECT_EQ(answer.place, (CharacterRange{4, 10}));
  EXPECT_EQ(answer.null_score, std::nullopt);
  // Six pairs: (4,4) -1, (4,5) -4, (4,6) -3, (5,5) 4, (5,6) 5, (6,6) -3.
  const double sum = std::exp(-1) + std::exp(-4) + std::exp(-3) + std::exp(4) + std::exp(5) + std::exp(-3);
  EXPECT_NEAR(answer.score, std::exp(5) / sum, 1e-12);
}

TEST(AnswerDecoder, CountsCharactersNotBytes) {
  const AnswerPrediction answer = decode({0, 0, 0, 0, 5, 0, 0, 0}, {0, 0, 0, 0, 5, 0, 0, 0});
  EXPECT_EQ(answer.answer, "\xC3\x84nn");
  EXPECT_EQ(answer.place, (CharacterRange{0, 3}));
}

TEST(AnswerDecoder, AllowsNoLongerAnswerThanAsked) {
  AnswerOptions options;
  options.max_answer_tokens = 2;
  // (4,6) is worth 10, but has 3 tokens; (4,5) 5 + 1.
  EXPECT_EQ(decode({0, 0, 0, 0, 5, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 5, 0}, options).answer, "\xC3\x84nn ran");
  options.max_answer_tokens = 3;
  EXPECT_EQ(decode({0, 0, 0, 0, 5, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 5, 0}, options).answer, kContext);
}

TEST(AnswerDecoder, LooksAtTheBestStartsAndEndsAlone) {
  AnswerOptions options;
  options.best_count = 1;
  // The best start and the best end lie in the question: nothing is left.
  const AnswerPrediction answer = decode({0, 9, 0, 0, 5, 0, 0, 0}, {0, 9, 0, 0, 5, 0, 0, 0}, options);
  EXPECT_EQ(answer.answer, "");
  EXPECT_EQ(answer.score, 0);
}

TEST(AnswerDecoder, KeepsNoAnswerWhereNothingElseIsBetter) {
  AnswerOptions options;
  options.allow_no_answer = true;
  const std::vector<float> start = {3, 0, 0, 0, 2, 0, 0, 0};
  const std::vector<float> end = {3, 0, 0, 0, 3, 0, 0, 0};
  const AnswerPrediction none = decode(start, end, options);
  EXPECT_EQ(none.answer, "");
  EXPECT_EQ(none.null_score, 6);
  EXPECT_EQ(none.place, (CharacterRange{0, 0}));
  // 6 against the pairs (4,4) 5, (4,5) 2, (4,6) 2, (5,5), (5,6) and (6,6) 0.
  EXPECT_NEAR(none.score, std::exp(6) / (std::exp(6) + std::exp(5) + 2 * std::exp(2) + 3), 1e-12);
  EXPECT_EQ(decode(start, end).answer, "\xC3\x84nn") << "SQuAD v1.1 has no such answer";
  // At equal worth the answer stays.
  EXPECT_EQ(decode({2, 0, 0, 0, 2, 0, 0, 0}, {3, 0, 0, 0, 3, 0, 0, 0}, options).answer, "\xC3\x84nn");
}

TEST(AnswerDecoder, CountsNoAnswerAmongTheBestEvenWhenItIsNot) {
  AnswerOptions options;
  options.allow_no_answer = true;
  options.best_count = 1;
  // The only pair, (4,4), is worth 10, no answer 0.
  const AnswerPrediction answer = decode({0, 0, 0, 0, 5, 0, 0, 0}, {0, 0, 0, 0, 5, 0, 0, 0}, options);
  EXPECT_EQ(answer.answer, "\xC3\x84nn");
  EXPECT_NEAR(answer.score, std::exp(10) / (std::exp(10) + 1), 1e-12);
}

TEST(AnswerDecoder, ChoosesAmongAllWindows) {
  const std::vector<float> low(8, 0);
  const std::vector<float> high_start = {1, 0, 0, 0, 0, 0, 4, 0};
  const std::vector<float> high_end = {1, 0, 0, 0, 0, 0, 4, 0};
  const std::vector<AnswerWindow> windows = {window(low, low), window(high_start, high_end)};
  AnswerOptions options;
  EXPECT_EQ(decode_answer(windows, kContext, options).answer, "on");
  options.allow_no_answer = true;
  EXPECT_EQ(decode_answer(windows, kContext, options).null_score, 0) << "the smallest of 0 and 2";
}

}  // namespace
}  // namespace transformeter
