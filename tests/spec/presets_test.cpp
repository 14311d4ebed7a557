// Other names of presets.
#include "spec/presets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support/temporary_folder.h"

namespace transformeter {
namespace {

TEST(PresetAliases, NameAPresetEachAndAreNone) {
  std::set<std::string_view> seen;
  for (const PresetAlias& known : preset_aliases()) {
    EXPECT_TRUE(is_preset(known.preset)) << known.alias;
    EXPECT_FALSE(is_preset(known.alias)) << known.alias;
    EXPECT_EQ(known.alias.find('/'), std::string_view::npos) << known.alias << ": a model on the hub";
    EXPECT_TRUE(seen.insert(known.alias).second) << known.alias;
    EXPECT_EQ(typed_preset(std::string(known.alias)), known.preset);
  }
  EXPECT_EQ(typed_preset("distilbert-base-uncased"), "distilbert-base");
  EXPECT_EQ(typed_preset("squeezebert-uncased"), "squeezebert");
}

TEST(PresetAliases, LeaveOtherModelsAsTheyAre) {
  for (const char* model : {"gpt2", "roberta-base", "google-bert/bert-base-uncased", "./bert-base-uncased",
                            "bert-base-uncased/", "bert-base-cased", ""}) {
    EXPECT_EQ(typed_preset(model), model);
  }
}

TEST(PresetAliases, YieldToAFolderOfThatName) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "bert-base-uncased");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const std::string inside = typed_preset("bert-base-uncased");
  std::filesystem::current_path(before);
  EXPECT_EQ(inside, "bert-base-uncased");
  EXPECT_EQ(typed_preset("bert-base-uncased"), "bert-base");
}

}  // namespace
}  // namespace transformeter
