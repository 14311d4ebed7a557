// Folders as Transformers writes them, and the ways in which they can be wrong.
#include "spec/checkpoint.h"

#include "spec/presets.h"
#include "spec/spec_testing.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

TEST(OpenCheckpoint, EveryParameterOfTheReferenceModelsIsFound) {
  for (const auto& [name, task] : {std::pair("tiny-bert-classifier", Task::kSequenceClassification),
                                   std::pair("tiny-distilbert-classifier", Task::kSequenceClassification),
                                   std::pair("tiny-bert-encoder", Task::kEmbedding)}) {
    const Checkpoint checkpoint = open_checkpoint(models_folder() / name);
    EXPECT_NO_THROW(check_task(checkpoint, task));
    const auto inventory = tensor_inventory(checkpoint.config, task);
    const CheckpointMatch match = match_checkpoint(checkpoint, task);
    ASSERT_EQ(match.tensors.size(), inventory.size());
    for (std::size_t i = 0; i < inventory.size(); ++i) {
      EXPECT_EQ(match.tensors[i].parameter, inventory[i]);
      EXPECT_LE(match.tensors[i].entry.end, checkpoint.files.at(0).mapping.bytes().size());
    }
  }
}

TEST(OpenCheckpoint, TakesTheOnlySafetensorsFile) {
  TemporaryFolder folder;
  folder.write("config.json", to_json(preset("bert-test")).dump());
  folder.write("weights.safetensors", safetensors_file("{}", 0));
  EXPECT_EQ(open_checkpoint(folder.path()).files.at(0).path.filename(), "weights.safetensors");
  folder.write("more.safetensors", safetensors_file("{}", 0));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { open_checkpoint(folder.path()); }),
              HasSubstr("2 *.safetensors files"));
  folder.write("model.safetensors", safetensors_file("{}", 0));
  EXPECT_EQ(open_checkpoint(folder.path()).files.at(0).path.filename(), "model.safetensors");
}

TEST(OpenCheckpoint, TakesEndTokensFromTheGenerationsConfiguration) {
  const TemporaryFolder folder;
  Json config = to_json(preset("gpt2-test"));
  config["eos_token_id"] = 7;
  folder.write("config.json", config.dump());
  folder.write("model.safetensors", safetensors_file("{}", 0));
  EXPECT_THAT(open_checkpoint(folder.path()).config.eos_token_ids, ElementsAre(7));
  folder.write("generation_config.json", R"({"eos_token_id": [3, 9]})");
  EXPECT_THAT(open_checkpoint(folder.path()).config.eos_token_ids, ElementsAre(3, 9));
  folder.write("generation_config.json", R"({"eos_token_id": "x"})");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { open_checkpoint(folder.path()); }), HasSubstr("eos_token_id"));
}

TEST(OpenCheckpoint, SaysWhatIsMissingOrBroken) {
  TemporaryFolder folder;
  const auto message = [&](ErrorKind kind) { return message_of(kind, [&] { open_checkpoint(folder.path()); }); };
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { open_checkpoint(folder.path() / "nowhere"); }),
              AllOf(HasSubstr("nowhere"), HasSubstr("is not a folder")));
  EXPECT_THAT(message(ErrorKind::kBadInput), HasSubstr("config.json"));
  folder.write("config.json", "{");
  EXPECT_THAT(message(ErrorKind::kBadInput), HasSubstr("not valid JSON"));
  folder.write("config.json", to_json(preset("bert-test")).dump());
  EXPECT_THAT(message(ErrorKind::kBadInput), HasSubstr("no model.safetensors"));
  folder.write("pytorch_model-00001-of-00002.bin", "x");
  EXPECT_THAT(message(ErrorKind::kUnsupported),
              AllOf(HasSubstr("pytorch_model-00001-of-00002.bin"), HasSubstr("save it again")));
  folder.write("pytorch_model.bin", "x");
  EXPECT_THAT(
      message(ErrorKind::kUnsupported),
      AllOf(HasSubstr("pytorch_model.bin"), HasSubstr("torch.load('pytorch_model.bin', 'cpu', weights_only=True)")));
  folder.write("model.safetensors", "");
  EXPECT_THAT(message(ErrorKind::kBadInput), AllOf(HasSubstr("model.safetensors"), HasSubstr("0 bytes")));
  // Transformers adds it to the weights of another model, whatever lies beside it.
  folder.write("adapter_config.json", R"({"base_model_name_or_path": "org/base", "peft_type": "LORA"})");
  EXPECT_THAT(message(ErrorKind::kUnsupported),
              AllOf(HasSubstr("adapter"), HasSubstr("org/base"), HasSubstr("merge_and_unload")));
}

TEST(OpenCheckpoint, RefusesAModelInAFolderOfTheFolder) {
  TemporaryFolder folder;
  folder.write("config.json", R"({"__version__": "1.0"})");
  folder.write("modules.json", R"([{"path": "0_Transformer", "type": "sentence_transformers.models.Transformer"}])");
  EXPECT_THAT(message_of(ErrorKind::kUnsupported, [&] { open_checkpoint(folder.path()); }),
              AllOf(HasSubstr("0_Transformer"), HasSubstr("modules.json")));
}

