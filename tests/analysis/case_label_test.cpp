// Labels and the order of cases.
#include "analysis/case_label.h"

#include <gmock/gmock.h>

#include "analysis/case_order.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::ElementsAre;

TEST(CaseLabel, NamesOnlyWhatVaries) {
  const std::vector<CaseRecord> cases{planned_case(0, requested_of(8, 128, "fp32")),
                                      planned_case(1, requested_of(1, "natural", "bf16"))};
  const auto axes = varying_settings(cases);
  EXPECT_THAT(axes, ElementsAre("batch_size", "sequence_length", "precision"));
  EXPECT_EQ(short_label(cases[0], axes), "b8 t128 fp32");
  EXPECT_EQ(short_label(cases[1], axes), "b1 natural bf16");
}

TEST(CaseLabel, SingleCaseIsNamedByItsId) {
  const CaseRecord one = planned_case(0, requested_of(8, 128, "fp32"));
  EXPECT_TRUE(varying_settings({one}).empty());
  EXPECT_EQ(short_label(one, {}), "c01");
}

TEST(CaseLabel, SettingOnlyOneCaseHasVaries) {
  CaseRecord with = planned_case(0, requested_of(8, 128, "fp32"));
  with.requested["threads"] = 4;
  EXPECT_THAT(varying_settings({with, planned_case(1, requested_of(8, 128, "fp32"))}), ElementsAre("threads"));
  EXPECT_EQ(short_label(with, {"threads"}), "threads=4");
}

CaseRecord engine_case(int position, const std::string& engine, int threads, const Json& streams) {
  CaseRecord one = planned_case(position, requested_of(8, 128, "fp32"));
  one.requested["engine"] = engine;
  one.requested["threads"] = threads;
  if (!streams.is_null()) one.requested["streams"] = streams;
  return one;
}

// The engine fast chooses as many streams as threads, and a case stores their number.
TEST(CaseLabel, StreamsThatAreTheThreadsFollowThem) {
  std::vector<CaseRecord> cases;
  for (const int threads : {1, 2, 4}) {
    cases.push_back(engine_case(static_cast<int>(cases.size()), "fast", threads, threads));
    cases.push_back(engine_case(static_cast<int>(cases.size()), "pytorch", threads, 1));
  }
  EXPECT_THAT(varying_settings(cases), ElementsAre("engine", "threads"));
  EXPECT_THAT(following_settings(cases), ElementsAre("streams"));
  cases.push_back(engine_case(6, "fast", 4, 2));
  EXPECT_THAT(varying_settings(cases), ElementsAre("engine", "streams", "threads")) << "4 threads have 2 and 4 streams";
  EXPECT_TRUE(following_settings(cases).empty());
}

TEST(CaseLabel, WhatOneScenarioDoesNotHaveFollowsTheScenario) {
  std::vector<CaseRecord> cases{engine_case(0, "fast", 2, 2), engine_case(1, "fast", 2, Json())};
  cases[0].requested["scenario"] = "batch";
  cases[1].requested["scenario"] = "generate";
  EXPECT_THAT(varying_settings(cases), ElementsAre("scenario"));
}

TEST(CaseLabel, KeysAreEqualForCasesThatDifferInWhatIsLeftOut) {
  const Json one = {{"engine", "fast"}, {"streams", 2}, {"task", "embedding"}};
  const Json other = {{"engine", "pytorch"}, {"task", "embedding"}};
  EXPECT_EQ(key_without(one, {"engine", "streams"}), key_without(other, {"engine", "streams"}));
  EXPECT_NE(key_without(one, {"engine"}), key_without(other, {"engine"}));
  EXPECT_EQ(key_without("no object", {"engine"}), "\"no object\"");
}

TEST(CaseLabel, KeysSayNothingOfThePrice) {
  const Json one = {{"engine", "fast"}, {"price_per_hour", 2}};
  const Json other = {{"engine", "fast"}, {"price_per_hour", 5}};
  EXPECT_EQ(key_without(one, {}), key_without(other, {}));
}

TEST(CaseLabel, PathIsItsLastPart) {
  CaseRecord one = planned_case(0, requested_of(8, 128, "fp32"));
  for (const char* path : {"/models/mini", "mini", "/models/mini//"}) {
    one.requested["model"] = path;
    EXPECT_EQ(setting_value_text(one, "model").substr(0, 4), "mini") << path;
  }
  EXPECT_EQ(setting_value_text(one, "no_such_setting"), "");
}

TEST(CaseLabel, DataIsItsFolderAndFile) {
  CaseRecord one = planned_case(0, requested_of(8, 128, "fp32"));
  for (const char* path : {"/data/sst2/dev.tsv", "data/sst2/dev.tsv", "/sst2/dev.tsv", "sst2/dev.tsv"}) {
    one.requested["data"] = path;
    EXPECT_EQ(setting_value_text(one, "data"), "sst2/dev.tsv") << path;
    EXPECT_EQ(short_label(one, {"data"}), "sst2/dev.tsv") << path;
  }
  for (const char* path : {"dev.tsv", "/dev.tsv"}) {
    one.requested["data"] = path;
    EXPECT_EQ(setting_value_text(one, "data"), "dev.tsv") << path;
  }
}

TEST(CaseOrder, LengthThenBatchAscendThenThePlansOrder) {
  const std::vector<CaseRecord> cases{
      planned_case(0, requested_of(32, "natural", "fp32")), planned_case(1, requested_of(8, 128, "fp32")),
      planned_case(2, requested_of(8, 128, "bf16")), planned_case(3, requested_of(1, 128, "bf16")),
      planned_case(4, requested_of(1, 64, "fp32"))};
  EXPECT_THAT(reading_order(cases), ElementsAre(4U, 3U, 1U, 2U, 0U));
  EXPECT_TRUE(reading_order({}).empty());
}

}  // namespace
}  // namespace transformeter
