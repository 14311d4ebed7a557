// `score` through the real command: each task, both formats and refusals.
#include <gmock/gmock.h>

#include <cmath>

#include "cli/shell.h"
#include "support/shared_data.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Score : public CommandTest {
 protected:
  Json json_of(const std::string& arguments) {
    const ShellResult result = shell("$T score --format json " + arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return Json::parse(result.output, nullptr, false);
  }
};

TEST_F(Score, ScoresClassesByName) {
  folder_.write("data.csv", "text,intent\na,pay\nb,ask\nc,pay\nd,ask\n");
  folder_.write("classes.txt", "pay\nask\nask\nask\n");
  const Json json = json_of("--task sequence_classification --data data.csv --predictions classes.txt");
  EXPECT_EQ(json.at("scores").at(0).at("score"), "accuracy");
  EXPECT_EQ(json.at("scores").at(0).at("value"), 0.75);
  EXPECT_EQ(json.at("scores").at(0).at("n"), 4);
  EXPECT_EQ(json.at("scores").at(0).at("n_counts"), "examples");
  EXPECT_EQ(json.at("scores").at(0).at("interval_method"),
            Json({{"name", "wilson"}, {"level", 0.95}, {"units", "examples"}}));
  EXPECT_EQ(json.at("data").at("sha256").get<std::string>().size(), 64u);
  // pay: TP 1, FP 0, FN 1: 2/3; ask: TP 2, FP 1, FN 0: 4/5.
  EXPECT_DOUBLE_EQ(json.at("scores").at(1).at("value").get<double>(), (2.0 / 3 + 4.0 / 5) / 2);
  EXPECT_EQ(json.at("scores").at(1).at("interval"), Json());
  EXPECT_EQ(json.at("scores").at(1).at("why_no_interval"), "fewer than 10 examples");
  EXPECT_EQ(json.at("scores").at(1).at("interval_method"), Json({{"name", "percentile_bootstrap"},
                                                                 {"level", 0.95},
                                                                 {"units", "examples"},
                                                                 {"resamples", 2000},
                                                                 {"seed", 0}}));
}

TEST_F(Score, ShowsATableWithNotes) {
  folder_.write("data.json", R"({"data": [{"id": "a", "question": "Who?", "context": "Ann did.",
      "answers": {"text": ["Ann"], "answer_start": [0]}}, {"id": "b", "question": "Who?", "context": "Bob did.",
      "answers": {"text": ["Bob"], "answer_start": [0]}}]})");
  folder_.write("answers.json", R"({"a": "x", "c": "x"})");
  const ShellResult result = shell("$T score --task question_answering --data data.json --predictions answers.json");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("SQuAD v1.1"), HasSubstr("exact_match  all  0.000000"),
                    HasSubstr("fewer than 10 paragraphs  bootstrap of paragraphs  2 questions\n"),
                    HasSubstr("bootstrap: percentiles of 2000 resamples, seed 0\n"),
                    HasSubstr("note: 1 questions have no prediction"), HasSubstr("note: 1 predictions")));
}

TEST_F(Score, ShowsACorrelationThatThereIsNotAsMissing) {
  folder_.write("data.csv", "text,label\na,1\nb,2\nc,4\n");
  folder_.write("same.txt", "0.1\n0.1\n0.1\n");
  const std::string arguments = "--task regression --data data.csv --predictions same.txt";
  EXPECT_EQ(json_of(arguments).at("scores").at(0).at("value"), Json());
  const ShellResult result = shell("$T score " + arguments);
  EXPECT_THAT(result.output, AllOf(HasSubstr("pearson             all         -"), HasSubstr("note: no correlation"),
                                   Not(HasSubstr("nan"))));
}

