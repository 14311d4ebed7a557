// The map that names an arm: what it may hold, and which cases it means.
#include "schema/baseline.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

template <typename Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "(no error)";
}

std::string error_of(const std::string& text) {
  return message_of([&] { parse_baseline(text); });
}

TEST(Baseline, IsReadAndWrittenInOneForm) {
  const Json baseline = parse_baseline(" precision=fp32, threads=2 ");
  EXPECT_EQ(baseline, (Json{{"precision", "fp32"}, {"threads", 2}})) << "values as their settings have them";
  EXPECT_EQ(baseline_text(baseline), "precision=fp32,threads=2");
  EXPECT_EQ(parse_baseline(baseline_text(baseline)), baseline);
  EXPECT_EQ(setting_text(baseline), baseline_text(baseline));
  EXPECT_EQ(parse_setting(setting_term("baseline"), "attention=eager"), (Json{{"attention", "eager"}}));
}

TEST(Baseline, HoldsTheWordsOfCases) {
  EXPECT_EQ(parse_baseline("attention=memory-efficient"), (Json{{"attention", "memory_efficient"}}));
}

TEST(Baseline, RefusesWhatNamesNoArm) {
  EXPECT_THAT(error_of("atention=eager"), AllOf(HasSubstr("'atention'"), HasSubstr("Did you mean 'attention'?")));
  EXPECT_THAT(error_of("attention=eagre"), AllOf(HasSubstr("'eagre'"), HasSubstr("Did you mean 'eager'?")));
  EXPECT_THAT(error_of("seed=1"), AllOf(HasSubstr("'seed'"), HasSubstr("workload"), HasSubstr("attention")));
  EXPECT_THAT(error_of("warmup=1"), AllOf(HasSubstr("'warmup'"), HasSubstr("only one value per run")));
  EXPECT_THAT(error_of("store=a.db"), HasSubstr("'store'"));
  EXPECT_THAT(error_of("attention"), AllOf(HasSubstr("'attention'"), HasSubstr("SETTING=VALUE")));
  EXPECT_THAT(error_of("attention=eager,attention=sdpa"), AllOf(HasSubstr("attention=sdpa"), HasSubstr("once")));
  for (const char* text : {"", " ", ",", "=", "=eager", "attention=", "attention=eager,", "baseline=attention=eager"}) {
    EXPECT_THAT(error_of(text), Not(HasSubstr("(no error)"))) << "'" << text << "'";
  }
}

// One baseline of a padding level, or of a batch size, for all of them is a comparison of different work: "speed-up"
// over batch sizes is no speed-up, and the time at 0 % padding no baseline of that at 75 %.
TEST(Baseline, RefusesSettingsOfTheWorkload) {
  for (const char* text : {"padding=0", "batch_size=1", "sequence_length=128", "model=bert-base", "limit=8"}) {
    EXPECT_THAT(error_of(text), AllOf(HasSubstr("workload"), HasSubstr("must be the same on both sides"))) << text;
  }
}

TEST(Baseline, IsFulfilledByCasesThatHaveAllItsValues) {
  const Json baseline{{"attention", "eager"}, {"precision", "fp32"}};
  EXPECT_TRUE(fulfils({{"attention", "eager"}, {"precision", "fp32"}, {"batch_size", 8}}, baseline));
  EXPECT_FALSE(fulfils({{"attention", "eager"}, {"precision", "bf16"}}, baseline));
  EXPECT_FALSE(fulfils({{"attention", "eager"}}, baseline));
  EXPECT_FALSE(fulfils(Json::array(), baseline));
}

TEST(Baseline, ThatNoCaseFulfilsIsRefusedWithTheValuesThereAre) {
  const Json first{{"attention", "sdpa"}, {"precision", "fp32"}};
  const Json second{{"attention", "eager"}, {"precision", "bf16"}};
  const std::vector<const Json*> cases{&first, &second};
  EXPECT_NO_THROW(check_baseline({{"attention", "eager"}}, cases));
  EXPECT_THAT(message_of([&] {
                check_baseline({{"precision", "fp16"}}, cases);
              }),
              AllOf(HasSubstr("precision fp16"), HasSubstr("fp32, bf16"), HasSubstr("--precision")));
  EXPECT_THAT(message_of([&] {
                check_baseline({{"attention", "eager"}, {"precision", "fp32"}}, cases);
              }),
              AllOf(HasSubstr("attention=eager,precision=fp32"), HasSubstr("no case combines all")));
}

}  // namespace
}  // namespace transformeter
