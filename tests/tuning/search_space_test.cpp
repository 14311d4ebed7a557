// What engine `auto` tries: every open value alone, other engines' choices, and combinations of what was better.
#include "tuning/search_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace transformeter {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class SearchSpace : public testing::Test {
 protected:
  SearchSpace() {
    capabilities_.native = {{"precision", {"fp32", "bf16"}}};
    capabilities_.engines = {{"auto", fast()},
                             {"fast", fast()},
                             {"plain",
                              {{"attention", "math"},
                               {"batching", "padded"},
                               {"streams", 1},
                               {"chunk_tokens", "none"},
                               {"allocator", "glibc"}}}};
  }

  static std::map<std::string, Json> fast() {
    return {{"attention", "sdpa"},
            {"batching", "packed"},
            {"streams", "threads"},
            {"chunk_tokens", Json{{"bf16", 512}, {"else", 256}}},
            {"allocator", "glibc_raised"}};
  }

  static Json start() {
    return {{"engine", "auto"},      {"precision", "fp32"}, {"attention", "sdpa"}, {"batching", "packed"},
            {"streams", 4},          {"chunk_tokens", 256}, {"threads", 4},        {"allocator", "glibc_raised"},
            {"memory_limit", "auto"}};
  }

  static Json with(Json changes) {
    Json point = start();
    point.update(changes);
    return point;
  }

  std::vector<Json> neighbours_of(const Json& point, const std::vector<std::string>& group) const {
    return neighbours(point, group, {group, {}}, capabilities_);
  }

  Capabilities capabilities_;
};

TEST_F(SearchSpace, HoldsWhatThePlanLeavesOpen) {
  Plan plan;
  OpenSettings open = open_settings(plan, start(), capabilities_);
  EXPECT_THAT(open.engine, ElementsAre("attention", "batching", "streams", "chunk_tokens"));
  EXPECT_THAT(open.launch, ElementsAre("threads", "allocator")) << "memory_limit is no choice of an engine";
  plan.apply_flag("attention", "math");
  plan.apply_flag("threads", "2");
  open = open_settings(plan, start(), capabilities_);
  EXPECT_THAT(open.engine, Not(Contains("attention")));
  EXPECT_THAT(open.launch, ElementsAre("allocator"));
}

TEST_F(SearchSpace, HoldsThePrecisionWhereTheDivergenceIsLimited) {
  Plan plan;
  EXPECT_THAT(open_settings(plan, start(), capabilities_).engine, Not(Contains("precision")));
  plan.apply_flag("divergence_limit", "0.01");
  EXPECT_THAT(open_settings(plan, start(), capabilities_).engine, Contains("precision"));
  plan.apply_flag("precision", "bf16");
  EXPECT_THAT(open_settings(plan, start(), capabilities_).engine, Not(Contains("precision")));
}

TEST_F(SearchSpace, EachOtherValueIsANeighbour) {
  const std::vector<Json> points = neighbours_of(start(), {"attention", "streams"});
  EXPECT_THAT(points, Contains(with({{"attention", "eager"}})));
  EXPECT_THAT(points, Contains(with({{"streams", 1}})));
  EXPECT_THAT(points, Contains(with({{"attention", "math"}, {"streams", 1}}))) << "as engine plain chooses both";
  EXPECT_THAT(points, Not(Contains(start())));
  for (const Json& point : points) {
    EXPECT_EQ(std::count(points.begin(), points.end(), point), 1) << point;
    EXPECT_EQ(point.at("chunk_tokens"), 256) << "is not open";
    EXPECT_EQ(point.at("engine"), "auto");
  }
}

TEST_F(SearchSpace, AnEngineOfAnotherLibraryHasNoneToCompare) {
  capabilities_.engines["library"] = {{"attention", "auto"}, {"streams", 1}};
  for (const Json& point : neighbours_of(start(), {"attention", "streams"})) EXPECT_NE(point.at("attention"), "auto");
}

TEST_F(SearchSpace, ATrialIsNoPointBesideWhatItChoosesFrom) {
  for (const Json& point : neighbours_of(start(), {"attention"})) EXPECT_NE(point.at("attention"), "trial");
}