/// A folder with bert-test's configuration and two files, of the tensors `first` and `second`.
void write_shards(const TemporaryFolder& folder, const std::string& first, const std::string& second, const Json& map) {
  const auto file = [](const std::string& name) {
    return safetensors_file(Json{{name, {{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {0, 8}}}}}.dump(), 8);
  };
  folder.write("config.json", to_json(preset("bert-test")).dump());
  folder.write("model-00001-of-00002.safetensors", file(first));
  folder.write("model-00002-of-00002.safetensors", file(second));
  folder.write("model.safetensors.index.json", Json{{"weight_map", map}}.dump());
}

TEST(OpenCheckpoint, JoinsTheShardsOfAnIndex) {
  const TemporaryFolder folder;
  const Json map = {{"a", "model-00001-of-00002.safetensors"}, {"b", "model-00002-of-00002.safetensors"}};
  write_shards(folder, "a", "b", map);
  const Checkpoint checkpoint = open_checkpoint(folder.path());
  ASSERT_EQ(checkpoint.files.size(), 2u);
  EXPECT_EQ(checkpoint.entries.at("a").file, 0u);
  EXPECT_EQ(checkpoint.entries.at("b").file, 1u);
  EXPECT_EQ(checkpoint.files[1].path.filename(), "model-00002-of-00002.safetensors");
}

TEST(OpenCheckpoint, RefusesAnIndexThatIsNotKept) {
  const Json map = {{"a", "model-00001-of-00002.safetensors"}, {"b", "model-00002-of-00002.safetensors"}};
  const auto message = [](const TemporaryFolder& folder) {
    return message_of(ErrorKind::kBadInput, [&] { open_checkpoint(folder.path()); });
  };
  const TemporaryFolder missing;
  write_shards(missing, "a", "b", map);
  fs::remove(missing.path() / "model-00002-of-00002.safetensors");
  EXPECT_THAT(message(missing), AllOf(HasSubstr("00002-of-00002.safetensors is missing"), HasSubstr("one of 2 files")));
  const TemporaryFolder lacking;
  write_shards(lacking, "a", "c", map);
  EXPECT_THAT(message(lacking), AllOf(HasSubstr("'c'"), HasSubstr("does not list")));
  const TemporaryFolder elsewhere;
  write_shards(elsewhere, "b", "a", map);
  EXPECT_THAT(message(elsewhere), HasSubstr("assigns to"));
  Json more = map;
  more["d"] = "model-00001-of-00002.safetensors";
  const TemporaryFolder fewer;
  write_shards(fewer, "a", "b", more);
  EXPECT_THAT(message(fewer), AllOf(HasSubstr("has no tensor 'd'")));
  Json away = map;
  away["a"] = "../model-00001-of-00002.safetensors";
  const TemporaryFolder outside;
  write_shards(outside, "a", "b", away);
  EXPECT_THAT(message(outside), AllOf(HasSubstr("../model"), HasSubstr("without a path")));
  const TemporaryFolder broken;
  write_shards(broken, "a", "b", map);
  broken.write("model.safetensors.index.json", "{}");
  EXPECT_THAT(message(broken), HasSubstr("weight_map"));
}

TEST(CheckTask, RefusesTheOtherClassifierOnly) {
  const Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-bert-classifier");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { check_task(checkpoint, Task::kTokenClassification); }),
              AllOf(HasSubstr("'token_classification'"), HasSubstr("saved for sequence_classification")));
  EXPECT_NO_THROW(check_task(checkpoint, Task::kEmbedding));
}

// cross-encoder/stsb-roberta-base, among others, does not say what its head is for.
TEST(CheckTask, AHeadAnswersWhatItsProblemTypeSaysOrWhateverItIsAsked) {
  Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-distilbert-classifier");
  checkpoint.config.source["problem_type"] = nullptr;
  for (const Task task : {Task::kSequenceClassification, Task::kMultiLabelClassification, Task::kRegression}) {
    EXPECT_NO_THROW(check_task(checkpoint, task)) << name_of(task);
  }
  checkpoint.config.source["problem_type"] = "regression";
  EXPECT_NO_THROW(check_task(checkpoint, Task::kRegression));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { check_task(checkpoint, Task::kSequenceClassification); }),
              testing::HasSubstr("was saved for regression"));
}

/// Entries that hold the whole inventory under its own names.
SafetensorsEntries entries_of(const std::vector<TensorSpec>& inventory) {
  SafetensorsEntries entries;
  for (const TensorSpec& tensor : inventory) entries[tensor.name] = {"F32", tensor.shape, 0, 0};
  return entries;
}

void rename(SafetensorsEntries& entries, const std::string& from, const std::string& to) {
  entries[to] = entries.at(from);
  entries.erase(from);
}

