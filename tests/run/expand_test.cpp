// Expansion on presets and the bundled texts: order, resolution of auto, identities and impossible points.
#include "run/expand.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "run/model_families.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A copy of a tiny model whose config.json does not say which class saved it.
std::filesystem::path without_class(const TemporaryFolder& folder, const std::string& name) {
  const auto model = folder.path() / name;
  std::filesystem::copy(source_directory() / "tests/data/models" / name, model);
  Json config = parse_json("config.json", read_file(model / "config.json"));
  config.erase("architectures");
  folder.write(name + "/config.json", config.dump());
  return model;
}

class Expand : public testing::Test {
 protected:
  Expand() {
    plan_.apply_flag("model", "bert-test");
    plan_.apply_flag("batch_size", "1");
    plan_.apply_flag("sequence_length", "16");
    options_.cores = 6;
    options_.capabilities.values = {{"precision", {"fp32", "bf16"}}, {"device", {"cpu"}}};
    options_.capabilities.native = {{"precision", {"fp32"}}};
  }
  std::vector<PlannedCase> cases() { return expand(plan_, options_, describer_); }
  std::string refusal() {
    try {
      cases();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "accepted";
  }

  Plan plan_;
  ExpandOptions options_;
  Describer describer_{source_directory() / "share"};
};

TEST_F(Expand, IsTheProductInDeclaredOrder) {
  plan_.apply_flag("batch_size", "8,1");
  plan_.apply_flag("sequence_length", "16,natural");
  plan_.apply_flag("precision", "fp32");
  const auto all = cases();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].record.requested["batch_size"], 8);
  EXPECT_EQ(all[0].record.requested["sequence_length"], 16);
  EXPECT_EQ(all[1].record.requested["sequence_length"], "natural");
  EXPECT_EQ(all[2].record.requested["batch_size"], 1);
  EXPECT_EQ(all[0].record.id, "c01");
  EXPECT_EQ(all[3].record.id, "c04");
  EXPECT_EQ(all[3].record.position, 3);
  EXPECT_FALSE(all[0].record.requested.contains("store"));
  EXPECT_EQ(cheapest_first(all), (std::vector<std::size_t>{2, 3, 0, 1}));
}

TEST_F(Expand, AMaximumLengthIsPartOfTheWorkWhereTextsHaveNaturalLengths) {
  plan_.apply_flag("sequence_length", "16,natural");
  const auto without = cases();
  ASSERT_EQ(without.size(), 2U);
  EXPECT_FALSE(without[1].record.requested.contains("max_length"));
  plan_.apply_flag("max_length", "8,32");
  const auto with = cases();
  ASSERT_EQ(with.size(), 3U) << "the fixed length once";
  EXPECT_FALSE(with[0].record.requested.contains("max_length"));
  EXPECT_EQ(with[0].record.plan_key, without[0].record.plan_key);
  EXPECT_EQ(with[1].record.requested.at("max_length"), 8);
  EXPECT_EQ(with[2].asked.max_length, 32);
  const auto key = [](const PlannedCase& one) { return workload_key(one.workload, std::nullopt); };
  EXPECT_EQ(std::set<std::string>({key(without[1]), key(with[1]), key(with[2])}).size(), 3U);
}

TEST_F(Expand, AMaximumLengthThatAppliesToNoCaseIsBadInput) {
  plan_.apply_flag("max_length", "8");
  EXPECT_THAT(refusal(), HasSubstr("max_length only applies to scenarios batch, offline and train with sequence_length "
                                   "natural"));
  plan_.apply_flag("sequence_length", "natural");
  EXPECT_EQ(refusal(), "accepted");
  plan_.apply_flag("data", "synthetic");
  EXPECT_THAT(refusal(), HasSubstr("not synthetic"));
  plan_.apply_flag("data", "bundled");
  plan_.apply_flag("scenario", "offline");
  EXPECT_EQ(cases().at(0).record.requested.at("max_length"), 8);
}

TEST_F(Expand, AMaximumLengthBeyondTheModelIsNoShapeOfIt) {
  plan_.apply_flag("sequence_length", "natural");
  plan_.apply_flag("max_length", "128,129");
  const auto all = cases();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].record.status, std::nullopt) << all[0].record.status_reason;
  EXPECT_EQ(all[1].record.status, Status::kUnsupportedShape);
  EXPECT_THAT(all[1].record.status_reason, HasSubstr("max_length 129 exceeds the 128 positions"));
}

