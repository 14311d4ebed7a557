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

}  // namespace
}  // namespace transformeter
