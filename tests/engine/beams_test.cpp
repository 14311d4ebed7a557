// Which continuations go on, which are finished, and when a search ends: numbers by hand, without a model.
#include "engine/beams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace transformeter {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kEnd = 9;
using Text = std::vector<std::int64_t>;

BeamOptions search_with(std::int64_t beams, std::int64_t tokens = 10) {
  return {{beams, 1, EarlyStopping::kOff}, tokens, {kEnd}};
}

std::vector<Text> texts_of(const std::vector<Beam>& beams) {
  std::vector<Text> texts;
  for (const Beam& beam : beams) texts.push_back(beam.text);
  return texts;
}

void advance(Beams& beams, const std::vector<BeamCandidate>& candidates) {
  beams.advance(candidates);
}

// Two beams with texts {1} and {2}.
Beams after_one_pass(const BeamOptions& asked) {
  Beams beams(asked);
  advance(beams, {{0, 1, -1}, {0, 2, -2}, {0, 3, -3}, {0, 4, -4}});
  return beams;
}

TEST(Beams, BeginWithOneEmptyText) {
  const Beams beams(search_with(2));
  ASSERT_EQ(beams.running().size(), 1U);
  EXPECT_EQ(beams.running()[0].text, Text());
  EXPECT_EQ(beams.running()[0].score, 0);
  EXPECT_FALSE(beams.is_done());
}

TEST(Beams, TextsWithExcludedTokensAreNoneOfTheFinished) {
  Beams beams(search_with(2));
  constexpr float kExcluded = -std::numeric_limits<float>::infinity();
  advance(beams, {{0, 1, -1}, {0, kEnd, kExcluded}, {0, 2, kExcluded}, {0, 3, kExcluded}});
  EXPECT_THAT(texts_of(beams.finished()), testing::IsEmpty());
  EXPECT_EQ(beams.best().text, Text{1});
}

TEST(Beams, LookAtEnoughCandidatesThatAllMayEnd) {
  EXPECT_EQ(candidates_of_beams(4, 0), 8);
  EXPECT_EQ(candidates_of_beams(4, 1), 8) << "at least twice as many as beams";
  EXPECT_EQ(candidates_of_beams(4, 3), 16) << "each beam may end in three ways";
}

TEST(Beams, TheBestThatDoNotEndGoOn) {
  Beams beams(search_with(2));
  advance(beams, {{0, kEnd, -0.5}, {0, 5, -1}, {0, 6, -2}, {0, 7, -3}});
  EXPECT_THAT(texts_of(beams.running()), ElementsAre(Text{5}, Text{6}));
  advance(beams, {{1, 3, -2.5}, {0, 4, -2.75}, {0, 3, -3}, {1, 4, -4}});
  EXPECT_THAT(texts_of(beams.running()), ElementsAre(Text{6, 3}, Text{5, 4})) << "of the beams before";
  EXPECT_EQ(beams.running()[0].source, 1);
  EXPECT_EQ(beams.running()[1].source, 0);
  EXPECT_FLOAT_EQ(beams.running()[0].score, -2.5);
  EXPECT_THAT(texts_of(beams.finished()), ElementsAre(Text{kEnd}));
}

// The candidates beyond only see to it that enough go on.
TEST(Beams, OnlyTheBestAsManyAsBeamsMayEnd) {
  Beams beams = after_one_pass(search_with(2));
  advance(beams, {{0, 5, -1.5}, {1, 6, -2.5}, {0, kEnd, -3}, {1, kEnd, -4}});
  EXPECT_TRUE(beams.finished().empty()) << "third and fourth";
  EXPECT_EQ(beams.best().text, (Text{1, 5})) << "of those that go on, while none is finished";
}

TEST(Beams, AFinishedTextsScoreIsDividedByItsLengthToThePenalty) {
  for (const double penalty : {0.0, 0.6, 1.0, 2.0, -1.0}) {
    BeamOptions asked = search_with(2);
    asked.settings.length_penalty = penalty;
    Beams beams = after_one_pass(asked);
    advance(beams, {{0, kEnd, -3}, {0, 5, -3.5}, {1, 6, -4}, {1, 7, -5}});
    ASSERT_EQ(beams.finished().size(), 1U);
    EXPECT_FLOAT_EQ(beams.finished()[0].score, static_cast<float>(-3 / std::pow(2, penalty))) << penalty;
    EXPECT_EQ(beams.finished()[0].text, (Text{1, kEnd})) << "the end counts";
  }
}

// −2 after one token against −3 after two: the longer text wins if lengths count.
TEST(Beams, ThePenaltyDecidesWhichTextIsBest) {
  for (const double penalty : {0.0, 1.0}) {
    BeamOptions asked = search_with(2);
    asked.settings.length_penalty = penalty;
    Beams beams(asked);
    advance(beams, {{0, 1, -1}, {0, kEnd, -2}, {0, 2, -2.5}, {0, 3, -3}});
    advance(beams, {{0, kEnd, -3}, {0, 5, -3.5}, {1, 6, -4}, {1, 7, -5}});
    EXPECT_EQ(beams.best().text, penalty == 0 ? Text{kEnd} : (Text{1, kEnd})) << penalty;
  }
}