TEST_F(Expand, AdaptersAreAnAxisOfTrainingAlone) {
  plan_.apply_flag("precision", "fp32");
  plan_.apply_flag("lora_rank", "off,4,8");
  plan_.apply_flag("lora_alpha", "8,16");
  EXPECT_THAT(refusal(), HasSubstr("lora_rank only applies to scenario train"));
  plan_.apply_flag("scenario", "train");
  const auto all = cases();
  ASSERT_EQ(all.size(), 5U) << "without adapters there is no alpha";
  EXPECT_EQ(all[0].record.requested.at("lora_rank"), "off");
  EXPECT_FALSE(all[0].record.requested.contains("lora_alpha"));
  EXPECT_EQ(all[1].asked.lora_rank, 4);
  EXPECT_EQ(all[2].asked.lora_alpha, 16);
  EXPECT_EQ(all[0].workload, all[1].workload) << "so that their speed can be compared";
  plan_.apply_flag("lora_rank", "off");
  EXPECT_THAT(refusal(), HasSubstr("lora_alpha only applies to scenario train with lora_rank N"));
}

TEST_F(Expand, AdaptersThatAModelCannotHaveAreRefusedBeforeAnythingStarts) {
  plan_.apply_flag("precision", "fp32");
  plan_.apply_flag("scenario", "train");
  plan_.apply_flag("lora_rank", "8");
  plan_.apply_flag("lora_targets", "query,valeu");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("lora_targets 'valeu' is not known"), HasSubstr("Did you mean 'value'?")));
  plan_.apply_flag("lora_targets", "query");
  plan_.apply_flag("model", "bert-test,squeezebert");
  const auto all = cases();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].record.status, std::nullopt) << all[0].record.status_reason;
  EXPECT_EQ(all[1].record.status, Status::kUnsupported);
  EXPECT_THAT(all[1].record.status_reason, HasSubstr("is a convolution"));
}

TEST_F(Expand, ResolvesAutoBeforeTheKey) {
  const auto one = cases();
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].record.requested["precision"], "fp32");
  EXPECT_EQ(one[0].record.requested["device"], "cpu");
  EXPECT_EQ(one[0].record.requested["threads"], 6);
  EXPECT_EQ(one[0].record.requested["warmup"], "auto");
  plan_.apply_flag("threads", "6");
  plan_.apply_flag("precision", "fp32");
  EXPECT_EQ(cases()[0].record.plan_key, one[0].record.plan_key);
}

TEST_F(Expand, AutoPrecisionTakesNativeBf16AndCollapsesDuplicates) {
  options_.capabilities.native["precision"] = {"fp32", "bf16"};
  ASSERT_EQ(cases().size(), 2U);
  plan_.apply_flag("precision", "fp32,auto");
  const auto both = cases();
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].record.requested["precision"], "bf16");
  EXPECT_EQ(both[1].record.id, "c02");
}

TEST_F(Expand, AutoPrecisionIsOnePointWhereEngineAutoMayChooseIt) {
  options_.capabilities.native["precision"] = {"fp32", "bf16"};
  options_.capabilities.engines = {{"auto", {}}, {"fast", {}}};
  plan_.apply_flag("engine", "auto");
  EXPECT_EQ(cases().size(), 2U);
  plan_.apply_flag("divergence_limit", "0.01");
  ASSERT_EQ(cases().size(), 1U);
  EXPECT_EQ(cases()[0].record.requested["precision"], "fp32") << "what trials begin with";
  plan_.apply_flag("precision", "bf16");
  EXPECT_EQ(cases()[0].record.requested["precision"], "bf16");
  options_.capabilities.engines.erase("auto");
  EXPECT_EQ(cases()[0].record.status, Status::kUnsupported);
}

