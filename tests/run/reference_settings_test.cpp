// Which case is another's reference, and which cases share one.
#include "run/reference_settings.h"

#include <gtest/gtest.h>

#include "schema/settings.h"

namespace transformeter {
namespace {

Json requested() {
  return {{"model", "bert-test"},
          {"task", "sequence_classification"},
          {"data", "bundled"},
          {"batch_size", 32},
          {"limit", "all"},
          {"sequence_length", "natural"},
          {"seed", 3},
          {"engine", "fast"},
          {"precision", "bf16"},
          {"attention", "sdpa"},
          {"attention_mask", "off"},
          {"one_dnn", "off"},
          {"graphs", "on"},
          {"threads", 1},
          {"memory_limit", 1 << 28},
          {"device", "cuda"},
          {"samples", 5}};
}

std::string key_of(const Json& settings) {
  const Json workload = {{"model", "weights"}, {"batch_size", settings.at("batch_size")}, {"limit", settings["limit"]}};
  return reference_key(reference_settings(settings, 2), workload, "worker");
}

TEST(ReferenceSettings, ArePlain) {
  const Json settings = reference_settings(requested(), 4);
  EXPECT_EQ(settings.at("precision"), "fp32");
  EXPECT_EQ(settings.at("attention"), "eager");
  EXPECT_EQ(settings.at("attention_mask"), "on");
  EXPECT_EQ(settings.at("device"), "cpu");
  EXPECT_EQ(settings.at("threads"), 4);
  EXPECT_FALSE(settings.contains("memory_limit")) << "a case's own limit may be too small for fp32";
  EXPECT_EQ(settings.at("seed"), 3);
  EXPECT_EQ(settings.at("batch_size"), 8);
  EXPECT_EQ(settings.at("limit"), 64);
}

TEST(ReferenceSettings, ARequestHasOneBeam) {
  const Json settings = reference_settings(
      {{"scenario", "generate"}, {"task", "causal_lm"}, {"model", "gpt2-test"}, {"num_beams", 4}}, 2);
  EXPECT_EQ(settings.at("num_beams"), 1);
}

TEST(ReferenceSettings, FilesOfSoundsAreReadOneByOne) {
  Json asked = requested();
  asked.erase("sequence_length");
  asked["task"] = "speech_recognition";
  asked["data"] = "speech.tsv";
  EXPECT_EQ(reference_settings(asked, 2).at("batch_size"), 1) << "not every model takes several lengths at once";
  asked["data"] = "synthetic";
  EXPECT_EQ(reference_settings(asked, 2).at("batch_size"), 8) << "as before";
}

TEST(ReferenceSettings, EverySettingOfAnEngineIsPlainWithoutBeingNamed) {
  Json other = requested();
  for (const SettingTerm& term : setting_terms()) {
    if (term.group != SettingGroup::kEngine) continue;
    const bool is_number = term.kind == SettingKind::kCount || term.kind == SettingKind::kPositive;
    const Json strange = is_number ? Json(777) : Json("something of the future");
    other[std::string(term.name)] = strange;
  }
  const Json settings = reference_settings(other, 2);
  for (const auto& [name, value] : settings.items()) {
    EXPECT_NE(value, "something of the future") << name;
    EXPECT_NE(value, 777) << name;
  }
  EXPECT_EQ(key_of(other), key_of(requested()));
}

TEST(ReferenceSettings, AreSharedByAllWaysToComputeTheSame) {
  const Json others = {{"precision", "fp32"}, {"attention", "eager"}, {"attention_mask", "on"}, {"threads", 2},
                       {"batch_size", 1},     {"limit", 100},         {"memory_limit", "auto"}, {"samples", "auto"}};
  for (const auto& [name, value] : others.items()) {
    Json other = requested();
    other[name] = value;
    EXPECT_EQ(key_of(other), key_of(requested())) << name;
  }
  Json fewer = requested();
  fewer["limit"] = 63;
  EXPECT_NE(key_of(fewer), key_of(requested())) << "fewer texts than a reference has";
  const Json settings = reference_settings(requested(), 2);
  EXPECT_NE(reference_key(settings, Json::object(), "a"), reference_key(settings, Json::object(), "b"));
  EXPECT_NE(reference_key(settings, {{"model", 1}}, "a"), reference_key(settings, {{"model", 2}}, "a"));
}

TEST(ReferenceSettings, OfRequestsAreSharedByAnyNumberOfNewTokens) {
  Json settings = requested();
  settings["scenario"] = "generate";
  for (const char* name : {"batch_size", "sequence_length", "limit"}) settings.erase(name);
  const auto key = [&](const Json& workload) { return reference_key(reference_settings(settings, 2), workload, "w"); };
  EXPECT_EQ(key({{"prompt_length", 8}, {"new_tokens", 4}}), key({{"prompt_length", 8}, {"new_tokens", 5}}));
  EXPECT_EQ(key({{"prompt_length", 8}, {"new_tokens", 4}}),
            key({{"prompt_length", 8}, {"new_tokens", 4}, {"num_beams", 4}}))
      << "the logits after the prompt";
  EXPECT_NE(key({{"prompt_length", 8}, {"new_tokens", 4}}), key({{"prompt_length", 9}, {"new_tokens", 4}}));
}

TEST(ReferenceSettings, OfTrainingsAreSharedByAllOptimizersAndRates) {
  Json settings = requested();
  settings["scenario"] = "train";
  settings.update({{"optimizer", "adafactor"}, {"gradient_checkpointing", "on"}, {"loader_threads", 3}});
  const Json plain = reference_settings(settings, 2);
  EXPECT_EQ(plain.at("gradient_checkpointing"), "off") << "the worker needs to be told";
  EXPECT_EQ(plain.at("batch_size"), 32) << "which texts come first may depend on it";
  const auto key = [&](const Json& workload) { return reference_key(plain, workload, "w"); };
  EXPECT_EQ(key({{"learning_rate", 1e-5}, {"weight_decay", 0.1}}), key({{"learning_rate", 1e-4}, {"dropout", "off"}}));
  settings["optimizer"] = "sgd";
  EXPECT_EQ(key({}), reference_key(reference_settings(settings, 2), Json(), "w"));
  settings["lora_rank"] = "off";
  const std::string whole = reference_key(reference_settings(settings, 2), Json(), "w");
  settings.update({{"lora_rank", 8}, {"lora_alpha", 16.0}, {"lora_targets", "query"}});
  EXPECT_EQ(reference_key(reference_settings(settings, 2), Json(), "w"), whole)
      << "adapters that are compared cancel out";
}

TEST(ReferenceSettings, OfAFixedLengthHoldAsManyRowsAsTokensAllow) {
  const auto batch_size = [](std::int64_t length, double padding) {
    Json settings = requested();
    settings["sequence_length"] = length;
    if (padding > 0) settings["padding"] = padding;
    return reference_settings(settings, 2).at("batch_size").get<std::int64_t>();
  };
  EXPECT_EQ(batch_size(128, 0), 32);  // 4096 ÷ 128
  EXPECT_EQ(batch_size(16, 0), 64);   // at most
  EXPECT_EQ(batch_size(8192, 0), 1);  // at least
  EXPECT_EQ(batch_size(128, 0.25), 32);
  EXPECT_EQ(batch_size(10, 0.25), 32) << "2.5 tokens: rows differ between batch sizes, so it is the case's own";
  EXPECT_EQ(batch_size(100, 0.07), 40) << "7 tokens, though 0.07 · 100 is not 7 in binary";
}

TEST(ReferenceSettings, OfAVocabularyHaveSmallBatches) {
  Json settings = requested();
  settings["task"] = "causal_lm";
  EXPECT_EQ(reference_settings(settings, 2).at("batch_size"), 1);
  settings["sequence_length"] = 256;
  EXPECT_EQ(reference_settings(settings, 2).at("batch_size"), 4);  // 1024 ÷ 256
}

TEST(ReferenceSettings, KeepWhatDecidesTheTexts) {
  Json fixed = requested();
  fixed["sequence_length"] = 128;
  EXPECT_EQ(reference_settings(fixed, 2).at("limit"), "all") << "rows begin anew after the last text";
  Json synthetic = requested();
  synthetic["data"] = "synthetic";
  EXPECT_EQ(reference_settings(synthetic, 2).at("limit"), "all") << "drawn for as many as there are";
  Json script = requested();
  script["model"] = "model.pt";
  EXPECT_EQ(reference_settings(script, 2).at("attention"), "sdpa") << "compiled in";
}

}  // namespace
}  // namespace transformeter
