// Entities and their F1, against seqeval and by hand.
#include "tasks/entity_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/score_reference.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Tags = std::vector<std::string>;

TaggedSentence sentence_of(const Tags& tags) {
  TaggedSentence sentence;
  for (const std::string& tag : tags) sentence.push_back({"w", tag, 0});
  return sentence;
}

const Score& score_named(const ScoreReport& report, const std::string& name, const std::string& group = "") {
  for (const Score& score : report.scores) {
    if (score.name == name && score.group == group) return score;
  }
  throw std::out_of_range(name);
}

TEST(FindEntities, BeginsAtAnInsideThatFollowsNothingUnlessStrict) {
  const Tags tags = {"I-a", "I-a", "O", "B-a", "I-b", "B-b", "B-b"};
  EXPECT_THAT(
      find_entities(tags, EntityRules::kLenient),
      ElementsAre(Entity{"a", 0, 2}, Entity{"a", 3, 4}, Entity{"b", 4, 5}, Entity{"b", 5, 6}, Entity{"b", 6, 7}));
  EXPECT_THAT(find_entities(tags, EntityRules::kStrict),
              ElementsAre(Entity{"a", 3, 4}, Entity{"b", 5, 6}, Entity{"b", 6, 7}));
}

TEST(ScoreEntities, EqualsSeqeval) {
  for (const Json& one : score_reference().at("entities")) {
    const auto truth = one.at("truth").get<std::vector<Tags>>();
    const auto predicted = one.at("predicted").get<std::vector<Tags>>();
    std::vector<TaggedSentence> sentences;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      sentences.push_back(sentence_of(truth[i]));
      Json found = Json::array();
      for (const Entity& entity : find_entities(truth[i], EntityRules::kLenient)) {
        found.push_back({entity.type, entity.begin, entity.end - 1});  // seqeval's ends are the last token
      }
      EXPECT_EQ(found, one.at("entities").at(i)) << Json(truth[i]);
    }
    const ScoreReport report = score_entities(sentences, predicted);
    EXPECT_NEAR(score_named(report, "entity_f1").estimate.value, one.at("f1").get<double>(), 1e-12);
    EXPECT_NEAR(score_named(report, "entity_precision").estimate.value, one.at("precision").get<double>(), 1e-12);
    EXPECT_NEAR(score_named(report, "entity_recall").estimate.value, one.at("recall").get<double>(), 1e-12);
    for (const auto& [type, f1] : one.at("by_type").items()) {
      EXPECT_NEAR(score_named(report, "entity_f1", type).estimate.value, f1.get<double>(), 1e-12) << type;
    }
    if (!one.contains("f1_strict")) {  // IOB2 knows no E- and S-
      EXPECT_THROW(score_named(report, "entity_f1_strict"), std::out_of_range);
      EXPECT_THAT(report.notes, ElementsAre(HasSubstr("entity_f1_strict is omitted")));
      continue;
    }
    EXPECT_THAT(report.notes, IsEmpty());
    EXPECT_NEAR(score_named(report, "entity_f1_strict").estimate.value, one.at("f1_strict").get<double>(), 1e-12);
  }
}

TEST(ScoreEntities, LeavesTheStrictScoreOutWhereTagsAreNotIob2) {
  const auto notes = [](const Tags& truth, const Tags& predicted) {
    const ScoreReport report = score_entities({sentence_of(truth)}, {predicted});
    EXPECT_EQ(report.notes.empty(), report.scores.at(3).name == "entity_f1_strict");
    return report.notes;
  };
  EXPECT_THAT(notes({"S-a", "O"}, {"S-a", "O"}), ElementsAre(HasSubstr("'S-a'")));
  EXPECT_THAT(notes({"B-a", "O"}, {"U-a", "O"}), ElementsAre(HasSubstr("'U-a'")));
  EXPECT_THAT(notes({"I-a", "B-a", "O", "I-b"}, {"O", "O", "O", "O"}), ElementsAre(HasSubstr("2 of 3")));
  EXPECT_THAT(notes({"B-a", "I-a", "O", "I-b"}, {"I-a", "O", "O", "O"}), IsEmpty()) << "one slip of an annotator";
}

TEST(ScoreEntities, WantsTypeAndBothEnds) {
  const ScoreReport report = score_entities({sentence_of({"B-a", "I-a", "O", "B-b"})}, {{"B-a", "O", "O", "B-b"}});
  EXPECT_DOUBLE_EQ(score_named(report, "entity_f1").estimate.value, 0.5);
  EXPECT_EQ(score_named(report, "entity_f1").estimate.n, 2u);
  EXPECT_EQ(score_named(report, "entity_f1", "a").estimate.value, 0);
  EXPECT_FALSE(score_named(report, "entity_f1").why_no_interval.empty());
}

TEST(ScoreEntities, IsZeroWhereThereIsNothing) {
  const ScoreReport report = score_entities({sentence_of({"O"})}, {{"O"}});
  EXPECT_EQ(score_named(report, "entity_f1").estimate.value, 0);
  EXPECT_EQ(score_named(report, "entity_f1").estimate.n, 0u);
}

}  // namespace
}  // namespace transformeter
