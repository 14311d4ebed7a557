// Folders that a training gives away: read back by this program, with the files and keys that Transformers asks for.
#include "train/model_folder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "spec/architecture.h"
#include "spec/checkpoint.h"
#include "spec/presets.h"
#include "support/full_disk.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "tasks/task_type.h"
#include "tokenizers/tokenizer_loader.h"
#include "train/trainable_parameters.h"
#include "train/trained_weights.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

fs::path models() {
  return source_directory() / "tests/data/models";
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

TrainedModel model_of(const fs::path& folder, Task task, c10::ScalarType type = at::kFloat,
                      std::optional<std::int64_t> num_labels = {}) {
  const TrainableParameters trainable = trainable_parameters(open_checkpoint(folder), task, num_labels, 1, type);
  const TrainedWeights trained = trained_weights(trainable.parameters, tensor_inventory(trainable.config, task), type);
  return {trainable.config, task, named_values(trained.weights), folder, {}};
}

TrainedModel preset_model(const std::string& name, Task task) {
  const ModelConfig config = preset(name);
  const Parameters seeded = seeded_parameters(tensor_inventory(config, task), 0.02, 3, at::kFloat);
  const TrainedWeights trained = trained_weights(seeded, tensor_inventory(config, task), at::kFloat);
  return {config, task, named_values(trained.weights), {}, source_directory() / "share/texts/vocab.txt"};
}

void expect_same_values(const fs::path& folder, const TrainedModel& model) {
  Checkpoint checkpoint = open_checkpoint(folder);
  // Images and captions are only learned: what CLIPModel does by itself is to embed images.
  EXPECT_EQ(task_of(checkpoint.config), has_captions(model.task) ? Task::kImageEmbedding : model.task);
  if (has_classes(head_of(model.task))) {
    EXPECT_EQ(checkpoint.config.num_labels, model.config.num_labels);
  }
  EXPECT_EQ(checkpoint.entries.size(), model.weights.size());
  const Parameters read =
      checkpoint_parameters(std::move(checkpoint), model.task, model.weights.front().value.scalar_type());
  for (const NamedTensor& weight : model.weights) EXPECT_TRUE(at::equal(read.at(weight.name), weight.value));
}

TEST(WriteModelFolder, OfACheckpointHasItsConfigurationAndTokenizer) {
  const TemporaryFolder output;
  const fs::path folder = output.path() / "best";
  const fs::path source = models() / "tiny-bert-classifier";
  TrainedModel model = model_of(source, Task::kSequenceClassification);
  for (const NamedTensor& weight : model.weights) weight.value.detach().add_(0.25);
  write_model_folder(folder, model);
  expect_same_values(folder, model);
  EXPECT_EQ(names_in(folder),
            (std::set<std::string>{"config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"}));
  EXPECT_EQ(read_file(folder / "vocab.txt"), read_file(source / "vocab.txt"));
  EXPECT_EQ(names_in(output.path()), std::set<std::string>{"best"});
  const Json config = Json::parse(read_file(folder / "config.json"));
  Json expected = Json::parse(read_file(source / "config.json"));
  expected.erase("dtype");
  expected.update({{"torch_dtype", "float32"}, {"problem_type", "single_label_classification"}});
  EXPECT_EQ(config, expected);
}

// With the token that a text begins with.
TEST(WriteModelFolder, OfAModelThatMakesTextsSaysHow) {
  const TemporaryFolder output;
  const fs::path folder = output.path() / "best", source = models() / "tiny-t5";
  write_model_folder(folder, model_of(source, Task::kSeq2SeqLm));
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"config.json", "generation_config.json", "model.safetensors",
                                                     "tokenizer.json", "tokenizer_config.json"}));
  EXPECT_EQ(read_file(folder / "generation_config.json"), read_file(source / "generation_config.json"));
}

TEST(WriteModelFolder, NamesTensorsAsTheOriginalClassSavesThem) {
  const TemporaryFolder output;
  for (const char* name : {"tiny-bert-tagger", "tiny-bert-reader", "tiny-bert-filler", "tiny-distilbert-classifier"}) {
    const Checkpoint original = open_checkpoint(models() / name);
    const fs::path folder = output.path() / name;
    write_model_folder(folder, model_of(models() / name, *task_of(original.config)));
    std::set<std::string> names, expected;
    for (const auto& [tensor, entry] : open_checkpoint(folder).entries) names.insert(tensor);
    for (const auto& [tensor, entry] : original.entries) expected.insert(tensor);
    EXPECT_EQ(names, expected) << name;
  }
}

TEST(WriteModelFolder, ServesEveryFamilyAndTask) {
  const TemporaryFolder output;
  for (const auto& entry : fs::directory_iterator(models())) {
    if (!entry.is_directory()) continue;
    const ModelConfig config = open_checkpoint(entry.path()).config;
    for (Task task : tasks_of(*config.architecture)) {
      SCOPED_TRACE(entry.path().filename().string() + ", " + std::string(name_of(task)));
      if (!task_type(task).loss) continue;
      const TrainedModel model = model_of(entry.path(), task);
      write_model_folder(output.path() / "best", model);
      expect_same_values(output.path() / "best", model);
    }
  }
}

