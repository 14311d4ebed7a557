// Error rates against jiwer, from tests/data/scores/transcripts.json (scripts/references/transcript_reference.py).
#include "tasks/transcript_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

const Json& corpora() {
  static const Json reference =
      parse_json("transcripts.json", read_file(source_directory() / "tests/data/scores/transcripts.json"));
  return reference.at("corpora");
}

std::vector<TranscriptErrors> errors_of(const Json& corpus) {
  std::vector<TranscriptErrors> errors;
  for (std::size_t i = 0; i < corpus.at("references").size(); ++i) {
    errors.push_back(transcript_errors(corpus.at("references")[i].get<std::string>(),
                                       corpus.at("transcripts")[i].get<std::string>()));
  }
  return errors;
}

void expect_counts(const EditCount& count, const Json& expected, const std::string& pair) {
  EXPECT_EQ(count.edits, expected.at("edits").get<std::size_t>()) << pair;
  EXPECT_EQ(count.units, expected.at("units").get<std::size_t>()) << pair;
}

TEST(Transcripts, HaveTheEditsOfJiwer) {
  ASSERT_EQ(corpora().size(), 2U);
  for (const Json& corpus : corpora()) {
    const std::vector<TranscriptErrors> errors = errors_of(corpus);
    ASSERT_GE(errors.size(), 17U);
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const std::string pair = corpus.at("references")[i].dump() + " " + corpus.at("transcripts")[i].dump();
      expect_counts(errors[i].words, corpus.at("rows")[i].at("words"), pair);
      expect_counts(errors[i].characters, corpus.at("rows")[i].at("characters"), pair);
    }
  }
}

TEST(Transcripts, HaveTheRatesOfJiwer) {
  for (const Json& corpus : corpora()) {
    const ScoreReport report = score_transcripts(errors_of(corpus));
    ASSERT_EQ(report.scores.size(), 2U);
    EXPECT_EQ(report.task, Task::kSpeechRecognition);
    EXPECT_EQ(report.scores[0].name, "word_error_rate");
    EXPECT_EQ(report.scores[0].counts, "words");
    EXPECT_EQ(report.scores[1].counts, "characters");
    EXPECT_NEAR(report.scores[0].estimate.value, corpus.at("word_error_rate").get<double>(), 1e-12);
    EXPECT_NEAR(report.scores[1].estimate.value, corpus.at("character_error_rate").get<double>(), 1e-12);
    // What would pass for it: the mean of the sounds' own rates.
    EXPECT_GT(std::abs(report.scores[0].estimate.value - corpus.at("mean_of_word_error_rates").get<double>()), 0.02);
  }
}

TEST(Transcripts, OfOneLongAndOneShortSoundCountByWords) {
  // 1 of 9 words and 1 of 1: 2 / 10, where the mean of rates is 0.56.
  const std::vector<TranscriptErrors> errors{transcript_errors("a b c d e f g h i", "a b c d e f g h x"),
                                             transcript_errors("yes", "no")};
  const ScoreReport report = score_transcripts(errors);
  EXPECT_DOUBLE_EQ(report.scores[0].estimate.value, 0.2);
  EXPECT_EQ(report.scores[0].estimate.n, 10U);
  EXPECT_DOUBLE_EQ(report.scores[1].estimate.value, (1 + 3) / 20.0) << "spaces count: 17 and 3 characters";
  EXPECT_FALSE(report.scores[0].estimate.interval);
  EXPECT_FALSE(report.scores[0].why_no_interval.empty()) << "two sounds are too few";
}

TEST(Transcripts, HaveIntervalsOverSounds) {
  std::vector<TranscriptErrors> errors;
  for (int i = 0; i < 100; ++i) errors.push_back(transcript_errors("a b c d", i % 4 == 0 ? "a b c x" : "a b c d"));
  const Score score = score_transcripts(errors).scores[0];
  EXPECT_DOUBLE_EQ(score.estimate.value, 25 / 400.0);
  EXPECT_EQ(score.interval_units, "sounds");
  ASSERT_TRUE(score.estimate.interval);
  // Binomial: a standard error of √(0.25 · 0.75 / 100) / 4.
  EXPECT_NEAR(score.estimate.interval->low, 0.0625 - 1.96 * 0.0108, 0.006);
  EXPECT_NEAR(score.estimate.interval->high, 0.0625 + 1.96 * 0.0108, 0.006);
}

TEST(Transcripts, WithoutASingleWordHaveNoRate) {
  const ScoreReport report = score_transcripts({transcript_errors("", "noise"), transcript_errors(" ", "")});
  EXPECT_TRUE(std::isnan(report.scores[0].estimate.value)) << "jiwer would give the number of insertions";
  EXPECT_EQ(report.scores[0].estimate.n, 0U);
}

TEST(Transcripts, MayBeFartherFromTheTruthThanTheyAreLong) {
  EXPECT_DOUBLE_EQ(score_transcripts({transcript_errors("yes", "no no no")}).scores[0].estimate.value, 3);
}

TEST(Transcripts, MustBeUtf8) {
  EXPECT_THROW(transcript_errors("a", "\xFF"), Error);
}

}  // namespace
}  // namespace transformeter
