// A head that a checkpoint lacks is new; a part of one that is lost is an error.
#include <algorithm>

#include "spec/checkpoint.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> added(const Checkpoint& checkpoint, Task task, std::optional<std::int64_t> num_labels = {}) {
  std::vector<std::string> names;
  for (const TensorSpec& tensor : match_for_training(checkpoint, task, num_labels).added) names.push_back(tensor.name);
  return names;
}

Checkpoint open(const std::string& folder) {
  return open_checkpoint(models_folder() / folder);
}

TEST(MatchForTraining, AWholeCheckpointIsMatchedAsItIs) {
  const Checkpoint checkpoint = open("tiny-bert-classifier");
  const TrainingMatch training = match_for_training(checkpoint, Task::kSequenceClassification, 3);
  EXPECT_THAT(training.added, IsEmpty());
  EXPECT_EQ(training.config, checkpoint.config);
  EXPECT_EQ(training.match.tensors.size(), match_checkpoint(checkpoint, Task::kSequenceClassification).tensors.size());
}

TEST(MatchForTraining, AnEncoderGetsTheHeadOfItsTask) {
  const Checkpoint encoder = open("tiny-bert-encoder");  // with a pooler
  EXPECT_THAT(added(encoder, Task::kSequenceClassification), ElementsAre("classifier.weight", "classifier.bias"));
  EXPECT_THAT(added(encoder, Task::kQuestionAnswering), ElementsAre("qa_outputs.weight", "qa_outputs.bias"));
  EXPECT_THAT(added(encoder, Task::kMaskedLm),
              ElementsAre("cls.predictions.transform.dense.weight", "cls.predictions.transform.dense.bias",
                          "cls.predictions.transform.LayerNorm.weight", "cls.predictions.transform.LayerNorm.bias",
                          "cls.predictions.bias"));
  EXPECT_EQ(match_for_training(encoder, Task::kSequenceClassification, 5).added.front().shape,
            (std::vector<std::int64_t>{5, 32}));
}

TEST(MatchForTraining, APoolerThatIsLackingIsNewWithTheClassifier) {
  Checkpoint encoder = open("tiny-bert-encoder");
  encoder.entries.erase("pooler.dense.weight");
  encoder.entries.erase("pooler.dense.bias");
  EXPECT_THAT(
      added(encoder, Task::kSequenceClassification),
      ElementsAre("bert.pooler.dense.weight", "bert.pooler.dense.bias", "classifier.weight", "classifier.bias"));
}

// As of BertForPreTraining, from which most are trained.
TEST(MatchForTraining, AMaskedLanguageModelGetsAClassifier) {
  const TrainingMatch training = match_for_training(open("tiny-bert-filler"), Task::kTokenClassification, 7);
  EXPECT_EQ(training.added.size(), 2U);
  EXPECT_EQ(training.config.num_labels, 7);
  EXPECT_THAT(training.match.ignored, testing::Contains("cls.predictions.bias"));
}

TEST(MatchForTraining, AnotherCountOfClassesMakesTheClassifierNew) {
  const Checkpoint checkpoint = open("tiny-bert-classifier");
  const TrainingMatch training = match_for_training(checkpoint, Task::kSequenceClassification, 4);
  EXPECT_THAT(added(checkpoint, Task::kSequenceClassification, 4), ElementsAre("classifier.weight", "classifier.bias"));
  EXPECT_EQ(training.config.num_labels, 4);
  EXPECT_THAT(training.config.labels, IsEmpty());
  EXPECT_THAT(training.match.ignored, testing::Contains("classifier.weight"));
  const auto matched = [&](const std::string& name) {
    return std::any_of(training.match.tensors.begin(), training.match.tensors.end(),
                       [&](const MatchedTensor& tensor) { return tensor.parameter.name == name; });
  };
  EXPECT_TRUE(matched("bert.pooler.dense.weight"));
  EXPECT_FALSE(matched("classifier.weight"));
}

// Both keep it as classifier.weight, with another meaning.
TEST(MatchForTraining, TheClassifierOfTokensServesNoTexts) {
  const Checkpoint tagger = open("tiny-bert-tagger");
  EXPECT_THAT(
      added(tagger, Task::kSequenceClassification),
      ElementsAre("bert.pooler.dense.weight", "bert.pooler.dense.bias", "classifier.weight", "classifier.bias"));
  EXPECT_THAT(match_for_training(tagger, Task::kSequenceClassification, {}).config.labels, IsEmpty());
}

TEST(MatchForTraining, WhatIsLostOfAHeadOrModelIsAnError) {
  const auto message = [](const std::string& folder, Task task, const std::string& lost) {
    Checkpoint checkpoint = open(folder);
    EXPECT_EQ(checkpoint.entries.erase(lost), 1U) << lost;
    return message_of(ErrorKind::kBadInput, [&] { match_for_training(checkpoint, task, {}); });
  };
  EXPECT_THAT(message("tiny-bert-classifier", Task::kSequenceClassification, "classifier.bias"),
              HasSubstr("no tensor 'classifier.bias'"));
  EXPECT_THAT(message("tiny-bert-classifier", Task::kSequenceClassification, "bert.pooler.dense.weight"),
              HasSubstr("no tensor 'bert.pooler.dense.weight'"));
  EXPECT_THAT(message("tiny-bert-encoder", Task::kSequenceClassification, "pooler.dense.bias"),
              HasSubstr("no tensor 'bert.pooler.dense.bias'"));
  EXPECT_THAT(message("tiny-bert-encoder", Task::kSequenceClassification, "embeddings.word_embeddings.weight"),
              HasSubstr("no tensor 'bert.embeddings.word_embeddings.weight'"));
  EXPECT_THAT(message("tiny-bert-filler", Task::kMaskedLm, "cls.predictions.transform.LayerNorm.weight"),
              HasSubstr("no tensor 'cls.predictions.transform.LayerNorm.weight'"));
}

TEST(MatchForTraining, ATensorThatNobodyKnowsIsAnError) {
  Checkpoint encoder = open("tiny-bert-encoder");
  encoder.entries["clasifier.weight"] = encoder.entries.at("pooler.dense.weight");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { match_for_training(encoder, Task::kSequenceClassification, {}); }),
              HasSubstr("'clasifier.weight'"));
}

TEST(MatchForTraining, AsManyClassesOfOtherNamesHaveANewClassifier) {
  Checkpoint checkpoint = open("tiny-bert");
  const std::vector<std::string> own = checkpoint.config.labels;
  ASSERT_TRUE(has_class_names(checkpoint.config));
  const auto count = checkpoint.config.num_labels;
  EXPECT_TRUE(match_for_training(checkpoint, Task::kSequenceClassification, count, own).added.empty());
  std::vector<std::string> others = own;
  others.back() = "another";
  const TrainingMatch training = match_for_training(checkpoint, Task::kSequenceClassification, count, others);
  EXPECT_THAT(training.config.labels, IsEmpty());
  ASSERT_EQ(training.added.size(), 2U) << "a matrix and a bias";
  // Numbers in place of names may mean any classes.
  for (std::size_t i = 0; i < own.size(); ++i) checkpoint.config.labels[i] = "LABEL_" + std::to_string(i);
  EXPECT_TRUE(match_for_training(checkpoint, Task::kSequenceClassification, count, others).added.empty());
}

}  // namespace
}  // namespace transformeter