TEST_F(Expand, AutoPrecisionLeavesOutWhatAnEngineDoesNotHave) {
  options_.capabilities.native["precision"] = {"fp32", "bf16"};
  options_.capabilities.engines = {{"onnxruntime", {}}, {"fast", {}}};
  options_.capabilities.conflicts = {{{{"engine", {"onnxruntime"}}, {"precision", {"bf16"}}}, "it has no bf16"}};
  plan_.apply_flag("engine", "fast");
  EXPECT_EQ(cases().size(), 2U);
  plan_.apply_flag("engine", "onnxruntime");
  EXPECT_EQ(cases().size(), 1U);
  plan_.apply_flag("precision", "auto,bf16");
  EXPECT_EQ(cases().size(), 2U) << "asked for by name, it is answered";
}

TEST_F(Expand, SaysWhatDoesNotGoTogetherBeforeWhatIsNotHere) {
  options_.capabilities.values["device"] = {"cpu"};
  options_.capabilities.reasons["device=cuda"] = "no driver";
  options_.capabilities.values["engine"] = {"pytorch", "fast"};
  options_.capabilities.conflicts = {{{{"device", {"cuda"}}, {"engine", {"fast"}}}, "fast runs on the CPU only"}};
  plan_.apply_flag("device", "cuda");
  EXPECT_EQ(cases()[0].record.status_reason, "device cuda:0: no driver");
  plan_.apply_flag("engine", "fast");
  EXPECT_EQ(cases()[0].record.status_reason, "fast runs on the CPU only");
  options_.capabilities.values["engine"] = {"pytorch"};
  options_.capabilities.reasons["engine=fast"] = "not installed";
  EXPECT_EQ(cases()[0].record.status_reason, "engine fast: not installed");
}

TEST_F(Expand, AutoPrecisionGoesByThePointsDevice) {
  options_.capabilities.values["device"] = {"cuda:0", "cpu"};
  options_.capabilities.native["precision@cuda"] = {"fp32", "bf16"};
  plan_.apply_flag("device", "cpu,cuda");
  std::vector<std::string> found;
  for (const PlannedCase& one : cases()) {
    found.push_back(one.record.requested.at("device").get<std::string>() + " " +
                    one.record.requested.at("precision").get<std::string>());
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre("cpu fp32", "cuda:0 fp32", "cuda:0 bf16"));
  plan_.apply_flag("precision", "auto,bf16");
  EXPECT_EQ(cases().size(), 4U) << "asked for by name, it is emulated";
}

TEST_F(Expand, AnswersImpossiblePointsBeforehand) {
  options_.capabilities.values["attention"] = {"sdpa"};
  options_.capabilities.reasons["attention=eager"] = "not in this build";
  plan_.apply_flag("attention", "sdpa,eager");
  plan_.apply_flag("sequence_length", "128,129");
  const auto all = cases();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_FALSE(all[0].record.status);
  EXPECT_EQ(all[1].record.status, Status::kUnsupported);
  EXPECT_THAT(all[1].record.status_reason, HasSubstr("attention eager: not in this build"));
  EXPECT_EQ(all[2].record.status, Status::kUnsupportedShape);
  EXPECT_THAT(all[2].record.status_reason, testing::AllOf(HasSubstr("129"), HasSubstr("128 positions")));
}

TEST_F(Expand, ATaskWithoutAHeadIsUnsupported) {
  plan_.apply_flag("task", "causal_lm");
  EXPECT_EQ(cases().at(0).record.status, Status::kUnsupported);
  EXPECT_THAT(cases().at(0).record.status_reason, HasSubstr("causal_lm"));
}

TEST_F(Expand, TheTaskIsWhatAFolderWasSavedFor) {
  const auto task_of = [&](const std::string& model) {
    plan_.apply_flag("model", model);
    return cases().at(0).record.requested.at("task").get<std::string>();
  };
  const auto folder = [](const char* name) { return (source_directory() / "tests/data/models" / name).string(); };
  EXPECT_EQ(task_of("bert-test"), "sequence_classification");
  EXPECT_EQ(task_of("gpt2-test"), "causal_lm");
  EXPECT_EQ(task_of(folder("tiny-bert-reader")), "question_answering");
  EXPECT_EQ(task_of(folder("tiny-bert-encoder")), "embedding");
  plan_.apply_flag("pooling", "cls");
  EXPECT_EQ(task_of(folder("tiny-bert-encoder")), "embedding") << "the pooling is of use";
  EXPECT_THAT([&] { task_of("bert-test"); },
              testing::ThrowsMessage<Error>(HasSubstr("pooling only applies to task embedding")));
}

