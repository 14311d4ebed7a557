// What an engine chooses where a setting is left open.
#include "terms/capabilities.h"

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

TEST(EngineChoice, GoesByTheKindOfDeviceFirst) {
  Capabilities capabilities;
  capabilities.engines = {{"fast", {{"weights", Json{{"cuda", "plain"}, {"fp32", "packed"}, {"else", "other"}}}}}};
  const auto choice = [&](const char* device) {
    return capabilities.choice_of_engine("weights", {{"engine", "fast"}, {"device", device}, {"precision", "fp32"}});
  };
  EXPECT_EQ(choice("cuda:1"), "plain");
  EXPECT_EQ(choice("cpu"), "packed");
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
  EXPECT_EQ(capabilities.why_not("device", "mps"), "this worker declares device cpu");
}

}  // namespace
}  // namespace transformeter