TEST(MatchCheckpoint, AcceptsTheNamesOfOtherWriters) {
  const ModelConfig config = preset("bert-test");
  const auto inventory = tensor_inventory(config, Task::kMaskedLm);
  SafetensorsEntries entries = entries_of(inventory);
  rename(entries, "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight");
  rename(entries, "bert.embeddings.position_embeddings.weight", "embeddings.position_embeddings.weight");
  rename(entries, "bert.embeddings.LayerNorm.weight", "bert.embeddings.LayerNorm.gamma");
  rename(entries, "bert.embeddings.LayerNorm.bias", "embeddings.LayerNorm.beta");
  const CheckpointMatch match = match_checkpoint(config, Task::kMaskedLm, entries, "m");
  EXPECT_EQ(match.tensors[0].file_name, "cls.predictions.decoder.weight");
  EXPECT_EQ(match.tensors[1].file_name, "embeddings.position_embeddings.weight");
  EXPECT_EQ(match.tensors[3].file_name, "bert.embeddings.LayerNorm.gamma");
  EXPECT_EQ(match.tensors[4].file_name, "embeddings.LayerNorm.beta");
  EXPECT_THAT(match.ignored, IsEmpty());
}

TEST(MatchCheckpoint, IgnoresKnownExtrasAndSaysWhich) {
  const ModelConfig config = preset("bert-test");
  const auto inventory = tensor_inventory(config, Task::kMaskedLm);
  SafetensorsEntries entries = entries_of(inventory);
  for (const char* name :
       {"bert.embeddings.position_ids", "bert.pooler.dense.weight", "classifier.bias", "cls.seq_relationship.weight"}) {
    entries[name] = {"I64", {1}, 0, 0};
  }
  entries["cls.predictions.decoder.bias"] = entries["cls.predictions.bias"];
  EXPECT_THAT(match_checkpoint(config, Task::kMaskedLm, entries, "m").ignored,
              ElementsAre("bert.embeddings.position_ids", "bert.pooler.dense.weight", "classifier.bias",
                          "cls.predictions.bias", "cls.seq_relationship.weight"))
      << "of two biases the decoder's own is added";
}

TEST(MatchCheckpoint, RefusesMissingSurplusAndMisshapenTensors) {
  const ModelConfig config = preset("bert-test");
  const auto inventory = tensor_inventory(config, Task::kEmbedding);
  const SafetensorsEntries good = entries_of(inventory);
  const auto message = [&](const SafetensorsEntries& entries) {
    return message_of(ErrorKind::kBadInput, [&] { match_checkpoint(config, Task::kEmbedding, entries, "folder/m"); });
  };
  const std::string query = "bert.encoder.layer.1.attention.self.query.weight";

  SafetensorsEntries entries = good;
  rename(entries, query, "bert.encoder.layer.1.attention.self.query.wieght");
  EXPECT_THAT(message(entries), AllOf(HasSubstr("folder/m has no tensor '" + query + "'"), HasSubstr("[64, 64]"),
                                      HasSubstr("closest name is 'bert.encoder.layer.1.attention.self.query.wieght'")));
  entries = good;
  entries[query].shape = {64, 32};
  EXPECT_THAT(message(entries), AllOf(HasSubstr("'" + query + "' has shape [64, 32]"), HasSubstr("requires [64, 64]")));
  entries = good;
  entries["bert.encoder.layer.2.output.dense.bias"] = {"F32", {64}, 0, 0};
  EXPECT_THAT(message(entries),
              AllOf(HasSubstr("'bert.encoder.layer.2.output.dense.bias' of shape [64]"),
                    HasSubstr("an unexpected tensor"), HasSubstr("closest name is 'bert.encoder.layer.")));
  entries = good;
  entries["embeddings.LayerNorm.weight"] = {"F32", {64}, 0, 0};
  EXPECT_THAT(message(entries), HasSubstr("'embeddings.LayerNorm.weight'")) << "twice, with and without the prefix";
  entries = good;
  entries[query].dtype = "I8";
  EXPECT_THAT(message(entries), AllOf(HasSubstr(query), HasSubstr("'I8'"), HasSubstr("F64, F32, F16, BF16")));
}

TEST(MatchCheckpoint, AnEncoderAloneDoesNotServeATaskAndTheErrorSaysWhichItServes) {
  const Checkpoint encoder = open_checkpoint(models_folder() / "tiny-bert-encoder");
  EXPECT_THAT(
      message_of(ErrorKind::kUnsupported,
                 [&] { match_checkpoint(encoder.config, Task::kSequenceClassification, encoder.entries, "m"); }),
      AllOf(HasSubstr("'classifier.weight' of shape [2, 32]"), HasSubstr("--task embedding")));
  SafetensorsEntries half = encoder.entries;
  half["classifier.bias"] = SafetensorsEntry{"F32", {2}, 0, 8};
  EXPECT_THAT(message_of(ErrorKind::kBadInput,
                         [&] { match_checkpoint(encoder.config, Task::kSequenceClassification, half, "m"); }),
              HasSubstr("'classifier.weight'"));
}

}  // namespace
}  // namespace transformeter