TEST_F(Expand, AFolderThatDoesNotSayWhatItWasSavedForIsAskedWhatItCanDo) {
  const TemporaryFolder folder;
  const auto model = without_class(folder, "tiny-bert-encoder");
  plan_.apply_flag("model", model.string());
  EXPECT_EQ(cases().at(0).record.requested.at("task"), "embedding") << "it has no head";
  Json config = parse_json("config.json", read_file(model / "config.json"));
  config["architectures"] = {"BertLMHeadModel"};
  folder.write("tiny-bert-encoder/config.json", config.dump());
  Describer fresh(source_directory() / "share");
  EXPECT_EQ(expand(plan_, options_, fresh).at(0).record.requested.at("task"), "embedding") << "no task of this family";
}

TEST_F(Expand, AFolderThatDoesNotSayIsAskedForTheHeadThatItHas) {
  const std::map<std::string, std::string> tasks = {{"tiny-bert-filler", "masked_lm"},
                                                    {"tiny-bert-reader", "question_answering"},
                                                    {"tiny-bert-tagger", "token_classification"},
                                                    {"tiny-bert-classifier", "sequence_classification"}};
  const TemporaryFolder folder;
  for (const auto& [name, task] : tasks) {
    plan_.apply_flag("model", without_class(folder, name).string());
    EXPECT_EQ(cases().at(0).record.requested.at("task"), task) << name;
  }
}

TEST_F(Expand, AFolderOfSoundsThatDoesNotSayIsAskedForItsClassifierBeforeAVector) {
  const TemporaryFolder folder;
  const auto model = without_class(folder, "tiny-wav2vec2");
  std::string weights = read_file(model / "model.safetensors");
  const std::string_view head = "lm_head.weight";
  weights.replace(weights.find(head), head.size(), "lm_head.unused");  // of the same length, as the header's is said
  folder.write("tiny-wav2vec2/model.safetensors", weights);
  Plan plan;  // of a model without a sequence length
  plan.apply_flag("model", model.string());
  EXPECT_EQ(expand(plan, options_, describer_).at(0).record.requested.at("task"), "audio_classification");
}

// Each token needs a step of the decoder and its table of words; the prompt passes through the encoder once.
TEST_F(Expand, OfAnEncoderDecoderNewTokensCostMoreThanThePrompt) {
  Plan plan;
  plan.apply_flag("model", "t5-test");
  plan.apply_flag("scenario", "generate");
  plan.apply_flag("prompt_length", "64,4");
  plan.apply_flag("new_tokens", "64,4");
  std::map<std::pair<int, int>, double> costs;
  for (const PlannedCase& one : expand(plan, options_, describer_)) {
    costs[{one.record.requested.at("prompt_length"), one.record.requested.at("new_tokens")}] = one.cost;
  }
  ASSERT_EQ(costs.size(), 4U);
  EXPECT_GT(costs.at({4, 64}), 2 * costs.at({64, 4}));
  EXPECT_GT(costs.at({64, 4}), costs.at({4, 4}));
}

TEST_F(Expand, EachScenarioHasItsOwnTask) {
  plan_.apply_flag("model", (source_directory() / "tests/data/models/tiny-bert-reader").string());
  plan_.apply_flag("scenario", "batch,generate,train");
  std::map<std::string, std::string> tasks;
  for (const PlannedCase& one : cases()) tasks[one.record.requested["scenario"]] = one.record.requested["task"];
  EXPECT_EQ(tasks,
            (std::map<std::string, std::string>{
                {"batch", "question_answering"}, {"generate", "causal_lm"}, {"train", "sequence_classification"}}));
}

