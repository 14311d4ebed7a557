// What a model's identity is made of.
#include "run/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "schema/tokenizer_files.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

TEST(ModelDescriptionFilesTest, EveryFileThatIdsDependOnIsAmongThem) {
  std::vector<std::string> files;
  for (const char* name : model_description_files()) files.emplace_back(name);
  for (const char* name : {"config.json", "tokenizer.json", "vocab.json", "encoder.json", "vocab.txt", "merges.txt",
                           "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "added_tokens.json",
                           "special_tokens_map.json", "tokenizer_config.json"}) {
    EXPECT_THAT(files, testing::Contains(name));
  }
}

TEST(TokenizerFilesTest, WeightsAndConfigurationsAreNone) {
  EXPECT_TRUE(is_vocabulary_file("encoder.json"));
  EXPECT_FALSE(is_vocabulary_file("merges.txt"));
  EXPECT_TRUE(is_tokenizer_file("chat_template.jinja"));
  EXPECT_FALSE(is_tokenizer_file("config.json"));
  EXPECT_FALSE(is_tokenizer_file("model.safetensors"));
}

TEST(DescriberTest, KeepsWhatItHasReadWhenAWorkerKnowsFurtherFamilies) {
  const TemporaryFolder folder;
  const std::filesystem::path model = folder.path() / "model";
  std::filesystem::copy(source_directory() / "tests/data/models/tiny-bert-encoder", model);
  Describer describer(source_directory() / "share");
  const Json identity = describer.model(model.string()).identity;
  std::filesystem::remove(model / "model.safetensors");
  describer.learn(builtin_architectures());
  EXPECT_EQ(describer.model(model.string()).identity, identity);
}

// A list of labels is a label of one task and a fault in another, in whatever order they come.
TEST(DescriberTest, WhatOneTaskReadDoesNotServeAnother) {
  const TemporaryFolder folder;
  Case asked;
  asked.data = folder.write("m.jsonl", "{\"text\": \"a\", \"labels\": [\"joy\"]}\n").string();
  asked.task = Task::kMultiLabelClassification;
  Describer describer(source_directory() / "share");
  EXPECT_NO_THROW(describer.data(asked));
  asked.task = Task::kSequenceClassification;
  EXPECT_THROW(describer.data(asked), Error);
}

}  // namespace
}  // namespace transformeter
