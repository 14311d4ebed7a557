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

class Spoken : public testing::Test {
 protected:
  Spoken() {
    for (const char* name : {"a.wav", "b.wav", "c.wav"}) folder_.write(name, name);
    folder_.write("s.tsv", "id\tpath\tsentence\n1\ta.wav\tone two three\n2\tb.wav\tfour\n3\tc.wav\t\n");
  }
  FileScore scored(const std::string& predictions, const std::string& data = "s.tsv",
                   const DataOptions& options = {}) const {
    return score_files({Task::kSpeechRecognition, (folder_.path() / data).string(),
                        folder_.write("p.txt", predictions).string(), options});
  }
  std::string failure(const std::string& predictions, const std::string& data = "s.tsv") const {
    try {
      scored(predictions, data);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
};

// One deletion and one insertion for four words.
TEST_F(Spoken, AreScoredFromListsTablesAndJsonLines) {
  for (const char* const predictions :
       {"one two\nfour\nnoise\n", "id,prediction\n1,one two\n2,four\n3,noise\n",
        "path\tsentence\tpred\nelsewhere/a.wav\tone two three\tone two\nb.wav\tfour\tfour\nc.wav\t\tnoise\n",
        "{\"id\": \"1\", \"prediction\": \"one two\"}\n{\"id\": \"2\", \"prediction\": \"four\"}\n"
        "{\"id\": \"3\", \"prediction\": \"noise\"}\n"}) {
    const FileScore result = scored(predictions);
    EXPECT_EQ(result.report.scores.at(0).name, "word_error_rate");
    EXPECT_DOUBLE_EQ(result.report.scores.at(0).estimate.value, 2 / 4.0) << predictions;
    EXPECT_DOUBLE_EQ(result.report.scores.at(1).estimate.value, (6 + 5) / 17.0) << predictions;
    EXPECT_EQ(result.data_sha256.size(), 64u);
  }
}

TEST_F(Spoken, AreRefusedWhereTheyDoNotFit) {
  EXPECT_THAT(failure("one\ntwo\n"), testing::HasSubstr("only 2 predictions, but"));
  EXPECT_THAT(failure("a\nb\nc\nd\n"), testing::HasSubstr("4 predictions for the 3 examples"));
  EXPECT_THAT(failure("id,prediction\n1,a\n9,b\n3,c\n"), testing::HasSubstr("the id is '9'"));
  EXPECT_THAT(failure("{\"prediction\": \"a\"}\n{}\n{\"prediction\": \"\"}\n"),
              testing::HasSubstr("the prediction (column 'prediction') is missing"));
  folder_.write("bare.csv", "path,speaker\na.wav,ann\n");
  EXPECT_THAT(failure("a\n", "bare.csv"),
              testing::AllOf(testing::HasSubstr("none of the columns (path, speaker) is known to hold transcripts"),
                             testing::HasSubstr("transcript, transcription"), testing::HasSubstr("--label-column")));
  std::filesystem::create_directories(folder_.path() / "f/x");
  std::filesystem::create_directories(folder_.path() / "f/y");
  folder_.write("f/x/a.wav", "a");
  folder_.write("f/y/a.wav", "a");
  EXPECT_THAT(failure("a\nb\n", "f"), testing::HasSubstr("only a table has transcripts"));
}

TEST(ScoreFiles, OfRealSpeechAgainstItselfHaveNoErrors) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const std::string file = (shared_data() / "audio/transcripts.tsv").string();
  ScoreRequest request{Task::kSpeechRecognition, file, file, {}};
  request.prediction_column = "transcript";
  const FileScore result = score_files(request);
  EXPECT_EQ(result.report.scores.at(0).estimate.value, 0);
  EXPECT_EQ(result.report.scores.at(0).estimate.n, 112u);
  EXPECT_EQ(result.report.scores.at(0).why_no_interval, "no spread between the sounds");
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
