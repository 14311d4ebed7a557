// Plans of the scenario train: defaults, what a step keeps, and what is impossible.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "run/expand.h"
#include "run/identity.h"
#include "run/model_families.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TrainPlan : public testing::Test {
 protected:
  TrainPlan() {
    plan_.apply_flag("model", "bert-test");
    plan_.apply_flag("scenario", "train");
    options_.capabilities.values = {{"precision", {"fp32", "bf16", "bf16_autocast"}}, {"device", {"cpu"}}};
    options_.capabilities.native = {{"precision", {"fp32"}}};
  }
  std::vector<PlannedCase> cases() {
    plan_.settle();
    return expand(plan_, options_, describer_);
  }
  std::string error_of(const char* setting, const char* value) {
    try {
      plan_.apply_flag(setting, value);
      cases();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "no error";
  }

  Plan plan_;
  ExpandOptions options_;
  Describer describer_{source_directory() / "share"};
};

TEST_F(TrainPlan, IsOneShapeByDefault) {
  const auto all = cases();
  ASSERT_EQ(all.size(), 1U);
  const Json& requested = all[0].record.requested;
  EXPECT_EQ(requested["batch_size"], 8);
  EXPECT_EQ(requested["sequence_length"], 128);
  EXPECT_EQ(requested["task"], "sequence_classification");
  EXPECT_EQ(requested["precision"], "fp32");
  EXPECT_EQ(requested["optimizer"], "adamw");
  EXPECT_EQ(requested["max_gradient_norm"], 1.0);
  for (const char* of_inference : {"streams", "chunk_tokens", "attention_mask", "prompt_length", "stride"}) {
    EXPECT_FALSE(requested.contains(of_inference)) << of_inference;
  }
  EXPECT_EQ(all[0].record.status, std::nullopt) << all[0].record.status_reason;
}

TEST_F(TrainPlan, AutoTakesAutocastWhereBf16IsNative) {
  options_.capabilities.native = {{"precision", {"fp32", "bf16"}}};
  const auto all = cases();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].record.requested["precision"], "bf16_autocast");
}

TEST_F(TrainPlan, ACausalModelLearnsText) {
  plan_.apply_flag("model", "bert-test,gpt2-test");
  const auto all = cases();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].record.requested["task"], "causal_lm");
}

// The bundled sentences have no targets.
TEST_F(TrainPlan, AModelThatMakesTextsOfTextsLearnsRandomOnesByDefault) {
  plan_.apply_flag("model", "t5-test");
  const auto all = cases();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].record.requested["task"], "seq2seq_lm");
  EXPECT_EQ(all[0].record.requested["data"], "synthetic");
  EXPECT_EQ(all[0].record.requested["sequence_length"], 128);
  EXPECT_EQ(all[0].record.status, std::nullopt) << all[0].record.status_reason;
  EXPECT_THAT(error_of("data", "bundled"), HasSubstr("a table of texts and targets, or synthetic"));
}

TEST_F(TrainPlan, AModelThatReadsSoundsLearnsWhatIsSaidInRandomOnesByDefault) {
  plan_.apply_flag("model", "wav2vec2-test");
  plan_.apply_flag("audio_seconds", "1,2.5");
  const auto all = cases();
  ASSERT_EQ(all.size(), 2U);
  const Json& requested = all[1].record.requested;
  EXPECT_EQ(requested["task"], "speech_recognition");
  EXPECT_EQ(requested["data"], "synthetic");
  EXPECT_EQ(requested["audio_seconds"], 2.5);
  EXPECT_EQ(requested["batch_size"], 8);
  for (const char* of_texts : {"sequence_length", "batching", "max_length", "stride"}) {
    EXPECT_FALSE(requested.contains(of_texts)) << of_texts;
  }
  for (const PlannedCase& one : all) EXPECT_EQ(one.record.status, std::nullopt) << one.record.status_reason;
  EXPECT_GT(all[1].cost, all[0].cost);
  EXPECT_NE(all[1].record.plan_key, all[0].record.plan_key);
  EXPECT_THAT(error_of("data", "bundled"), HasSubstr("a folder or table of sounds, or synthetic"));
}

