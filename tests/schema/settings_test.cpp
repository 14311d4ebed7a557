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

TEST(ParseSetting, TakesHyphensForTheUnderscoresOfAWord) {
  EXPECT_EQ(parse_setting(setting_term("task"), "question-answering"), "question_answering");
  EXPECT_EQ(parse_setting(setting_term("attention"), "memory-efficient"), "memory_efficient");
  EXPECT_EQ(parse_setting(setting_term("allocator"), "glibc-raised"), "glibc_raised");
  EXPECT_THROW(parse_setting(setting_term("attention"), "memory efficient"), Error);
  EXPECT_EQ(parse_setting(setting_term("model"), "bert-base"), "bert-base") << "a text is no word";
  EXPECT_EQ(parse_setting(setting_term("learning_rate"), "5e-5"), 5e-5);
}

TEST(ParseSetting, KnowsOtherNamesOfTasks) {
  const auto task = [](std::string_view text) { return parse_setting(setting_term("task"), text); };
  EXPECT_EQ(task("mlm"), "masked_lm");
  EXPECT_EQ(task("qa"), "question_answering");
  EXPECT_EQ(task("ner"), "token_classification");
  EXPECT_EQ(task("text-classification"), "sequence_classification");
  EXPECT_EQ(task("sst2"), "sequence_classification");
  EXPECT_EQ(task("fill_mask"), "masked_lm");
  EXPECT_EQ(task("auto"), "auto");
  EXPECT_EQ(typed_word(setting_term("precision"), "qa"), std::nullopt) << "of tasks alone";
  EXPECT_EQ(typed_word(setting_term("task"), "poetry"), std::nullopt);
  EXPECT_THROW(task("poetry"), Error);
}

TEST(SettingTerms, AreFoundByTheirNames) {
  ASSERT_NE(find_setting("batch_size"), nullptr);
  EXPECT_EQ(find_setting("batch_size"), &setting_term("batch_size"));
  EXPECT_EQ(find_setting("batch-size"), nullptr);
  EXPECT_EQ(find_setting(""), nullptr);
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
