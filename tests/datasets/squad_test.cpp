// Both forms of SQuAD and the places of what is wrong in them.
#include "datasets/squad.h"

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
              AllOf(HasSubstr("qas[0].id: expected a string, not 7")));
  EXPECT_THAT(failure_of(article(R"({"question": "?", "answers": []})")), HasSubstr("qas[0]: the key 'id' is missing"));
  EXPECT_THAT(failure_of(article(R"({"id": "q", "question": "?", "answers": []},
                                    {"id": "q", "question": "?", "answers": []})")),
              AllOf(HasSubstr("qas[1].id"), HasSubstr("'q'"), HasSubstr("duplicate id")));
  EXPECT_THAT(failure_of(article(R"({"id": "q", "question": "?", "is_impossible": false, "answers": []})")),
              AllOf(HasSubstr("qas[0].is_impossible"), HasSubstr("0 answers")));
  EXPECT_THAT(failure_of(R"({"data": []})"), HasSubstr("data: no questions"));
  EXPECT_THAT(failure_of(R"({"data": {"a": 1}})"), HasSubstr("data: expected a list"));
  EXPECT_THAT(failure_of(R"([1])"), HasSubstr("f.json: expected an object"));
  EXPECT_THAT(failure_of(R"({"data": [{"paragraphs": [{"context": " ", "qas": []}]}]})"),
              HasSubstr("paragraphs[0].context: the context is empty"));
  EXPECT_THAT(failure_of(R"({"data": [{"id": "a", "question": "?", "context": "c",
                            "answers": {"text": ["c"], "answer_start": []}}]})"),
              HasSubstr("data[0].answers: 1 texts for 0"));
  EXPECT_THAT(failure_of("{\"data\": ["), HasSubstr("not valid JSON"));
}

TEST(Squad, GroupsQuestionsByArticleElseByParagraph) {
  const auto groups = [](std::string_view data) {
    const QuestionSet set = read_squad("f.json", fmt::format(R"({{"data": [{}]}})", data));
    std::string text = set.groups;
    for (const Question& question : set.questions) text += fmt::format(" {}", question.group);
    return text;
  };
  const auto paragraph = [](std::string_view id) {
    return fmt::format(R"({{"context": "c {0}", "qas": [{{"id": "{0}", "question": "?", "answers": []}}]}})", id);
  };
  EXPECT_EQ(groups(fmt::format(R"({{"paragraphs": [{}, {}]}}, {{"paragraphs": [{}]}})", paragraph("a"), paragraph("b"),
                               paragraph("c"))),
            "articles 0 0 1");
  const auto row = [](std::string_view id, std::string_view context, std::string_view title) {
    return fmt::format(R"({{"id": "{}", "question": "?", "context": "{}", "answers": []{}}})", id, context, title);
  };
  EXPECT_EQ(groups(row("a", "c", R"(, "title": "t")") + "," + row("b", "d", R"(, "title": "u")") + "," +
                   row("c", "e", R"(, "title": "t")")),
            "articles 0 1 0");
  EXPECT_EQ(groups(row("a", "c", "") + "," + row("b", "c", "") + "," + row("c", "d", "")), "paragraphs 0 0 1");
}

TEST(Squad, IsKnownByTheKeyDataWhereverItStands) {
  const std::string note(5000, 'x');
  EXPECT_TRUE(looks_like_squad(fmt::format(R"({{"note": "{} \"", "meta": {{"data": 1}}, "data" : [)", note)));
  EXPECT_FALSE(looks_like_squad(R"({"text": "a", "data": "b"})")) << "a row of JSON Lines";
  EXPECT_FALSE(looks_like_squad("{\"text\": \"a\"}\n{\"data\": []}")) << "the second object";
  EXPECT_FALSE(looks_like_squad(R"({"meta": {"data": []}})"));
  EXPECT_FALSE(looks_like_squad(R"({"text": "\"data\": ["})"));
  EXPECT_FALSE(looks_like_squad(R"(["data", [)"));
  EXPECT_FALSE(looks_like_squad("{\"data"));
}

}  // namespace
}  // namespace transformeter