// 32 x 32 pixels in patches of 8, and captions as long as the model's longest text, which is shorter than other texts.
TEST_F(TrainPlan, AModelOfImagesAndTextsLearnsRandomPairsByDefault) {
  plan_.apply_flag("model", "clip-test");
  const auto all = cases();
  ASSERT_EQ(all.size(), 1U);
  const Json& requested = all[0].record.requested;
  EXPECT_EQ(requested["task"], "contrastive_image_text");
  EXPECT_EQ(requested["data"], "synthetic");
  EXPECT_EQ(requested["sequence_length"], 77);
  EXPECT_EQ(requested["batch_size"], 8);
  for (const char* of_texts_alone : {"batching", "max_length", "stride"}) {
    EXPECT_FALSE(requested.contains(of_texts_alone)) << of_texts_alone;
  }
  EXPECT_EQ(all[0].record.status, std::nullopt) << all[0].record.status_reason;
  EXPECT_THAT(error_of("data", "bundled"), HasSubstr("a table of images and captions, or synthetic"));
}

TEST_F(TrainPlan, OnePairHasNoneToBeComparedWith) {
  plan_.apply_flag("model", "clip-test");
  plan_.apply_flag("batch_size", "1,2");
  const auto all = cases();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].record.status, Status::kUnsupported);
  EXPECT_THAT(all[0].record.status_reason, HasSubstr("batch_size '1' is not valid; expected at least 2: a pair is"));
  EXPECT_EQ(all[1].record.status, std::nullopt) << all[1].record.status_reason;
}

TEST_F(TrainPlan, CaptionsHaveTheLengthThatIsTyped) {
  plan_.apply_flag("model", "clip-test");
  plan_.apply_flag("sequence_length", "16,128,natural");
  const auto all = cases();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].record.requested["sequence_length"], 16);
  EXPECT_EQ(all[0].record.status, std::nullopt) << all[0].record.status_reason;
  EXPECT_EQ(all[1].record.status, Status::kUnsupportedShape);
  EXPECT_THAT(all[1].record.status_reason, HasSubstr("sequence_length 128 exceeds the 77 positions"));
  EXPECT_EQ(all[2].record.status, Status::kUnsupported);
  EXPECT_THAT(all[2].record.status_reason, HasSubstr("synthetic data needs a fixed sequence_length"));
  EXPECT_LT(all[0].cost, all[1].cost);
  EXPECT_THAT(error_of("batching", "packed"), HasSubstr("batching only applies to"));
}

TEST_F(TrainPlan, SoundsMayBeToldApartByClassesAndMustFillAFrame) {
  plan_.apply_flag("model", "wav2vec2-test");
  plan_.apply_flag("task", "audio_classification");
  plan_.apply_flag("audio_seconds", "0.01,1");
  const auto all = cases();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].record.status, Status::kUnsupportedShape);
  EXPECT_THAT(all[0].record.status_reason, HasSubstr("audio_seconds 0.01"));
  EXPECT_EQ(all[1].record.status, std::nullopt) << all[1].record.status_reason;
}

TEST_F(TrainPlan, WhatCannotBeSmoothedIsKnownBeforeARun) {
  plan_.apply_flag("label_smoothing", "0.1");
  EXPECT_EQ(cases().at(0).record.status, std::nullopt);
  for (const auto& [model, task] :
       {std::pair("wav2vec2-test", "speech_recognition"), std::pair("bert-test", "regression"),
        std::pair("bert-test", "multi_label_classification")}) {
    plan_.apply_flag("model", model);
    plan_.apply_flag("task", task);
    const auto all = cases();
    EXPECT_EQ(all.at(0).record.status, Status::kUnsupported) << task;
    EXPECT_THAT(all.at(0).record.status_reason, AllOf(HasSubstr("label_smoothing"), HasSubstr(task)));
  }
}

