// Accuracy as counts, and macro F1 against scikit-learn.
#include "tasks/accuracy.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "stats/proportion.h"
#include "tasks/score_reference.h"

namespace transformeter {
namespace {

TEST(CountCorrect, CountsLabelledExamplesOnlyAndAddsUp) {
  AccuracyCount count = count_correct({1, 0, 1}, {1, 1, std::nullopt});
  EXPECT_EQ(count.correct, 1);
  EXPECT_EQ(count.labelled, 2);
  count += count_correct({0, 0}, {0, 0});
  EXPECT_DOUBLE_EQ(count.ratio().value(), 3.0 / 4.0);
}

TEST(CountCorrect, HasNoRatioWithoutLabels) {
  EXPECT_EQ(count_correct({1}, {std::nullopt}).ratio(), std::nullopt);
  EXPECT_EQ(AccuracyCount().ratio(), std::nullopt);
}

TEST(CountCorrect, RefusesUnequalSizes) {
  EXPECT_THROW(count_correct({1}, {}), Error);
}

TEST(ScoreClassification, EqualsScikitLearn) {
  for (const Json& one : score_reference().at("classification")) {
    const auto labels = one.at("labels").get<std::vector<int>>();
    const auto predicted = one.at("predicted").get<std::vector<int>>();
    const ScoreReport report = score_classification(predicted, labels);
    EXPECT_NEAR(report.scores.at(0).estimate.value, one.at("accuracy").get<double>(), 1e-12);
    EXPECT_NEAR(report.scores.at(1).estimate.value, one.at("macro_f1").get<double>(), 1e-12);
  }
}

TEST(ScoreClassification, GivesIntervalsThatHoldTheValue) {
  std::vector<int> labels;
  std::vector<int> predicted;
  for (int i = 0; i < 200; ++i) {
    labels.push_back(i % 4);
    predicted.push_back(i % 5 == 0 ? (i + 1) % 4 : i % 4);
  }
  const ScoreReport report = score_classification(predicted, labels);
  EXPECT_EQ(report.scores[0].name, "accuracy");
  EXPECT_DOUBLE_EQ(report.scores[0].estimate.value, 0.8);
  EXPECT_DOUBLE_EQ(report.scores[0].estimate.interval->low, estimate_proportion(160, 200)->interval->low);
  const Score& f1 = report.scores[1];
  EXPECT_EQ(f1.name, "macro_f1");
  EXPECT_DOUBLE_EQ(f1.estimate.value, 0.8) << "every class misses as many as it takes from another";
  ASSERT_TRUE(f1.estimate.interval);
  // The bootstrap's spread of a share of 0.8 over 200 examples is about 0.028; macro F1 is close to it.
  EXPECT_NEAR(f1.estimate.interval->low, 0.8 - 1.96 * 0.028, 0.015);
  EXPECT_NEAR(f1.estimate.interval->high, 0.8 + 1.96 * 0.028, 0.015);
  EXPECT_EQ(score_classification(predicted, labels).scores[1].estimate.interval->low, f1.estimate.interval->low);
  const ScoreReport few = score_classification({1, 0}, {1, 1});
  EXPECT_FALSE(few.scores[1].estimate.interval);
  EXPECT_FALSE(few.scores[1].why_no_interval.empty());
}

TEST(ScoreMaskedLm, LeavesOutPositionsWithoutALabel) {
  const ScoreReport report = score_masked_lm({7, 8, 9, 1}, {7, kNoLabel, 3, 1});
  EXPECT_DOUBLE_EQ(report.scores[0].estimate.value, 2.0 / 3);
  EXPECT_EQ(report.scores[0].estimate.n, 3u);
  EXPECT_THROW(score_masked_lm({7}, {kNoLabel}), Error);
}

TEST(ScoreClassification, StopsWhenAsked) {
  const std::vector<int> labels(100, 1);
  int resamples = 0;
  const auto stop = [&] {
    if (++resamples == 3) throw Error(ErrorKind::kInterrupted, "stopped");
  };
  EXPECT_THROW(score_classification(labels, labels, stop), Error);
  EXPECT_EQ(resamples, 3);
}

}  // namespace
}  // namespace transformeter
