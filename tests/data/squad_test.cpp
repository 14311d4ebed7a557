// Both forms of SQuAD and the places of what is wrong in them.
#include "data/squad.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string failure_of(std::string_view text) {
  try {
    read_squad("f.json", text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return "";
}

// One article of one paragraph with these questions.
std::string article(std::string_view questions) {
  return fmt::format(R"({{"version": "1.1", "data": [{{"title": "t", "paragraphs":
      [{{"context": "Über Köln fließt nichts.", "qas": [{}]}}]}}]}})",
                     questions);
}

TEST(Squad, CountsAnswerStartsInCodePoints) {
  const QuestionSet set = read_squad("f.json", article(R"({"id": "q1", "question": "Wo?",
      "answers": [{"text": "Köln", "answer_start": 5}, {"text": "Über Köln", "answer_start": 0}]})"));
  ASSERT_EQ(set.questions.size(), 1u);
  EXPECT_EQ(set.questions[0].id, "q1");
  EXPECT_EQ(set.questions[0].answers[0].text, "Köln");
  EXPECT_EQ(set.contexts.at(set.questions[0].context), "Über Köln fließt nichts.");
  EXPECT_FALSE(set.has_unanswerable);
}

TEST(Squad, ReadsFlatRowsAndSharesTheirContexts) {
  const QuestionSet set = read_squad("f.json", R"({"version": 2.0, "data": [
      {"id": "a", "question": "Who?", "context": "Ann did.", "answers": {"text": ["Ann"], "answer_start": [0]}},
      {"id": "b", "question": "Why?", "context": "Ann did.", "answers": {"text": [], "answer_start": []}}]})");
  EXPECT_EQ(set.contexts.size(), 1u);
  EXPECT_EQ(set.questions[1].context, 0u);
  EXPECT_TRUE(set.questions[1].answers.empty());
  EXPECT_TRUE(set.has_unanswerable) << "version 2 rules";
}

TEST(Squad, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(failure_of(article(R"({"id": "q", "question": "?", "answers": [{"text": "Köln", "answer_start": 6}]})")),
              AllOf(HasSubstr("f.json: data[0].paragraphs[0].qas[0].answers[0]: "), HasSubstr("'Köln'"),
                    HasSubstr("character 6"), HasSubstr("'öln fließt")));
  EXPECT_THAT(
      failure_of(article(R"({"id": "q", "question": "?", "answers": [{"text": "Köln", "answer_start": 999}]})")),
      HasSubstr("character 999"));
  EXPECT_THAT(failure_of(article(R"({"id": "q", "question": "?", "answers": [{"text": "Köln", "answer_start": -1}]})")),
              AllOf(HasSubstr("answers[0].answer_start"), HasSubstr("-1")));
  EXPECT_THAT(failure_of(article(R"({"id": 7, "question": "?", "answers": []})")),
              AllOf(HasSubstr("qas[0].id: a text is expected, not 7")));
  EXPECT_THAT(failure_of(article(R"({"question": "?", "answers": []})")), HasSubstr("qas[0]: the key 'id' is missing"));
  EXPECT_THAT(failure_of(article(R"({"id": "q", "question": "?", "answers": []},
                                    {"id": "q", "question": "?", "answers": []})")),
              AllOf(HasSubstr("qas[1].id"), HasSubstr("'q'"), HasSubstr("above already")));
  EXPECT_THAT(failure_of(article(R"({"id": "q", "question": "?", "is_impossible": false, "answers": []})")),
              AllOf(HasSubstr("qas[0].is_impossible"), HasSubstr("0 answers")));
  EXPECT_THAT(failure_of(R"({"data": []})"), HasSubstr("data: there are no questions"));
  EXPECT_THAT(failure_of(R"({"data": {"a": 1}})"), HasSubstr("data: a list is expected"));
  EXPECT_THAT(failure_of(R"([1])"), HasSubstr("f.json: an object is expected"));
  EXPECT_THAT(failure_of(R"({"data": [{"paragraphs": [{"context": " ", "qas": []}]}]})"),
              HasSubstr("paragraphs[0].context: the context is empty"));
  EXPECT_THAT(failure_of(R"({"data": [{"id": "a", "question": "?", "context": "c",
                            "answers": {"text": ["c"], "answer_start": []}}]})"),
              HasSubstr("data[0].answers: 1 texts for 0"));
  EXPECT_THAT(failure_of("{\"data\": ["), HasSubstr("not valid JSON"));
}

}  // namespace
}  // namespace transformeter
