// What engine auto chose, in words: every end of a search, and forms that cannot be read.
#include "report/engine_choice_text.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

Json choice(Json changes = Json::object()) {
  Json one = {{"start", "fast"},         {"changes", {{"attention", "math"}, {"streams", 1}}},
              {"end", "better"},         {"reason", ""},
              {"objective", "latency"},  {"speed_up", {{"value", 1.25}, {"low", 1.125}, {"high", 1.5}}},
              {"memory_ratio", nullptr}, {"tried", 12},
              {"all_compared", true}};
  one.merge_patch(changes);
  return one;
}

TEST(EngineChoiceText, SaysWhatWasChosenAndWhatItGained) {
  EXPECT_EQ(engine_choice_text(choice()),
            "engine fast with attention=math,streams=1; 1.25 (1.12 to 1.50) times as fast as engine fast, 12 other "
            "choices tried");
  EXPECT_EQ(engine_choice_text(choice({{"objective", "memory"}, {"memory_ratio", 0.75}, {"tried", 1}})),
            "engine fast with attention=math,streams=1; 0.75 times the memory of engine fast, 1 other choice tried");
  EXPECT_EQ(engine_choice_text(choice(
                {{"end", "likely_better"}, {"speed_up", {{"value", 1.0625}, {"low", 0.984375}, {"high", 1.125}}}})),
            "engine fast with attention=math,streams=1; probably 1.06 (0.98 to 1.12) times as fast as engine fast, 12 "
            "other choices tried");
  EXPECT_EQ(engine_choice_text(choice({{"start", "auto"}, {"all_compared", false}})),
            "the worker's own choice with attention=math,streams=1; 1.25 (1.12 to 1.50) times as fast as the worker's "
            "own choice, 12 other choices tried, out of time before all were compared");
}

TEST(EngineChoiceText, SaysWhyNothingWasChosen) {
  const auto ended = [](const char* end) {
    Json one = choice({{"end", end}, {"reason", "crashed: signal 11"}});
    one["changes"] = Json::object();
    return engine_choice_text(one);
  };
  EXPECT_EQ(ended("no_better"), "engine fast; none was better, 12 other choices tried");
  EXPECT_EQ(ended("out_of_time"),
            "engine fast; the trials ran out of time before one was shown to be better, 12 other choices tried");
  Json untried = choice({{"end", "out_of_time"}, {"tried", 0}});
  untried["changes"] = Json::object();
  EXPECT_EQ(engine_choice_text(untried), "engine fast; the trials had no time to try another choice");
  EXPECT_EQ(ended("no_room"), "engine fast; not tried, since memory does not hold two workers at once");
  EXPECT_EQ(ended("no_start"), "engine fast; nothing to compare with: crashed: signal 11");
}

TEST(EngineChoiceText, IsEmptyForAnotherForm) {
  EXPECT_EQ(engine_choice_text(Json()), "");
  EXPECT_EQ(engine_choice_text({{"start", "fast"}}), "");
  EXPECT_EQ(engine_choice_text(choice({{"tried", "many"}})), "");
  EXPECT_EQ(engine_choice_text(choice({{"speed_up", {{"value", "high"}}}})), "");
}

}  // namespace
}  // namespace transformeter
