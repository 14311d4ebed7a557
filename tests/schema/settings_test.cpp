// Values of settings as a user types them.
#include "schema/settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace transformeter {
namespace {

Json device(std::string_view text) {
  return parse_setting(setting_term("device"), text);
}

TEST(ParseSetting, GivesADeviceOneName) {
  EXPECT_EQ(device("auto"), "auto");
  EXPECT_EQ(device("cpu"), "cpu");
  EXPECT_EQ(device("cuda"), "cuda:0");
  EXPECT_EQ(device("cuda:0"), "cuda:0");
  EXPECT_EQ(device("cuda:03"), "cuda:3");
  EXPECT_EQ(device("rocm"), "rocm");
}

TEST(ParseSetting, RefusesWhatIsNoDevice) {
  for (const char* text : {"cuda:", "cuda:-1", "cuda:1024", "cuda:0x", "cudo", "gpu", "cpu:0", ""}) {
    EXPECT_THROW(device(text), Error) << text;
  }
}

TEST(ParseSetting, KnowsWhatPyTorchCallsAPrecision) {
  try {
    parse_setting(setting_term("precision"), "bfloat16");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "precision 'bfloat16' is not known. Use 'bf16'.");
  }
  EXPECT_THROW(parse_setting(setting_term("precision"), "bfloat17"), Error);
}

TEST(SettingTerms, HaveATopicThatHelpShows) {
  const std::vector<std::string> topics = setting_topics();
  for (const SettingTerm& term : setting_terms()) {
    EXPECT_NE(std::find(topics.begin(), topics.end(), name_of(term.topic)), topics.end()) << term.name;
  }
}

TEST(SettingTerms, ExplainThemselvesInOneShortLine) {
  for (const SettingTerm& term : setting_terms()) {
    EXPECT_FALSE(term.help.empty()) << term.name;
    EXPECT_LE(term.help.size(), 100U) << term.name;
    EXPECT_FALSE(term.help.starts_with("scenario ")) << term.name << ": its topic says so";
  }
}

}  // namespace
}  // namespace transformeter
