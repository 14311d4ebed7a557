// Random tokens of given lengths, and labels matched to a model's classes.
#include "datasets/synthetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "datasets/label_match.h"
#include "support/temporary_folder.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Synthetic : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::unique_ptr<Tokenizer> tokenizer_ =
      load_tokenizer(folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\n"));
};

TEST_F(Synthetic, HasTheLengthsAndNoSpecialTokensInside) {
  const auto encodings = synthetic_encodings({3, 100}, *tokenizer_, 1);
  ASSERT_EQ(encodings.size(), 2u);
  EXPECT_EQ(encodings[0].ids.size(), 3u);
  const auto& ids = encodings[1].ids;
  ASSERT_EQ(ids.size(), 100u);
  EXPECT_EQ(ids.front(), 2);
  EXPECT_EQ(ids.back(), 3);
  EXPECT_EQ(std::set<std::int32_t>(ids.begin() + 1, ids.end() - 1), (std::set<std::int32_t>{5, 6, 7}));
  EXPECT_EQ(encodings[1].special_mask.front(), 1);
  EXPECT_EQ(encodings[1].special_mask[1], 0);
}

TEST_F(Synthetic, KeepsEachTextWhateverTheOthersAre) {
  EXPECT_EQ(synthetic_encodings({9, 50, 20}, *tokenizer_, 1)[1].ids,
            synthetic_encodings({3, 50}, *tokenizer_, 1)[1].ids);
  EXPECT_NE(synthetic_encodings({50}, *tokenizer_, 1)[0].ids, synthetic_encodings({50}, *tokenizer_, 2)[0].ids);
}

DataSet labelled(std::vector<std::string> names) {
  DataSet data;
  data.label_count = 2;
  data.label_names = std::move(names);
  data.examples = {{"x", {}, 0}, {"y", {}, 1}, {"z", {}, std::nullopt}};
  return data;
}

TEST(MatchLabels, FollowsTheNamesOfTheModel) {
  DataSet data = labelled({"apple", "pear"});
  ModelConfig config;
  config.num_labels = 3;
  config.labels = {"pear", "fig", "apple"};
  match_labels(data, config, "f.csv");
  EXPECT_EQ(data.examples[0].label, 2);
  EXPECT_EQ(data.examples[1].label, 0);
  EXPECT_EQ(data.examples[2].label, std::nullopt);
  EXPECT_EQ(data.label_count, 3);
  data = labelled({"Apple", "pear"});
  config.labels = {"PEAR", "fig", "APPLE"};
  match_labels(data, config, "f.csv");
  EXPECT_EQ(data.examples[0].label, 2) << "but for capitals";
  data = labelled({"Apple", "pear"});
  config.labels = {"pear", "APPLE", "apple"};
  EXPECT_THROW(match_labels(data, config, "f.csv"), Error) << "which of the two?";
  config.labels = {"LABEL_0", "LABEL_1", "LABEL_2"};
  data = labelled({"apple", "pear"});
  match_labels(data, config, "f.csv");
  EXPECT_EQ(data.examples[1].label, 1) << "such names say nothing";
}

TEST(MatchLabels, RefusesALabelOutsideTheClasses) {
  const auto failure = [](DataSet data, const ModelConfig& config) -> std::string {
    try {
      match_labels(data, config, "f.csv");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  ModelConfig config;
  config.num_labels = 1;
  EXPECT_THAT(failure(labelled({}), config), AllOf(HasSubstr("f.csv"), HasSubstr("up to 1"), HasSubstr("1 classes")));
  config.num_labels = 2;
  config.labels = {"apple", "fig"};
  EXPECT_THAT(failure(labelled({"apple", "pear"}), config), AllOf(HasSubstr("'pear'"), HasSubstr("(apple, fig)")));
}

}  // namespace
}  // namespace transformeter
