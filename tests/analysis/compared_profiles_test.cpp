// Profiles side by side, also one that comes from a file.
#include "analysis/compared_profiles.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"
#include "support/made_profile.h"

namespace transformeter {
namespace {

Profile faster_profile() {
  Profile profile = made_profile();
  for (ProfileNode& node : profile.nodes) {
    if (node.name != "aten::addmm") continue;
    node.name = "linear (oneDNN)";
    node.self_s /= 2;
    node.total_s /= 2;
  }
  return profile;
}

ComparedRow row_of(const std::vector<ComparedRow>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const ComparedRow& row) { return row.name == name; });
  if (found == rows.end()) throw Error(ErrorKind::kInternal, "no row " + name);
  return *found;
}

TEST(ComparedProfiles, LargestChangesComeFirst) {
  const ProfileSummary before = profile_summary("a", Json::object(), made_profile());
  const ProfileSummary after = profile_summary("b", Json::object(), faster_profile());
  const std::vector<ComparedRow> operators = compared_rows(before.operators, after.operators);
  EXPECT_EQ(operators[0].name, "aten::addmm");
  EXPECT_EQ(operators[0].after_s, std::nullopt);
  EXPECT_NEAR(operators[0].change_s(), -0.058, 1e-9);
  EXPECT_EQ(operators[1].name, "linear (oneDNN)");
  EXPECT_EQ(operators[1].before_s, std::nullopt);
  EXPECT_EQ(row_of(operators, "aten::gelu").change_s(), 0);
  const ComparedRow phase = row_of(compared_rows(before.phases, after.phases), "feed_forward");
  EXPECT_NEAR(*phase.before_s - *phase.after_s, 0.029, 1e-9);
}

TEST(ComparedProfiles, LayersOfOneNameAreOneModule) {
  const ProfileSummary summary = profile_summary("a", Json::object(), made_profile());
  const auto count = std::count_if(summary.modules.begin(), summary.modules.end(),
                                   [](const ProfileRow& row) { return row.name == "m.layer.*.lin"; });
  EXPECT_EQ(count, 1);
}

TEST(ComparedProfiles, NameWhatDiffersAndKnowOtherWork) {
  const ProfileSummary before = profile_summary("a", {{"engine", "pytorch"}, {"batch_size", 8}}, made_profile());
  const ProfileSummary fast =
      profile_summary("b", {{"engine", "fast"}, {"batch_size", 8}, {"streams", 2}}, made_profile());
  EXPECT_THAT(changed_settings(before, fast), ::testing::ElementsAre("engine pytorch → fast", "streams - → 2"));
  EXPECT_TRUE(is_same_work(before, fast));
  const ProfileSummary larger = profile_summary("c", {{"engine", "pytorch"}, {"batch_size", 16}}, made_profile());
  EXPECT_FALSE(is_same_work(before, larger));
  const ProfileSummary step =
      profile_summary("d", {{"engine", "pytorch"}, {"batch_size", 8}, {"scenario", "train"}}, made_step_profile());
  EXPECT_FALSE(is_same_work(before, step));
}

TEST(ComparedProfiles, SlowPassesOfEitherFormAreKnown) {
  Profile profile = made_profile();
  EXPECT_EQ(profile_summary("a", Json::object(), profile).slow_pass_ratio, std::nullopt);
  profile.profiled_s = {0.1, 0.1, 0.4};  // of mean 0.2
  const ProfileSummary slow = profile_summary("a", Json::object(), profile);
  EXPECT_DOUBLE_EQ(slow.slow_pass_ratio.value_or(0), 2);
  EXPECT_DOUBLE_EQ(slow.profiled_median_s.value_or(0), 0.1);
  Json file = {{"label", "x"},
               {"requested", Json::object()},
               {"pass_s", 0.1},
               {"modules", Json::array()},
               {"operators", Json::array()},
               {"phases", Json::array()}};
  EXPECT_EQ(profile_summary_from(file).slow_pass_ratio, std::nullopt);
  EXPECT_EQ(profile_summary_from(file).profiled_median_s, std::nullopt);
  file["profiled_s"] = {0.1, 0.1, 0.4};
  file["batches"] = 1;
  EXPECT_DOUBLE_EQ(profile_summary_from(file).slow_pass_ratio.value_or(0), 2);
  EXPECT_DOUBLE_EQ(profile_summary_from(file).profiled_median_s.value_or(0), 0.1);
  file["batches"] = 2;
  EXPECT_EQ(profile_summary_from(file).slow_pass_ratio, std::nullopt) << "two batches may differ";
  file["batches"] = 1;
  file["requested"] = {{"scenario", "train"}, {"sequence_length", "natural"}};
  EXPECT_EQ(profile_summary_from(file).slow_pass_ratio, std::nullopt) << "so may steps with new texts";
  file["requested"]["task"] = "image_classification";
  EXPECT_TRUE(profile_summary_from(file).slow_pass_ratio) << "images have one size";
}

TEST(ComparedProfiles, AFileOfAnotherFormIsRefused) {
  const Json good = {{"label", "x"},
                     {"requested", Json::object()},
                     {"pass_s", 0.1},
                     {"modules", Json::array()},
                     {"operators", Json::array()},
                     {"phases", {{{"name", "norm"}, {"calls", 2}, {"self_s", 0.01}}}}};
  EXPECT_EQ(profile_summary_from(good).phases.at(0).self_s, 0.01);
  for (const char* key : {"label", "requested", "pass_s", "phases", "modules", "operators"}) {
    Json bad = good;
    bad.erase(key);
    EXPECT_THROW(profile_summary_from(bad), Json::exception) << key;
  }
  EXPECT_TRUE(profile_summary_from(good).counters.empty()) << "of a version that counts nothing";
  Json odd = good;
  odd["phases"][0]["self_s"] = "fast";
  EXPECT_THROW(profile_summary_from(odd), Json::exception);
  Json negative = good;
  negative["counters"] = {{"cycles", {{"value", -1}, {"scaled_share", 0}, {"reason", nullptr}}}};
  EXPECT_THROW(profile_summary_from(negative), Error);
}

TEST(ComparedProfiles, CountersOfAFileAreRead) {
  const Json file = {{"label", "x"},
                     {"requested", Json::object()},
                     {"pass_s", 0.1},
                     {"modules", Json::array()},
                     {"operators", Json::array()},
                     {"phases", Json::array()},
                     {"unprofiled_s", {0.1, 0.3}},
                     {"counters",
                      {{"cycles", {{"value", 2e9}, {"scaled_share", 0.25}, {"reason", nullptr}}},
                       {"branches", {{"value", nullptr}, {"scaled_share", 0}, {"reason", "hidden"}}}}}};
  const ProfileSummary summary = profile_summary_from(file);
  EXPECT_DOUBLE_EQ(summary.unprofiled_mean_s.value_or(0), 0.2);
  ASSERT_EQ(summary.counters.size(), 2U);
  const EventCount* cycles = find_counted(summary.counters, event_name::kCycles);
  ASSERT_NE(cycles, nullptr);
  EXPECT_EQ(cycles->value, 2e9);
  EXPECT_EQ(cycles->scaled_share, 0.25);
}

}  // namespace
}  // namespace transformeter
