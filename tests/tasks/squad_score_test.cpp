// The official rules, step by step.
#include "tasks/squad_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tasks/python_text.h"
#include "tasks/score_reference.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PythonText, LowersEveryCharacterAsPython) {
  const Json& lower = score_reference().at("lower");
  const std::u32string from = decode_utf8(lower.at("from").get<std::string>());
  const std::u32string to = decode_utf8(lower.at("to").get<std::string>());
  ASSERT_EQ(from.size(), to.size());
  ASSERT_GT(from.size(), 1300u);
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_EQ(python_lower(from.substr(i, 1)), to.substr(i, 1)) << std::hex << static_cast<std::uint32_t>(from[i]);
  }
  for (const Json& word : lower.at("words")) {
    EXPECT_EQ(encode_utf8(python_lower(decode_utf8(word.at(0).get<std::string>()))), word.at(1).get<std::string>());
  }
}

TEST(NormalizeAnswer, LowersAndDropsPunctuationArticlesAndBlanks) {
  EXPECT_EQ(normalize_answer("The  Denver\tBroncos!"), "denver broncos");
  EXPECT_EQ(normalize_answer("a.k.a. an A-Team"), "aka ateam") << "punctuation goes before words are looked at";
  EXPECT_EQ(normalize_answer("theatre and athens"), "theatre and athens");
  EXPECT_EQ(normalize_answer("the"), "");
  EXPECT_EQ(normalize_answer("$1,000 a_b"), "1000 ab");
  EXPECT_EQ(normalize_answer("“the” – A"), "“ ” –") << "other punctuation stays";
  EXPECT_EQ(normalize_answer("thé a\u0301"), "thé \u0301") << "a combining mark is no word character";
  EXPECT_EQ(normalize_answer("x\u00A0\u3000y"), "x y") << "Unicode's blanks";
}

AnswerScore score(std::string_view predicted, std::vector<std::string> truths, SquadRules rules) {
  std::vector<Answer> answers;
  for (std::string& truth : truths) answers.push_back({std::move(truth), 0});
  return score_answer(predicted, answers, rules);
}

TEST(ScoreAnswer, TakesTheBestOfAllAnswers) {
  const AnswerScore best = score("Denver Broncos team", {"Broncos", "the Denver Broncos"}, SquadRules::kV1);
  EXPECT_FALSE(best.exact);
  EXPECT_DOUBLE_EQ(best.f1, 2 * (2.0 / 3) * 1 / (2.0 / 3 + 1));
  EXPECT_TRUE(score("the 'Broncos'", {"x", "broncos"}, SquadRules::kV1).exact);
  EXPECT_DOUBLE_EQ(score("b b c", {"b c c"}, SquadRules::kV1).f1, 2.0 / 3) << "bags of words: b and c once each";
}

TEST(ScoreAnswer, DiffersBetweenTheVersionsWhereNothingIsLeft) {
  EXPECT_TRUE(score("the", {"a"}, SquadRules::kV1).exact);
  EXPECT_EQ(score("the", {"a"}, SquadRules::kV1).f1, 0) << "no common words";
  EXPECT_EQ(score("", {}, SquadRules::kV2).f1, 1);
  EXPECT_TRUE(score("", {}, SquadRules::kV2).exact);
  EXPECT_EQ(score("something", {}, SquadRules::kV2).f1, 0);
  EXPECT_EQ(score("", {"x"}, SquadRules::kV2).f1, 0);
  EXPECT_FALSE(score("", {"the", "x"}, SquadRules::kV2).exact) << "an answer of nothing but articles is left out";
}

QuestionSet questions() {
  QuestionSet set;
  set.contexts = {"c"};
  set.questions = {
      {"q1", "?", 0, 0, {{"one two", 0}}}, {"q2", "?", 0, 0, {{"three", 0}}}, {"q3", "?", 0, 0, {{"four", 0}}}};
  return set;
}

TEST(ScoreQuestionAnswering, CountsMissingAsNothingAndLeavesOutTheUnknown) {
  const ScoreReport report = score_question_answering(questions(), {{"q1", "one"}, {"q3", "four"}, {"q9", "x"}});
  EXPECT_EQ(report.rules, "SQuAD v1.1");
  ASSERT_EQ(report.scores.size(), 2u);
  EXPECT_DOUBLE_EQ(report.scores[0].estimate.value, 1.0 / 3);
  EXPECT_DOUBLE_EQ(report.scores[1].estimate.value, (2.0 / 3 + 1) / 3);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("1 questions have no prediction and count as 0, first 'q2'"),
                                        HasSubstr("1 predictions do not match any question")));
}