TEST_F(SearchSpace, HowABatchIsCutComesFirst) {
  const std::vector<Json> points = neighbours_of(start(), {"attention", "streams"});
  ASSERT_EQ(points.front(), with({{"attention", "math"}, {"streams", 1}})) << "as engine plain chooses";
  EXPECT_EQ(points.at(1), with({{"streams", 1}}));
}

TEST_F(SearchSpace, PagesThatAreAlreadyPreferredAreNotTriedAgain) {
  const std::vector<Json> points = neighbours_of(with({{"huge_pages", "preferred"}}), {"huge_pages"});
  EXPECT_THAT(points, Contains(with({{"huge_pages", "off"}})));
  EXPECT_THAT(points, Not(Contains(with({{"huge_pages", "transparent"}}))));
}

TEST_F(SearchSpace, ATrainingKeepsItsStepsAndItsFormat) {
  const Json training = with({{"scenario", "train"}});
  const auto has = [](const std::vector<Json>& points, const char* word) {
    return std::any_of(points.begin(), points.end(), [&](const Json& point) { return point.at("batching") == word; });
  };
  EXPECT_TRUE(has(neighbours_of(start(), {"batching"}), "bucketed"));
  EXPECT_FALSE(has(neighbours_of(training, {"batching"}), "bucketed")) << "other rows in a step";
  EXPECT_TRUE(has(neighbours_of(training, {"batching"}), "padded"));
  Plan plan;
  plan.apply_flag("divergence_limit", "0.01");
  EXPECT_THAT(open_settings(plan, training, capabilities_).engine, Not(Contains("precision")));
}

TEST_F(SearchSpace, AnotherPrecisionBringsItsOwnChoices) {
  const std::vector<Json> points = neighbours_of(start(), {"precision", "chunk_tokens"});
  EXPECT_THAT(points, Contains(with({{"precision", "bf16"}, {"chunk_tokens", 512}})));
  for (const Json& point : points) EXPECT_NE(point.at("precision"), "fp16") << "has no instructions here";
}

TEST_F(SearchSpace, LeavesOutWhatMakesNoDifference) {
  const OpenSettings open = open_settings(Plan(), with({{"batch_size", 1}}), capabilities_);
  EXPECT_THAT(open.engine, ElementsAre("attention")) << "one row is computed whole";
  const Json small = with({{"batch_size", 8}, {"sequence_length", 128}});
  EXPECT_THAT(neighbours_of(small, {"chunk_tokens"}),
              UnorderedElementsAre(with({{"batch_size", 8}, {"sequence_length", 128}, {"chunk_tokens", "none"}}),
                                   with({{"batch_size", 8}, {"sequence_length", 128}, {"chunk_tokens", 128}})))
      << "each of four streams has 256 tokens";
}

TEST_F(SearchSpace, FewerThreadsHaveFewerStreams) {
  const OpenSettings all{{"streams"}, {"threads"}};
  EXPECT_THAT(neighbours(start(), all.launch, all, capabilities_), ElementsAre(with({{"threads", 2}, {"streams", 2}})));
  const OpenSettings fixed{{}, {"threads"}};
  EXPECT_THAT(neighbours(start(), fixed.launch, fixed, capabilities_), ElementsAre(with({{"threads", 2}})))
      << "the user set the streams";
  EXPECT_THAT(neighbours(with({{"threads", 1}}), all.launch, all, capabilities_), IsEmpty());
}

TEST_F(SearchSpace, WhatWasBetterIsCombined) {
  const Json one = with({{"attention", "math"}});
  const Json two = with({{"streams", 1}});
  const Json three = with({{"attention", "eager"}, {"allocator", "glibc"}});
  EXPECT_THAT(combinations(start(), {one, two}), ElementsAre(with({{"attention", "math"}, {"streams", 1}})));
  EXPECT_THAT(combinations(start(), {one, three}), ElementsAre(with({{"attention", "math"}, {"allocator", "glibc"}})))
      << "of two values the better point's";
  EXPECT_EQ(combinations(start(), {one, two, three}).size(), 4U) << "all, and each two";
  EXPECT_THAT(combinations(start(), {one}), IsEmpty());
  EXPECT_THAT(combinations(start(), {}), IsEmpty());
}

}  // namespace
}  // namespace transformeter
