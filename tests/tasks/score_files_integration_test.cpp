// The published prediction files score as the official SQuAD script says.
#include "tasks/score_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "support/shared_data.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

TEST(ScoreFiles, EqualTheOfficialSquadScores) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const auto folder = shared_data() / "squad";
  const Json expected = parse_json("expected-scores.json", read_file(folder / "expected-scores.json"));
  ASSERT_EQ(expected.at("predictions").size(), 2u);
  for (const auto& [file, scores] : expected.at("predictions").items()) {
    const FileScore result =
        score_files({Task::kQuestionAnswering, (folder / "dev-v1.1.json").string(), (folder / file).string(), {}});
    ASSERT_EQ(result.report.scores.at(0).name, "exact_match");
    ASSERT_EQ(result.report.scores.at(1).name, "f1");
    EXPECT_NEAR(100 * result.report.scores[0].estimate.value, scores.at("exact_match").get<double>(), 1e-9) << file;
    EXPECT_NEAR(100 * result.report.scores[1].estimate.value, scores.at("f1").get<double>(), 1e-9) << file;
    EXPECT_EQ(result.report.scores[0].estimate.n, 10570u);
    for (const Score& score : result.report.scores) {
      EXPECT_LT(score.estimate.interval->low, score.estimate.value);
      EXPECT_GT(score.estimate.interval->high, score.estimate.value);
    }
    if (!scores.contains("missing")) {
      EXPECT_TRUE(result.report.notes.empty());
      continue;
    }
    ASSERT_EQ(result.report.notes.size(), 2u);
    EXPECT_THAT(result.report.notes[0],
                testing::StartsWith(std::to_string(scores.at("missing").get<int>()) + " questions"));
    EXPECT_THAT(result.report.notes[1],
                testing::StartsWith(std::to_string(scores.at("ids_not_in_dataset").get<int>()) + " predictions"));
  }
}

TEST(ScoreFiles, SayHowManyTextsAreBlank) {
  const TemporaryFolder folder;
  const std::string data = folder.write("a.csv", "text,label\na,0\n,1\n\"  \",0\n").string();
  const std::string predictions = folder.write("p.txt", "0\n1\n0\n").string();
  const FileScore result = score_files({Task::kSequenceClassification, data, predictions, {}});
  EXPECT_THAT(result.report.notes, testing::ElementsAre("blank texts: 2 of 3"));
}

TEST(ScoreFiles, RefuseLogProbabilitiesOfAnotherText) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const TemporaryFolder folder;
  const std::string data = (shared_data() / "wikitext-2/test.txt").string();
  const auto failure = [&](const std::string& lists) -> std::string {
    try {
      score_files({Task::kCausalLm, data, folder.write("lp.jsonl", lists).string(), {}});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(failure("[-1, -2, -3, -4]\n"),
              testing::HasSubstr("4 log probabilities cannot belong to the 1256449 bytes"));
  EXPECT_THAT(failure("[-1]\n[-2]\n"), testing::HasSubstr("2 lists of log probabilities"));
}

TEST(ScoreFiles, GiveATaggedFileAgainstItselfAFullScore) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const std::string file = (shared_data() / "wnut17/emerging.test.annotated").string();
  const FileScore result = score_files({Task::kTokenClassification, file, file, {}});
  EXPECT_EQ(result.report.scores.at(0).estimate.value, 1);
  EXPECT_EQ(result.report.scores.size(), 4u + 6u) << "six types";
  EXPECT_FALSE(result.report.scores.at(0).estimate.interval) << "without an error there is nothing to resample";
  EXPECT_EQ(result.report.scores.at(0).why_no_interval, "no spread between the sentences");
}

}  // namespace
}  // namespace transformeter