TEST(ScoreQuestionAnswering, PartsAnswerableAndUnanswerableQuestions) {
  QuestionSet set = questions();
  set.questions[2].answers.clear();
  set.has_unanswerable = true;
  const ScoreReport report = score_question_answering(set, {{"q1", "one two"}, {"q2", ""}, {"q3", ""}});
  EXPECT_EQ(report.rules, "SQuAD v2.0");
  ASSERT_EQ(report.scores.size(), 6u);
  EXPECT_DOUBLE_EQ(report.scores[0].estimate.value, 2.0 / 3);
  EXPECT_EQ(report.scores[2].group, "answerable");
  EXPECT_DOUBLE_EQ(report.scores[2].estimate.value, 0.5);
  EXPECT_EQ(report.scores[5].group, "unanswerable");
  EXPECT_DOUBLE_EQ(report.scores[5].estimate.value, 1);
}

// Where evaluate-v2.0 prints "Missing prediction for …", it goes on: its total is the number of questions that have
// one.
TEST(ScoreQuestionAnswering, LeavesMissingOutByTheRulesOfVersionTwo) {
  QuestionSet set = questions();
  set.questions[2].answers.clear();
  set.has_unanswerable = true;
  const ScoreReport report = score_question_answering(set, {{"q1", "one"}, {"q3", ""}, {"q9", "x"}});
  ASSERT_EQ(report.scores.size(), 6u);
  // q1: exact 0; precision 1 of 1, recall 1 of 2, so F1 2/3. q2 is missing. q3: exact 1, F1 1.
  EXPECT_DOUBLE_EQ(report.scores[0].estimate.value, 1.0 / 2);
  EXPECT_EQ(report.scores[0].estimate.n, 2u);
  EXPECT_DOUBLE_EQ(report.scores[1].estimate.value, (2.0 / 3 + 1) / 2);
  EXPECT_EQ(report.scores[1].estimate.n, 2u);
  EXPECT_EQ(report.scores[3].group, "answerable");
  EXPECT_DOUBLE_EQ(report.scores[3].estimate.value, 2.0 / 3);
  EXPECT_EQ(report.scores[3].estimate.n, 1u);
  EXPECT_DOUBLE_EQ(report.scores[5].estimate.value, 1);
  EXPECT_THAT(report.notes, ElementsAre("1 questions have no prediction and are omitted, first 'q2'",
                                        "1 predictions do not match any question and are ignored"));
}

TEST(ScoreQuestionAnswering, RefusesPredictionsOfOtherQuestions) {
  for (const bool is_version_two : {false, true}) {
    QuestionSet set = questions();
    set.has_unanswerable = is_version_two;
    try {
      score_question_answering(set, {{"q9", "x"}});
      FAIL() << "not one answer is scored";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr("none of the 3 questions has a prediction (first: 'q1')"));
      EXPECT_THAT(error.what(), HasSubstr("the id 'q9'"));
    }
  }
}

// Twenty articles of fifty questions, all answered right in every second article: the spread is that of 20 coins, with
// a standard error of sqrt(1/4/20) = 0.11, not of 1,000 questions, 0.016.
TEST(ScoreQuestionAnswering, DrawsArticlesForItsIntervals) {
  QuestionSet set;
  set.contexts = {"c"};
  std::map<std::string, std::string> predictions;
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::size_t article = i / 50;
    set.questions.push_back({std::to_string(i), "?", 0, article, {{"yes", 0}}});
    predictions[std::to_string(i)] = article % 2 == 0 ? "yes" : "no";
  }
  const ScoreReport report = score_question_answering(set, predictions);
  for (const Score& score : report.scores) {
    EXPECT_EQ(score.estimate.value, 0.5);
    EXPECT_EQ(score.interval_units, "articles");
    EXPECT_EQ(score.interval_method, IntervalMethod::kPercentileBootstrap);
    ASSERT_TRUE(score.estimate.interval);
    EXPECT_NEAR(score.estimate.interval->low, 0.5 - 1.96 * 0.112, 0.06);
    EXPECT_NEAR(score.estimate.interval->high, 0.5 + 1.96 * 0.112, 0.06);
  }
}

}  // namespace
}  // namespace transformeter
