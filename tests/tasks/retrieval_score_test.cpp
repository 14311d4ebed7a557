// Recall of what belongs together, by hand.
#include "tasks/retrieval_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

// Of a query with the candidates 0 to 6.
void add(RetrievalRecall& recall, const std::vector<float>& similarities, const std::vector<std::size_t>& right,
         std::size_t unit) {
  recall.add(similarities, right, unit);
}

TEST(RetrievalRecall, CountsQueriesWhoseOwnIsAmongTheFirst) {
  RetrievalRecall recall("text_to_image", "captions", "images");
  add(recall, {9, 1, 2, 3, 4, 5, 6}, {0}, 0);     // the first
  add(recall, {5, 6, 7, 8, 9, 1, 2}, {0}, 1);     // the fifth
  add(recall, {4, 5, 6, 7, 8, 9, 1}, {0}, 2);     // the sixth
  add(recall, {1, 2, 3, 4, 5, 6, 7}, {0, 6}, 3);  // one of two is the first
  const std::vector<Score> scores = recall.scores();
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].name, "text_to_image_recall_at_1");
  EXPECT_DOUBLE_EQ(scores[0].estimate.value, 0.5);
  EXPECT_EQ(scores[0].estimate.n, 4U);
  EXPECT_EQ(scores[0].counts, "captions");
  EXPECT_TRUE(scores[0].estimate.interval);
  EXPECT_EQ(scores[0].interval_method, IntervalMethod::kWilson);
  EXPECT_EQ(scores[1].name, "text_to_image_recall_at_5");
  EXPECT_DOUBLE_EQ(scores[1].estimate.value, 0.75);
}

// A model that gives all the same vector finds one of them by chance, not each.
TEST(RetrievalRecall, OfAlikeCandidatesTheFirstComesFirst) {
  RetrievalRecall recall("image_to_text", "images", "images");
  for (std::size_t query = 0; query < 7; ++query) add(recall, std::vector<float>(7, 0.5F), {query}, query);
  EXPECT_DOUBLE_EQ(recall.scores()[0].estimate.value, 1.0 / 7);
  EXPECT_DOUBLE_EQ(recall.scores()[1].estimate.value, 5.0 / 7);
}

// Captions of one image are found or missed together: as many images tell less than as many independent captions.
TEST(RetrievalRecall, CaptionsOfOneImageAreNotIndependent) {
  RetrievalRecall alone("text_to_image", "captions", "images"), together("text_to_image", "captions", "images");
  for (std::size_t caption = 0; caption < 100; ++caption) {
    const std::size_t image = caption / 5;
    const std::vector<float> similarities = image % 2 == 0 ? std::vector<float>{1, 0} : std::vector<float>{0, 1};
    add(alone, similarities, {0}, caption);
    add(together, similarities, {0}, image);
  }
  const Score wide = together.scores()[0], narrow = alone.scores()[0];
  EXPECT_DOUBLE_EQ(wide.estimate.value, narrow.estimate.value);
  EXPECT_EQ(wide.estimate.n, 100U);
  EXPECT_EQ(wide.counts, "captions");
  EXPECT_EQ(wide.interval_units, "images");
  EXPECT_EQ(wide.interval_method, IntervalMethod::kPercentileBootstrap);
  ASSERT_TRUE(wide.estimate.interval && narrow.estimate.interval);
  EXPECT_GT(wide.estimate.interval->high - wide.estimate.interval->low,
            1.5 * (narrow.estimate.interval->high - narrow.estimate.interval->low));
}

TEST(RetrievalRecall, OfAllCandidatesIsNone) {
  const auto names = [](std::size_t candidates) {
    RetrievalRecall recall("text_to_image", "captions", "images");
    add(recall, std::vector<float>(candidates, 1.0F), {0}, 0);
    std::vector<std::string> found;
    for (const Score& score : recall.scores()) found.push_back(score.name);
    return found;
  };
  EXPECT_THAT(names(6), testing::ElementsAre("text_to_image_recall_at_1", "text_to_image_recall_at_5"));
  EXPECT_THAT(names(5), testing::ElementsAre("text_to_image_recall_at_1"));
  EXPECT_THAT(names(1), testing::IsEmpty());
}

TEST(RetrievalRecall, OfNoQueriesIsNone) {
  const RetrievalRecall recall("image_to_text", "images", "images");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { recall.scores(); }), HasSubstr("no images to score"));
}

}  // namespace
}  // namespace transformeter