TEST_F(TrainPlan, ASpeechModelThatCannotLearnIsKnownBeforeARun) {
  const TemporaryFolder folder;
  const std::filesystem::path source = source_directory() / "tests/data/models/tiny-wav2vec2";
  int faults = 0;
  const auto fault = [&](const char* key, const Json& value, const std::string& data) {
    const std::string model = fmt::format("model{}", ++faults);  // a plan reads each folder once
    std::filesystem::copy(source, folder.path() / model);
    Json config = Json::parse(read_file(source / "config.json"));
    config[key] = value;
    folder.write(model + "/config.json", config.dump());
    plan_.apply_flag("model", (folder.path() / model).string());
    plan_.apply_flag("task", "speech_recognition");
    plan_.apply_flag("data", data);
    try {
      cases();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string table =
      folder
          .write("t.csv",
                 fmt::format("path,transcript\n{},A\n", (source_directory() / "tests/data/audio/pcm_16.wav").string()))
          .string();
  EXPECT_EQ(fault("ctc_loss_reduction", "sum", "synthetic"), "");
  EXPECT_THAT(fault("ctc_loss_reduction", "none", "synthetic"), HasSubstr("ctc_loss_reduction"));
  EXPECT_EQ(fault("pad_token_id", 0, table), "");
  EXPECT_EQ(fault("pad_token_id", 5, "synthetic"), "") << "drawn transcripts need no vocabulary";
  EXPECT_THAT(fault("pad_token_id", 5, table), HasSubstr("Set pad_token_id to 0"));
}

TEST_F(TrainPlan, ModelsOfTextsHaveNoAudioSeconds) {
  EXPECT_FALSE(cases().at(0).record.requested.contains("audio_seconds"));
  EXPECT_THAT(error_of("audio_seconds", "3"), HasSubstr("audio_seconds only applies to"));
}

TEST_F(TrainPlan, AFolderLearnsToClassifyWhateverItWasSavedFor) {
  for (const char* name : {"tiny-bert-encoder", "tiny-bert-reader", "tiny-bert-filler"}) {
    plan_.apply_flag("model", (source_directory() / "tests/data/models" / name).string());
    EXPECT_EQ(cases().at(0).record.requested.at("task"), "sequence_classification") << name;
  }
}

TEST_F(TrainPlan, ADefaultSetOfModelsHasATaskEach) {
  plan_.apply_flag("model", models_of_families("all"));
  std::map<std::string, std::string> tasks;
  for (const PlannedCase& one : cases()) {
    EXPECT_EQ(one.record.status, std::nullopt) << one.record.status_reason;
    tasks[one.record.requested["model"]] = one.record.requested["task"];
  }
  EXPECT_EQ(tasks, (std::map<std::string, std::string>{{"distilbert-base", "sequence_classification"},
                                                       {"bert-small", "sequence_classification"},
                                                       {"gpt2", "causal_lm"},
                                                       {"t5-small", "seq2seq_lm"},
                                                       {"vit-small", "image_classification"},
                                                       {"deit-small", "image_classification"},
                                                       {"wav2vec2-base", "speech_recognition"},
                                                       {"hubert-base", "speech_recognition"},
                                                       {"clip-base", "contrastive_image_text"},
                                                       {"siglip-base", "contrastive_image_text"}}));
  EXPECT_EQ(models_of_families("text_generation"), "gpt2");
  std::string each;
  for (const std::string& family : model_families()) {
    if (family != "all") each += (each.empty() ? "" : ",") + family;
  }
  EXPECT_EQ(models_of_families(" all "), models_of_families(each));
}

TEST(ModelFamilies, RefuseWhatIsNoFamilyAndAllBesideOthers) {
  const auto refusal_of = [](const std::string& families) -> std::string {
    try {
      return models_of_families(families);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
  };
  EXPECT_EQ(refusal_of("vision,embeding"),
            "model_families 'embeding' is not known; allowed: embedding, text_generation, text2text_generation, "
            "vision, audio, multimodal, all. Did you mean 'embedding'?");
  EXPECT_EQ(refusal_of("all,vision"),
            "model_families 'all,vision' is not valid; expected 'all' by itself, or a list of families. "
            "Omit the others: 'all' includes them.");
}

TEST_F(TrainPlan, RowsOfAFixedLengthAreNotGrouped) {
  plan_.apply_flag("batching", "bucketed");
  const auto all = cases();
  ASSERT_EQ(all[0].record.status, Status::kUnsupported);
  EXPECT_THAT(all[0].record.status_reason, HasSubstr("rows of a fixed length are all padded to one length"));
}

TEST_F(TrainPlan, OtherCasesKeepNothingOfATraining) {
  plan_.apply_flag("scenario", "batch");
  plan_.apply_flag("task", "sequence_classification");
  for (const PlannedCase& one : cases()) {
    for (const char* name : {"optimizer", "learning_rate", "gradient_accumulation", "dropout", "loader_threads"}) {
      EXPECT_FALSE(one.record.requested.contains(name)) << name;
    }
  }
  EXPECT_THAT(error_of("optimizer", "sgd"), HasSubstr("optimizer only applies to scenario train"));
}

TEST_F(TrainPlan, ARateOfZeroLearnsNothing) {
  EXPECT_THAT(error_of("learning_rate", "0"), HasSubstr("learning_rate '0' is not valid; expected a number above 0"));
  EXPECT_THAT(error_of("learning_rate", "-1e-5"), HasSubstr("a number above 0"));
  EXPECT_THAT(error_of("max_gradient_norm", "many"), HasSubstr("or none"));
}

TEST_F(TrainPlan, RunningTextNeedsALength) {
  plan_.apply_flag("model", "gpt2-test");
  plan_.apply_flag("sequence_length", "natural");
  const auto all = cases();
  ASSERT_EQ(all[0].record.status, Status::kUnsupported);
  EXPECT_THAT(all[0].record.status_reason, HasSubstr("a fixed sequence_length"));
}

TEST_F(TrainPlan, KeysOfOtherCasesDoNotKnowIt) {
  const Json batch{{"scenario", "batch"}, {"batch_size", 1}};
  Json with_training = batch;
  with_training["optimizer"] = "adamw";
  EXPECT_EQ(case_key("w", batch, Json::object(), {}), case_key("w", with_training, Json::object(), {}));
  const Json train{{"scenario", "train"}, {"optimizer", "adamw"}};
  const Json other{{"scenario", "train"}, {"optimizer", "sgd"}};
  Json priced = train;
  priced["price_per_hour"] = 2.0;
  EXPECT_NE(case_key("w", train, Json::object(), {}), case_key("w", other, Json::object(), {}));
  EXPECT_EQ(case_key("w", train, Json::object(), {}), case_key("w", priced, Json::object(), {}));
}

// So that results of before there was such a setting are found beside today's.
TEST(CaseKey, ALaterSettingAtItsDefaultChangesNoKey) {
  const Json before = {{"precision", "fp32"}};
  const Json as_ever = {{"precision", "fp32"}, {"one_dnn", "on"}};
  const Json without = {{"precision", "fp32"}, {"one_dnn", "off"}};
  EXPECT_EQ(case_key("w", before, Json::object(), {}), case_key("w", as_ever, {{"one_dnn", "on"}}, {}));
  EXPECT_NE(case_key("w", before, Json::object(), {}), case_key("w", without, {{"one_dnn", "off"}}, {}));
}

}  // namespace
}  // namespace transformeter