TEST(WriteModelFolder, KeepsTheTypeOfTheWeights) {
  const TemporaryFolder output;
  const TrainedModel model =
      model_of(models() / "tiny-bert-classifier", Task::kSequenceClassification, at::kBFloat16, 5);
  write_model_folder(output.path() / "best", model);
  expect_same_values(output.path() / "best", model);
  const Checkpoint checkpoint = open_checkpoint(output.path() / "best");
  EXPECT_EQ(checkpoint.entries.at("classifier.weight").dtype, "BF16");
  EXPECT_EQ(checkpoint.config.source.at("torch_dtype"), "bfloat16");
  EXPECT_EQ(checkpoint.config.labels.back(), "LABEL_4");
}

TEST(WriteModelFolder, OfAPresetIsAModelLikeAnyOther) {
  const TemporaryFolder output;
  const TrainedModel model = preset_model("distilbert-test", Task::kTokenClassification);
  write_model_folder(output.path() / "best", model);
  expect_same_values(output.path() / "best", model);
  EXPECT_EQ(Json::parse(read_file(output.path() / "best/config.json")).at("hidden_dim"), 128);
  const auto tokenizer = load_tokenizer(output.path() / "best");
  const auto bundled = load_tokenizer(model.vocabulary.value());
  EXPECT_EQ(tokenizer->encode("A good Film!").ids, bundled->encode("A good Film!").ids);
}

TEST(WriteModelFolder, OfAPresetWithATokenizerOfItsOwnHasNoVocabularyOfAnothers) {
  const TemporaryFolder output;
  TrainedModel model = preset_model("distilbert-test", Task::kTokenClassification);
  model.vocabulary.reset();
  write_model_folder(output.path() / "best", model);
  EXPECT_EQ(names_in(output.path() / "best"), (std::set<std::string>{"config.json", "model.safetensors"}));
}

// Transformers would lower-case a text for any vocabulary, and for some families not take it for WordPiece at all.
TEST(WriteModelFolder, SaysHowAVocabularyAloneIsUsed) {
  const TemporaryFolder output, source;
  for (const char* file : {"config.json", "model.safetensors"}) {
    fs::copy(models() / "tiny-bert-classifier" / file, source.path() / file);
  }
  const auto lower_cases = [&](const std::string& words) {
    source.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n" + words);
    write_model_folder(output.path() / "best", model_of(source.path(), Task::kSequenceClassification));
    const Json config = Json::parse(read_file(output.path() / "best/tokenizer_config.json"));
    EXPECT_EQ(config.at("tokenizer_class"), "BertTokenizer");
    EXPECT_EQ(config.at("model_max_length"), 40);
    return config.at("do_lower_case").get<bool>();
  };
  EXPECT_TRUE(lower_cases("the\nfilm\n"));
  EXPECT_FALSE(lower_cases("The\nfilm\n"));
}

TEST(WriteModelFolder, OfMpnetsOwnVocabularyNamesItsClass) {
  const TemporaryFolder output, source;
  for (const char* file : {"config.json", "model.safetensors"}) {
    fs::copy(models() / "tiny-mpnet" / file, source.path() / file);
  }
  source.write("vocab.txt", "<s>\n<pad>\n</s>\n[UNK]\nthe\nFilm\n<mask>\n");
  write_model_folder(output.path() / "best", model_of(source.path(), Task::kSequenceClassification));
  const Json config = Json::parse(read_file(output.path() / "best/tokenizer_config.json"));
  EXPECT_EQ(config.at("tokenizer_class"), "MPNetTokenizer");
  EXPECT_EQ(config.at("do_lower_case"), true);
  EXPECT_EQ(load_tokenizer(output.path() / "best")->encode("the").ids, (std::vector<std::int32_t>{0, 4, 2}));
}

TEST(WriteModelFolder, TakesThePlaceOfAnOlderOne) {
  const TemporaryFolder output;
  const fs::path folder = output.path() / "best";
  TrainedModel model = model_of(models() / "tiny-bert-classifier", Task::kSequenceClassification);
  write_model_folder(folder, model);
  model.weights.front().value.detach().fill_(0.5);
  model.checkpoint = folder;  // as of a training that goes on with its own best
  write_model_folder(folder, model);
  expect_same_values(folder, model);
  EXPECT_EQ(names_in(output.path()), std::set<std::string>{"best"});
  EXPECT_TRUE(fs::exists(folder / "vocab.txt"));
}

TEST(WriteModelFolder, AFullDiskLeavesTheOlderOne) {
  const TemporaryFolder output;
  const fs::path folder = output.path() / "best";
  TrainedModel model = model_of(models() / "tiny-bert-classifier", Task::kSequenceClassification);
  write_model_folder(folder, model);
  const std::string before = read_file(folder / "model.safetensors");
  const int result = with_largest_file(4096, [&] {
    try {
      write_model_folder(folder, model);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kEnvironment && std::strstr(error.what(), "File too large") != nullptr ? 0 : 1;
    }
    return 2;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(read_file(folder / "model.safetensors"), before);
  EXPECT_EQ(names_in(output.path()), std::set<std::string>{"best"});
}

TEST(WriteModelFolder, WhatCouldNotBeReadIsNotThere) {
  const TemporaryFolder output;
  TrainedModel model = model_of(models() / "tiny-bert-classifier", Task::kSequenceClassification);
  model.weights.pop_back();
  try {
    write_model_folder(output.path() / "best", model);
    FAIL() << "a model without its last tensor was given away";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no tensor 'classifier.bias'"));
  }
  EXPECT_TRUE(fs::is_empty(output.path()));
}

}  // namespace
}  // namespace transformeter
