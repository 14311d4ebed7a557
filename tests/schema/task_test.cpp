// The table of tasks agrees with their enumeration.
#include "schema/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

TEST(Tasks, StandInTheOrderOfTheirEnumeration) {
  for (std::size_t i = 0; i < kTaskNames.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kTaskNames[i].task), i);
    EXPECT_EQ(task_named(kTaskNames[i].name), kTaskNames[i].task);
    EXPECT_EQ(Json(kTaskNames[i].task), kTaskNames[i].name);
  }
}

TEST(Tasks, AreTheWordsOfTheirSetting) {
  std::vector<std::string> words = task_names();
  words.insert(words.begin(), "auto");
  EXPECT_EQ(setting_words(setting_term("task")), words);
}

TEST(Tasks, ReadTextsAloneOrBesideImages) {
  for (const TaskName& known : kTaskNames) {
    const bool reads_files = known.modality != Modality::kText;
    EXPECT_EQ(reads_texts(known.task), !reads_files || known.task == Task::kContrastiveImageText) << known.name;
    EXPECT_EQ(least_batch_size(known.task), known.task == Task::kContrastiveImageText ? 2 : 1) << known.name;
  }
}

TEST(Tasks, HaveOtherNamesThatAreNoTasks) {
  std::vector<std::string_view> seen;
  for (const TaskAlias& known : kTaskAliases) {
    EXPECT_EQ(find_task(known.alias), std::nullopt) << known.alias;
    EXPECT_EQ(known.alias.find('-'), std::string_view::npos) << known.alias << ": hyphens are replaced before";
    EXPECT_EQ(typed_task(known.alias), known.task);
    EXPECT_THAT(seen, testing::Not(testing::Contains(known.alias)));
    seen.push_back(known.alias);
  }
  EXPECT_EQ(typed_task("token-classification"), Task::kTokenClassification);
  EXPECT_EQ(typed_task("auto"), std::nullopt);
  EXPECT_THROW(Json("qa").get<Task>(), Error) << "stores and messages have the name itself";
}

TEST(Tasks, AreRefusedByNameAndTheNearestIsSuggested) {
  EXPECT_EQ(find_task("poetry"), std::nullopt);
  try {
    Json("embeddings").get<Task>();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), testing::HasSubstr("Did you mean 'embedding'?"));
  }
}

}  // namespace
}  // namespace transformeter
