// What an engine chooses where a setting is left open.
#include "schema/capabilities.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(EngineChoice, GoesByThePrecisionThenByTheScenario) {
  Capabilities capabilities;
  capabilities.engines = {
      {"fast", {{"weights", Json{{"int8", "a"}, {"generate", "b"}, {"else", "c"}}}, {"fusion", "fused"}}}};
  const auto choice = [&](const char* precision, const char* scenario) {
    return capabilities.choice_of_engine("weights",
                                         {{"engine", "fast"}, {"precision", precision}, {"scenario", scenario}});
  };
  EXPECT_EQ(choice("int8", "generate"), "a");
  EXPECT_EQ(choice("fp32", "generate"), "b");
  EXPECT_EQ(choice("fp32", "batch"), "c");
  EXPECT_EQ(capabilities.choice_of_engine("fusion", {{"engine", "fast"}}), "fused");
  EXPECT_EQ(capabilities.choice_of_engine("weights", {{"engine", "fast"}}), "c");
  EXPECT_EQ(capabilities.choice_of_engine("streams", {{"engine", "fast"}}), "auto");
  EXPECT_EQ(capabilities.choice_of_engine("weights", {{"engine", "none"}}), "auto");
}

TEST(EngineChoice, GoesByTheTask) {
  Capabilities capabilities;
  capabilities.engines = {{"fast", {{"batching", Json{{"seq2seq_lm", "padded"}, {"else", "packed"}}}}}};
  const auto batching = [&](const char* task) {
    return capabilities.choice_of_engine("batching", {{"engine", "fast"}, {"task", task}, {"batching", "auto"}});
  };
  EXPECT_EQ(batching("seq2seq_lm"), "padded");
  EXPECT_EQ(batching("embedding"), "packed");
}

TEST(EngineChoice, GoesByThePinning) {
  Capabilities capabilities;
  capabilities.engines = {{"fast", {{"streams", Json{{"threads", 1}, {"else", "threads"}}}}}};
  const auto choice = [&](const char* pinning) {
    return capabilities.choice_of_engine("streams", {{"engine", "fast"}, {"pinning", pinning}});
  };
  EXPECT_EQ(choice("none"), "threads");
  EXPECT_EQ(choice("threads"), 1);
}

TEST(EngineChoice, GoesByTheKindOfDeviceFirst) {
  Capabilities capabilities;
  capabilities.engines = {{"fast", {{"weights", Json{{"cuda", "plain"}, {"fp32", "packed"}, {"else", "other"}}}}}};
  const auto choice = [&](const char* device) {
    return capabilities.choice_of_engine("weights", {{"engine", "fast"}, {"device", device}, {"precision", "fp32"}});
  };
  EXPECT_EQ(choice("cuda:1"), "plain");
  EXPECT_EQ(choice("cpu"), "packed");
}

// As of images, which settle_workload leaves without one.
TEST(EngineChoice, OfACaseWithoutABatchingIsThatOfPaddedRows) {
  Capabilities capabilities;
  capabilities.engines = {
      {"fast", {{"attention", Json{{"padded", "sdpa"}, {"else", "varlen"}}}, {"batching", "packed"}}}};
  EXPECT_EQ(capabilities.choice_of_engine("attention", {{"engine", "fast"}}), "sdpa");
  EXPECT_EQ(capabilities.choice_of_engine("attention", {{"engine", "fast"}, {"batching", "auto"}}), "varlen");
}

TEST(EngineChoice, GoesOnWithinAChoiceAndByOtherChoices) {
  Capabilities capabilities;
  const Json on_gpu{{"fp32", "sdpa"}, {"padded", "sdpa"}, {"else", "varlen"}};
  capabilities.engines = {{"fast", {{"attention", Json{{"cuda", on_gpu}, {"else", "sdpa"}}}, {"batching", "packed"}}}};
  const auto chosen = [&](const char* device, const char* precision, const char* batching) {
    Json settings{{"attention", "auto"}, {"batching", batching},   {"device", device},
                  {"engine", "fast"},    {"precision", precision}, {"threads", "auto"}};
    capabilities.take_choices_of_engine(settings);
    EXPECT_EQ(settings.at("threads"), "auto") << "the engine chooses nothing for it";
    return settings.at("attention");
  };
  EXPECT_EQ(chosen("cuda:0", "bf16", "auto"), "varlen");
  EXPECT_EQ(chosen("cuda:0", "bf16", "padded"), "sdpa");
  EXPECT_EQ(chosen("cuda:0", "fp32", "auto"), "sdpa");
  EXPECT_EQ(chosen("cpu", "bf16", "auto"), "sdpa");
}

TEST(WhyUnsupported, NamesTheEngineThenConflictsThenValues) {
  Capabilities capabilities;
  capabilities.values = {{"device", {"cpu"}}, {"engine", {"pytorch", "fast"}}};
  capabilities.reasons = {{"device=cuda", "no driver"}, {"engine=openvino", "not installed"}};
  capabilities.conflicts = {{{{"device", {"cuda"}}, {"engine", {"fast", "openvino"}}}, "only on the CPU"}};
  const auto why = [&](const char* engine, const char* device) {
    return capabilities.why_unsupported({{"engine", engine}, {"device", device}});
  };
  EXPECT_EQ(why("openvino", "cuda"), "engine openvino: not installed");
  EXPECT_EQ(why("fast", "cuda"), "only on the CPU");
  EXPECT_EQ(why("pytorch", "cuda"), "device cuda: no driver");
  EXPECT_EQ(why("fast", "cpu"), std::nullopt);
}

TEST(IsNative, KnowsKindsOfDevicesApart) {
  Capabilities capabilities;
  capabilities.native = {{"precision", {"fp32"}}, {"precision@cuda", {"fp32", "bf16"}}};
  EXPECT_TRUE(capabilities.is_native("precision", "bf16", "cuda:1"));
  EXPECT_FALSE(capabilities.is_native("precision", "bf16", "cpu"));
}

TEST(BestDevice, IsTheFirstThatIsNativeElseTheFirst) {
  Capabilities capabilities;
  EXPECT_EQ(capabilities.best_device(), "cpu");
  capabilities.values = {{"device", {"cuda:0", "cpu"}}};
  EXPECT_EQ(capabilities.best_device(), "cuda:0");
  capabilities.native = {{"device", {"cpu"}}};
  EXPECT_EQ(capabilities.best_device(), "cpu");
}

TEST(WhyNotTogether, TakesAKindOfDeviceForEachOfIt) {
  Capabilities capabilities;
  capabilities.conflicts = {{{{"device", {"cuda"}}, {"precision", {"int8"}}}, "int8 is the CPU's"}};
  EXPECT_EQ(capabilities.why_not_together({{"device", "cuda:1"}, {"precision", "int8"}}), "int8 is the CPU's");
  EXPECT_EQ(capabilities.why_not_together({{"device", "cpu"}, {"precision", "int8"}}), std::nullopt);
}

TEST(WhyNot, OfADeviceSpeaksForItsKind) {
  Capabilities capabilities;
  capabilities.values = {{"device", {"cpu"}}};
  capabilities.reasons = {{"device=cuda", "no driver"}};
  EXPECT_EQ(capabilities.why_not("device", "cuda:3"), "no driver");
  EXPECT_EQ(capabilities.why_not("device", "cpu"), std::nullopt);
  EXPECT_EQ(capabilities.why_not("device", "mps"), "this worker supports device cpu");
}

}  // namespace
}  // namespace transformeter
