// Which data a fine-tuning may be scored on.
#include "tasks/fine_tuning_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace transformeter {
namespace {

class EvaluationData : public testing::Test {
 protected:
  EvaluationData() {
    std::filesystem::create_directories(folder_.path() / "news");
    for (const char* name : {"news/train.csv", "news/test.csv"}) folder_.write(name, "text,label\na,1\n");
    request_.task = Task::kSequenceClassification;
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string refusal(const std::string& learnt, const std::string& scored, const std::string& split) {
    FineTuneOptions options;
    options.evaluation_data = path(scored);
    options.evaluation_split = split;
    try {
      check_evaluation_data(request_, path(learnt), options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  Case request_;
};

TEST_F(EvaluationData, IsNotWhatWasLearntUnderAnotherName) {
  EXPECT_EQ(refusal("news/train.csv", "news/test.csv", ""), "");
  EXPECT_EQ(refusal("news/train.csv", "news", "test"), "");
  EXPECT_THAT(refusal("news/train.csv", "news/train.csv", ""), testing::HasSubstr("use the same data"));
  EXPECT_THAT(refusal("news/train.csv", "news", "train"), testing::HasSubstr("use the same data (split train)"));
  request_.split = "train";
  EXPECT_EQ(refusal("news", "news", "test"), "");
  EXPECT_EQ(refusal("news", "news/test.csv", ""), "");
  EXPECT_THAT(refusal("news", "news/train.csv", ""), testing::HasSubstr("use the same data"));
  EXPECT_THAT(refusal("news", "news", "train"), testing::HasSubstr("use the same data (split train)"));
  EXPECT_THAT(refusal("news", "news", ""), testing::HasSubstr("'train' is learned from; choose another one"));
}

TEST_F(EvaluationData, OfAFolderOfOneSplitIsItWhetherNamedOrNot) {
  std::filesystem::remove(folder_.path() / "news/test.csv");
  EXPECT_THAT(refusal("news", "news", "train"), testing::HasSubstr("use the same data"));
}

}  // namespace
}  // namespace transformeter