TEST_F(Expand, ATokenizerThatCannotBeReadIsRefusedBeforeAnythingStarts) {
  const TemporaryFolder folder;
  const auto model = folder.path() / "model";
  std::filesystem::copy(source_directory() / "tests/data/models/tiny-bert-encoder", model);
  plan_.apply_flag("model", model.string());
  const auto refusal_of_model = [&] {
    Describer fresh(source_directory() / "share");
    try {
      expand(plan_, options_, fresh);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kBadInput ? error.what() : std::string("another kind");
    }
    return std::string();
  };
  EXPECT_EQ(refusal_of_model(), "");
  const std::string words = read_file(model / "vocab.txt");
  folder.write("model/vocab.txt", words + "onemore\nandanother\n");
  EXPECT_THAT(refusal_of_model(), HasSubstr("use the model's own tokenizer"));
  folder.write("model/vocab.txt", words);
  folder.write("model/tokenizer.json", R"({"model": {"type": "WordPiece", "vo)");
  EXPECT_THAT(refusal_of_model(), testing::AllOf(HasSubstr("tokenizer.json: not valid JSON (at byte"),
                                                 testing::Not(HasSubstr("json.exception"))));
  std::filesystem::remove(model / "tokenizer.json");
  std::filesystem::remove(model / "vocab.txt");
  EXPECT_THAT(refusal_of_model(), HasSubstr("it must contain tokenizer.json"));
}

TEST_F(Expand, RefusesUnknownModelsAndData) {
  plan_.apply_flag("model", "bert-tset");
  try {
    cases();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("'bert-tset'"), HasSubstr("Did you mean 'bert-test'?"),
                                             HasSubstr("a folder")));
  }
  plan_.apply_flag("model", "bert-test");
  plan_.apply_flag("data", "/nowhere.tsv");
  EXPECT_THROW(cases(), Error);
}

TEST_F(Expand, KeysFollowTheContentOfTheData) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.tsv", "sentence\tlabel\ngood\t1\n");
  plan_.apply_flag("data", file.string());
  const PlannedCase before = cases().at(0);
  EXPECT_EQ(planned_again(before.record, describer_).record.plan_key, before.record.plan_key);
  folder.write("a.tsv", "sentence\tlabel\nbad\t0\n");
  Describer fresh(source_directory() / "share");
  try {
    planned_again(before.record, fresh);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("c01"), HasSubstr("has changed since")));
  }
}

TEST_F(Expand, TextThatIsNotUtf8IsSaidWithFileAndLine) {
  const TemporaryFolder folder;
  plan_.apply_flag("data", folder.write("a.tsv", "sentence\tlabel\ngood\xff\t1\n").string());
  try {
    cases();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("a.tsv"), HasSubstr("UTF-8")));
  }
}

TEST(Identity, WorkloadKeyHoldsTheCutAndCaseKeyWhatRan) {
  const Json workload = {{"model", "m"}};
  const std::string full = workload_key(workload, std::nullopt);
  EXPECT_NE(full, workload_key(workload, 4));
  const Json requested = {{"precision", "bf16"}, {"memory_limit", "auto"}, {"threads", 2}, {"batch_size", 1}};
  const auto key = [&](const Json& effective, const std::map<std::string, std::string>& environment = {}) {
    return case_key(full, requested, effective, environment);
  };
  const std::string as_asked = key(Json::object());
  EXPECT_EQ(as_asked, key({{"precision", "bf16"}, {"memory_limit", 123}}));
  EXPECT_NE(as_asked, key({{"precision", "fp32"}}));
  EXPECT_NE(as_asked, key({{"threads", 1}}));
  EXPECT_NE(as_asked, key({{"attention_kernel", "flash"}}));
  EXPECT_NE(as_asked, key(Json::object(), {{"LD_PRELOAD", "libjemalloc.so"}}));
  EXPECT_NE(as_asked, case_key(workload_key(workload, 4), requested, Json::object(), {}));
}

TEST_F(Expand, PaddingAppliesToFixedLengthsOnly) {
  plan_.apply_flag("padding", "0,0.25,0.75");
  plan_.apply_flag("sequence_length", "8,natural");
  plan_.apply_flag("precision", "fp32");
  const auto all = cases();
  ASSERT_EQ(all.size(), 4U) << "three fixed cases, and one of natural lengths";
  EXPECT_EQ(all[0].record.requested["padding"], 0.0);
  EXPECT_EQ(all[1].record.requested["padding"], 0.25);
  EXPECT_EQ(all[2].record.status, Status::kUnsupportedShape);
  EXPECT_THAT(all[2].record.status_reason, HasSubstr("leaves 2 of 8"));
  EXPECT_FALSE(all[3].record.requested.contains("padding"));
  EXPECT_NE(all[0].record.plan_key, all[1].record.plan_key);
  plan_.apply_flag("sequence_length", "natural");
  EXPECT_THROW(cases(), Error) << "no case has a use for it";
}