TEST_F(Score, ScoresTagsAndTokens) {
  folder_.write("data.conll", "Ann\tB-p\nran\tO\n\nBob\tB-p\n");
  folder_.write("tags.txt", "B-p\nO\n\nO\n");
  EXPECT_DOUBLE_EQ(json_of("--task token_classification --data data.conll --predictions tags.txt")
                       .at("scores")
                       .at(0)
                       .at("value")
                       .get<double>(),
                   2.0 / 3);
  EXPECT_THAT(shell("$T score --task token_classification --data data.conll --predictions tags.txt").output,
              AllOf(HasSubstr("bootstrap of sentences  2 annotated entities\n"),
                    HasSubstr("bootstrap of sentences  1 predicted entities\n")));
  folder_.write("log.jsonl", "[null, -2, -4]\n");
  EXPECT_DOUBLE_EQ(json_of("--task causal_lm --predictions log.jsonl").at("scores").at(0).at("value").get<double>(),
                   std::exp(3.0));
  folder_.write("two.txt", "one line\nand another\n");
  EXPECT_THAT(shell("$T score --task causal_lm --data two.txt --predictions log.jsonl").output,
              HasSubstr("note: 2 tokens for 21 bytes of text: 10.50 bytes per token\n"));
  folder_.write("labels.jsonl", "[-100, 5, 6]\n");
  folder_.write("ids.jsonl", "[1, 5, 7]\n");
  EXPECT_EQ(json_of("--task masked_lm --data labels.jsonl --predictions ids.jsonl").at("scores").at(0).at("value"),
            0.5);
  EXPECT_THAT(shell("$T score --task masked_lm --data labels.jsonl --predictions ids.jsonl").output,
              AllOf(HasSubstr("Wilson  2 tokens with a label\n"), Not(HasSubstr("bootstrap"))));
}

TEST_F(Score, RefusesWhatDoesNotFit) {
  folder_.write("data.csv", "text,label\na,x\nb,y\n");
  folder_.write("classes.txt", "x\nz\n");
  const auto errors = [&](const std::string& arguments) {
    const ShellResult result = shell("$T score " + arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_TRUE(result.output.empty());
    return result.errors;
  };
  EXPECT_THAT(errors(""), AllOf(HasSubstr("--task"), HasSubstr("causal_lm")));
  EXPECT_THAT(errors("--task poetry --predictions classes.txt --data data.csv"), HasSubstr("'poetry'"));
  EXPECT_THAT(errors("--task sequence_classification --predictions classes.txt"), HasSubstr("--data"));
  EXPECT_THAT(errors("--task sequence_classification --data data.csv --predictions classes.txt"),
              AllOf(HasSubstr("classes.txt:2: class 'z'"), HasSubstr("x, y")));
  folder_.write("labels.jsonl", "[5, 6]\n\n[7]\n");
  folder_.write("ids.jsonl", "[5, 6]\n[7, 8]\n");
  folder_.write("none.jsonl", "[-100, -100]\n[-100]\n");
  EXPECT_THAT(errors("--task masked_lm --data labels.jsonl --predictions ids.jsonl"),
              HasSubstr("ids.jsonl:2: 2 token ids, but labels.jsonl:3 has 1"));
  EXPECT_THAT(errors("--task masked_lm --data none.jsonl --predictions labels.jsonl"),
              HasSubstr("none.jsonl: nothing to score"));
  EXPECT_THAT(errors("--task masked_lm --data labels.jsonl --predictions ids.jsonl --prediction-column x"),
              HasSubstr("does not use columns"));
  EXPECT_THAT(errors("--task question_answering --data data.csv --predictions classes.txt --labels classes.txt"),
              HasSubstr("does not use columns, splits or class lists"));
}

TEST_F(Score, GivesThePublishedSquadScores) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const std::string folder = (shared_data() / "squad/").string();
  const Json json = json_of("--task question_answering --data " + folder + "dev-v1.1.json --predictions " + folder +
                            "predictions-bert-ensemble-dev-v1.1.json");
  EXPECT_NEAR(json.at("scores").at(0).at("value").get<double>(), 0.8620624408703878, 1e-12);
  EXPECT_NEAR(json.at("scores").at(1).at("value").get<double>(), 0.9219557978351145, 1e-12);
}

}  // namespace
}  // namespace transformeter