TEST(Beams, KeepTheBestAsManyAsBeams) {
  BeamOptions asked = search_with(2);
  asked.settings.early_stopping = EarlyStopping::kNever;
  Beams beams = after_one_pass(asked);
  advance(beams, {{1, kEnd, -8}, {0, kEnd, -9}, {0, 5, -10}, {1, 6, -11}});
  EXPECT_THAT(texts_of(beams.finished()), ElementsAre(Text{2, kEnd}, Text{1, kEnd}));
  EXPECT_FALSE(beams.is_done()) << "-10 ÷ 10 tokens would be better than -9 ÷ 2";
  advance(beams, {{0, kEnd, -10.5}, {0, 5, -11}, {1, 6, -12}, {1, 7, -13}});
  EXPECT_THAT(texts_of(beams.finished()), ElementsAre(Text{1, 5, kEnd}, Text{2, kEnd})) << "-3.5 for -4.5";
}

TEST(Beams, OfTextsThatAreAlikeTheEarlierStays) {
  BeamOptions asked = search_with(2);
  asked.settings.length_penalty = 0;
  Beams beams = after_one_pass(asked);
  advance(beams, {{0, kEnd, -3}, {1, kEnd, -3}, {0, 5, -3}, {1, 6, -3}});
  EXPECT_THAT(texts_of(beams.finished()), ElementsAre(Text{1, kEnd}, Text{2, kEnd})) << "as they came";
  EXPECT_TRUE(beams.is_done()) << "what is no better replaces nothing";
  EXPECT_THAT(texts_of(beams.running()), ElementsAre(Text{1, 5}, Text{2, 6}));
}

TEST(Beams, EarlyStoppingEndsWithAsManyTextsAsBeams) {
  for (const EarlyStopping stopping : {EarlyStopping::kOn, EarlyStopping::kOff}) {
    BeamOptions asked = search_with(2);
    asked.settings.early_stopping = stopping;
    Beams beams = after_one_pass(asked);
    advance(beams, {{0, kEnd, -8}, {0, 5, -8.25}, {0, 6, -8.5}, {1, 7, -9}});
    EXPECT_FALSE(beams.is_done()) << "one text";
    advance(beams, {{1, kEnd, -8.75}, {0, 5, -8.8F}, {0, 6, -8.9F}, {1, 7, -9}});
    EXPECT_EQ(beams.finished().size(), 2U);
    EXPECT_EQ(beams.is_done(), stopping == EarlyStopping::kOn) << "-8.8 ÷ 3 is better than -8 ÷ 2";
  }
}

TEST(Beams, WithoutItASearchEndsWhenNoTextIsBetterAsItIs) {
  Beams beams = after_one_pass(search_with(2));
  advance(beams, {{0, kEnd, -2}, {1, kEnd, -3}, {0, 5, -3.5}, {1, 6, -4}});
  EXPECT_TRUE(beams.is_done()) << "-3.5 ÷ 2 against -3 ÷ 2";
  const std::vector<Text> found = texts_of(beams.finished());
  advance(beams, {{0, kEnd, -3.5}, {0, 5, -3.6F}, {1, 6, -4}, {1, 7, -5}});
  EXPECT_EQ(texts_of(beams.finished()), found) << "other rows may go on; nothing changes here";
}

TEST(Beams, NeverCountsOnTheGreatestLengthWhereThePenaltyFavoursIt) {
  for (const double penalty : {1.0, 0.0, -1.0}) {
    BeamOptions asked = search_with(2);
    asked.settings = {2, penalty, EarlyStopping::kNever};
    Beams beams = after_one_pass(asked);
    advance(beams, {{0, kEnd, -2}, {1, kEnd, -3}, {0, 5, -3.5}, {1, 6, -4}});
    EXPECT_EQ(beams.is_done(), penalty <= 0) << "-3.5 ÷ 10 tokens";
  }
}

TEST(Beams, TheLastTokenEndsAllTexts) {
  BeamOptions asked = search_with(2, 2);
  Beams beams = after_one_pass(asked);
  advance(beams, {{1, 5, -2.5}, {0, 6, -3}, {0, 7, -3.5}, {1, 8, -4}});
  EXPECT_TRUE(beams.is_done());
  EXPECT_TRUE(beams.running().empty());
  EXPECT_THAT(texts_of(beams.finished()), ElementsAre(Text{2, 5}, Text{1, 6}));
  EXPECT_FLOAT_EQ(beams.best().score, -1.25);
}

TEST(Beams, OneBeamIsGreedyUntilItsFirstEnd) {
  Beams beams(search_with(1));
  advance(beams, {{0, 4, -0.5}, {0, kEnd, -1}});
  advance(beams, {{0, kEnd, -0.75}, {0, 2, -2}});
  EXPECT_TRUE(beams.is_done());
  EXPECT_EQ(beams.best().text, (Text{4, kEnd}));
}

}  // namespace
}  // namespace transformeter