TEST_F(Expand, SyntheticTextsOfNaturalLengthsHaveADistribution) {
  plan_.apply_flag("data", "synthetic,bundled");
  plan_.apply_flag("sequence_length", "16,natural");
  plan_.apply_flag("precision", "fp32");
  const auto all = cases();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_FALSE(all[0].record.requested.contains("length_distribution"));
  EXPECT_EQ(all[1].record.requested["length_distribution"], "uniform:8:128");
  EXPECT_FALSE(all[3].record.requested.contains("length_distribution"));
  EXPECT_EQ(all[0].workload["data"]["synthetic"], true);
  plan_.apply_flag("length_distribution", "fixed:32,normal:32:x:8:64");
  EXPECT_THROW(cases(), Error);
}

TEST_F(Expand, ADistributionDrawsTheLengthsOfRowsOfAFixedLength) {
  plan_.apply_flag("data", "synthetic");
  plan_.apply_flag("precision", "fp32");
  const auto full = cases();
  plan_.apply_flag("length_distribution", "uniform:8:12");
  const auto drawn = cases();
  ASSERT_EQ(drawn.size(), 1U);
  EXPECT_EQ(drawn[0].record.requested["sequence_length"], 16);
  EXPECT_EQ(drawn[0].record.requested["length_distribution"], "uniform:8:12");
  EXPECT_TRUE(drawn[0].asked.draws_row_lengths());
  EXPECT_FALSE(drawn[0].asked.has_one_batch());
  EXPECT_NE(drawn[0].workload, full.at(0).workload);
  plan_.apply_flag("sequence_length", "16,natural,32");
  std::set<std::string> keys;
  for (const PlannedCase& one : cases()) keys.insert(workload_key(one.workload, std::nullopt));
  EXPECT_EQ(keys.size(), 3U) << "padded to the longest, or to 16 or 32 tokens: other work";
}

TEST_F(Expand, RowsThatCannotDrawTheirLengthsAreUnsupportedBesideOthers) {
  plan_.apply_flag("data", "synthetic");
  plan_.apply_flag("precision", "fp32");
  plan_.apply_flag("sequence_length", "16,natural");
  plan_.apply_flag("padding", "0,0.5");
  plan_.apply_flag("length_distribution", "uniform:8:12");
  const auto all = cases();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_FALSE(all[0].record.status) << "a padding of 0 asks for nothing";
  EXPECT_FALSE(all[0].record.requested.contains("padding"));
  EXPECT_TRUE(all[0].asked.draws_row_lengths());
  EXPECT_EQ(all[1].record.status, Status::kUnsupported);
  EXPECT_THAT(all[1].record.status_reason,
              AllOf(HasSubstr("padding '0.5'"), HasSubstr("length_distribution uniform:8:12")));
  EXPECT_EQ(all[2].record.requested["sequence_length"], "natural");
  EXPECT_FALSE(all[2].record.status) << all[2].record.status_reason;
  EXPECT_FALSE(all[2].record.requested.contains("padding"));
  plan_.apply_flag("length_distribution", "uniform:20:30");
  plan_.apply_flag("padding", "0");
  const auto longer = cases();
  ASSERT_EQ(longer.size(), 2U);
  EXPECT_EQ(longer[0].record.status, Status::kUnsupported);
  EXPECT_THAT(longer[0].record.status_reason, HasSubstr("20 tokens"));
  EXPECT_FALSE(longer[1].record.status);
}

