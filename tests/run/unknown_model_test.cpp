// Which model a slip is taken for.
#include "run/unknown_model.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kPresets{"bert-base", "gpt2"};

std::string told(const std::string& model, ModelUse use) {
  return unknown_model(model, kPresets, use).what();
}

TEST(UnknownModel, APresetIsOfferedForMeasuringAlone) {
  EXPECT_THAT(told("bert-bsae", ModelUse::kMeasurement),
              AllOf(HasSubstr("'bert-bsae'"), HasSubstr("a preset"), HasSubstr("Did you mean 'bert-base'?"),
                    HasSubstr("`transformeter models`")));
  EXPECT_THAT(told("bert-bsae", ModelUse::kAnswers),
              AllOf(HasSubstr("expected a folder"), HasSubstr("The preset 'bert-base' has random weights"),
                    Not(HasSubstr("Did you mean")), Not(HasSubstr("transformeter models"))));
  EXPECT_THAT(told("something else", ModelUse::kAnswers), Not(HasSubstr("has random weights")));
}

TEST(UnknownModel, AFolderOrFileBesideItIsOffered) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "my-classifier");
  std::filesystem::create_directory(folder / "my-clasifiers");
  folder.write("my-classifier/config.json", "{}");
  folder.write("my-clasifiers/notes.txt", "no model");
  folder.write("exported.onnx", "");
  const std::string place = folder.path().string();
  for (const ModelUse use : {ModelUse::kMeasurement, ModelUse::kAnswers}) {
    for (const char* slip : {"/my-clasifier", "/my-clasifier/"}) {
      EXPECT_THAT(told(place + slip, use), HasSubstr("Did you mean '" + place + "/my-classifier'?"));
    }
    EXPECT_THAT(told(place + "/exporte.onnx", use), HasSubstr("Did you mean '" + place + "/exported.onnx'?"));
  }
  std::filesystem::create_directory(folder / "bert-large");
  folder.write("bert-large/config.json", "{}");
  EXPECT_THAT(told(place + "/bert-bse", ModelUse::kMeasurement), Not(HasSubstr("bert-base'?"))) << "by its folder";
  EXPECT_THAT(told(place + "/bert-lage", ModelUse::kMeasurement), HasSubstr("'" + place + "/bert-large'?"));
  EXPECT_THAT(told(place + "/no-such-folder/my-clasifier", ModelUse::kAnswers), Not(HasSubstr("Did you mean")));
}

}  // namespace
}  // namespace transformeter
