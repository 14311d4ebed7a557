// What a model's identity is made of.
#include "run/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "run/expand.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "tokenizers/tokenizer_files.h"

namespace transformeter {
namespace {

TEST(ModelDescriptionFilesTest, EveryFileThatInputsDependOnIsAmongThem) {
  std::vector<std::string> files;
  for (const char* name : model_description_files()) files.emplace_back(name);
  for (const char* name :
       {"config.json", "tokenizer.json", "vocab.json", "encoder.json", "vocab.txt", "merges.txt", "tokenizer.model",
        "spiece.model", "sentencepiece.bpe.model", "added_tokens.json", "special_tokens_map.json",
        "tokenizer_config.json", "preprocessor_config.json", "processor_config.json"}) {
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

class SoundsOfACase : public testing::Test {
 protected:
  SoundsOfACase() {
    folder_.write("a.wav", "a");
    model_ = folder_.path() / "model";
    std::filesystem::copy(source_directory() / "tests/data/models/tiny-wav2vec2", model_);
  }
  Json workload_of(const std::string& task, const std::string& table) {
    Describer describer(source_directory() / "share");
    return describer.workload({{"model", model_.string()},
                               {"task", task},
                               {"data", folder_.write("t.csv", table).string()},
                               {"limit", "all"},
                               {"batch_size", 1}});
  }
  std::string failure_of(const std::string& task, const std::string& table) {
    try {
      workload_of(task, table);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  std::filesystem::path model_;
};

TEST_F(SoundsOfACase, AreKnownWithWhatTheyAreScoredBy) {
  const Json hello = workload_of("speech_recognition", "path,text,label\na.wav,hello,1\n");
  EXPECT_EQ(hello.at("data").at("sha256").get<std::string>().size(), 64U);
  EXPECT_EQ(hello, workload_of("speech_recognition", "path,text,label\na.wav,hello,2\n"));
  EXPECT_NE(hello, workload_of("speech_recognition", "path,text,label\na.wav,hallo,1\n"));
  EXPECT_NE(workload_of("audio_classification", "path,text,label\na.wav,hello,1\n"),
            workload_of("audio_classification", "path,text,label\na.wav,hello,2\n"));
}

TEST_F(SoundsOfACase, ThatCannotBeScoredAreRefusedBeforeAnythingStarts) {
  EXPECT_THAT(failure_of("audio_classification", "path,label\na.wav,7\n"),
              testing::AllOf(testing::HasSubstr("labels go up to 7"), testing::HasSubstr("the model has 5 classes")));
  EXPECT_THAT(failure_of("speech_recognition", "path,text\nb.wav,x\n"), testing::HasSubstr("t.csv:2: sound 'b.wav'"));
  std::filesystem::remove(model_ / "vocab.json");
  EXPECT_THAT(failure_of("speech_recognition", "path,text\na.wav,x\n"), testing::HasSubstr("vocab.json"));
  EXPECT_EQ(failure_of("speech_recognition", "path\na.wav\n"), "accepted") << "nothing is scored";
}

// Results of earlier versions are found beside today's by these. A key that changes here makes all stored runs
// strangers: a later setting needs SettingIdentity::kUnlessInitial (CONTRIBUTING.md), and so does one of the model's
// description.
TEST(StoredKeys, AreThoseOfEarlierVersions) {
  const auto keys_of = [](std::vector<std::pair<const char*, const char*>> settings) {
    Plan plan;
    settings.insert(settings.end(), {{"data", "synthetic"}, {"precision", "fp32"}, {"device", "cpu"}});
    for (const auto& [name, value] : settings) plan.apply_flag(name, value);
    ExpandOptions options;
    options.capabilities.values = {{"precision", {"fp32"}}, {"device", {"cpu"}}};
    options.capabilities.native = {{"precision", {"fp32"}}};
    Describer describer(source_directory() / "share");
    const std::vector<PlannedCase> cases = expand(plan, options, describer);
    EXPECT_EQ(cases.size(), 1U);
    const std::string workload = workload_key(cases.at(0).workload, std::nullopt);
    const std::string key = case_key(workload, cases.at(0).record.requested, Json::object(), {});
    return workload.substr(0, 16) + " " + key.substr(0, 16);
  };
  EXPECT_EQ(keys_of({{"model", "bert-test"}, {"batch_size", "4"}, {"sequence_length", "32"}}),
            "40b03e0f096b12c9 9d2ceac48c572681");
  EXPECT_EQ(keys_of({{"model", "llama-test"}, {"scenario", "generate"}, {"prompt_length", "16"}, {"new_tokens", "4"}}),
            "84234baecfe7d6e4 9235a348f1740629");
  EXPECT_EQ(keys_of({{"model", "bert-test"}, {"scenario", "train"}, {"batch_size", "4"}, {"sequence_length", "32"}}),
            "e66afb3da2dc8ceb 5b5403a6f0ebb51b");
}

}  // namespace
}  // namespace transformeter