TEST_F(Expand, RefusesDrawnLengthsBesidePaddingAndAboveTheRows) {
  plan_.apply_flag("data", "synthetic");
  plan_.apply_flag("length_distribution", "uniform:20:30");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("length_distribution 'uniform:20:30'"), HasSubstr("20 tokens"),
                               HasSubstr("sequence_length 16"), HasSubstr("16 tokens or less"),
                               HasSubstr("--sequence-length 20 or more")));
  plan_.apply_flag("sequence_length", "natural");
  EXPECT_EQ(refusal(), "accepted");
  plan_.apply_flag("sequence_length", "32");
  EXPECT_EQ(refusal(), "accepted");
  plan_.apply_flag("padding", "0.5");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("padding '0.5'"), HasSubstr("length_distribution uniform:20:30"),
                               HasSubstr("Leave one of them out")));
  plan_.apply_flag("padding", "0");
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(Expand, ComparesTheRowsWithTheShortestLengthThatIsDrawn) {
  plan_.apply_flag("data", "synthetic");
  plan_.apply_flag("precision", "fp32");
  plan_.apply_flag("length_distribution", "normal:20:0:8:30");
  EXPECT_THROW(cases(), Error) << "all have 20 tokens, though the minimum is 8";
  plan_.apply_flag("sequence_length", "20");
  EXPECT_FALSE(cases().at(0).record.status);
  plan_.apply_flag("sequence_length", "2");
  plan_.apply_flag("length_distribution", "uniform:8:12");
  EXPECT_NO_THROW(cases()) << "too short for any text, which is a case's own answer";
}

TEST_F(Expand, CountsCyclesWhereEachTextHasARow) {
  plan_.apply_flag("precision", "fp32");
  plan_.apply_flag("cycles", "5");
  EXPECT_THAT(refusal(), HasSubstr("cycles only applies to scenarios batch and offline with a row for each text"));
  plan_.apply_flag("sequence_length", "16,natural");
  const auto all = cases();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0].record.requested.contains("cycles")) << "one batch again and again";
  EXPECT_EQ(all[1].asked.cycles, 5);
  EXPECT_TRUE(all[1].asked.has_fixed_count());
  EXPECT_FALSE(all[1].workload.contains("cycles")) << "the same texts, however often";
  plan_.apply_flag("scenario", "offline");
  EXPECT_EQ(refusal(), "accepted");
  plan_.apply_flag("samples", "100");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("cycles '5'"), HasSubstr("samples 100"), HasSubstr("Give one of them")));
}

TEST_F(Expand, ColumnsAndClassesArePartOfTheWorkload) {
  const TemporaryFolder folder;
  plan_.apply_flag("data", folder.write("a.csv", "body,title,label\none,two,x\nthree,four,y\n").string());
  plan_.apply_flag("sequence_length", "natural");
  plan_.apply_flag("precision", "fp32");
  EXPECT_THROW(cases(), Error) << "no column is known as the text";
  plan_.apply_flag("text_column", "body");
  const std::string body = cases().at(0).record.plan_key;
  plan_.apply_flag("text_column", "title");
  EXPECT_NE(cases().at(0).record.plan_key, body);
  plan_.apply_flag("labels", folder.write("classes.txt", "x\ny\n").string());
  const auto listed = cases();
  EXPECT_TRUE(listed.at(0).workload["data"].contains("labels_sha256"));
  plan_.apply_flag("data", "bundled");
  EXPECT_THROW(cases(), Error) << "the bundled texts have no columns to choose";
}

TEST_F(Expand, AListOfClassesNeedsLabelsExceptForZeroShot) {
  const TemporaryFolder folder;
  folder.write("a.jpg", "never decoded here");
  plan_ = Plan();  // without a length
  plan_.apply_flag("data", folder.path().string());
  plan_.apply_flag("model", "vit-test");
  plan_.apply_flag("precision", "fp32");
  EXPECT_EQ(refusal(), "accepted");
  plan_.apply_flag("labels", "cat,dog");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("labels 'cat,dog'"), HasSubstr("has no labels for them")));
  plan_.apply_flag("model", "clip-test");
  plan_.apply_flag("task", "zero_shot_image_classification");
  EXPECT_EQ(refusal(), "accepted") << "the list is what it chooses from";
}

TEST_F(Expand, TheDefaultModelsOfAllFamiliesRunInBatches) {
  plan_ = Plan();  // without a length
  plan_.apply_flag("model", models_of_families("all"));
  plan_.apply_flag("scenario", "batch");
  plan_.settle();
  std::set<std::string> planned;
  for (const PlannedCase& one : cases()) {
    EXPECT_EQ(one.record.status, std::nullopt) << one.record.requested.dump() << one.record.status_reason;
    planned.insert(one.record.requested.at("model").get<std::string>());
  }
  const std::vector<std::string> models = split(models_of_families("all"), ',');
  EXPECT_EQ(planned, std::set<std::string>(models.begin(), models.end()));
}

}  // namespace
}  // namespace transformeter
