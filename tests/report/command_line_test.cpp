// The command that repeats a run.
#include "report/command_line.h"

#include <gtest/gtest.h>

#include "support/result_records.h"

namespace transformeter {
namespace {

TEST(ReproduceCommand, HoldsWhatTheUserSetAndNoDefaults) {
  EXPECT_EQ(reproduce_command(mixed_run()), "transformeter run --batch-size 1,8 --precision fp32,bf16,fp16");
}

TEST(ReproduceCommand, QuotesForTheShell) {
  RunRecord run;
  run.settings = {{"name", {{"values", {"it's $HOME"}}, {"origin", "flag"}}},
                  {"strict", {{"values", {true}}, {"origin", "flag"}}},
                  {"time_limit", {{"values", {30.0}}, {"origin", "flag"}}}};
  EXPECT_EQ(reproduce_command(run), "transformeter run --time-limit 30 --name 'it'\\''s $HOME' --strict");
}

TEST(ReproduceCommand, SaysWhatAFlagCannotHold) {
  RunRecord run;
  run.settings = {{"model", {{"values", {"a,b"}}, {"origin", "plan p.yaml:1"}}}};
  EXPECT_EQ(reproduce_command(run),
            "transformeter run --model a,b\n# a value of model contains a comma: set it in a plan file");
}

TEST(ReproduceCommand, OfALiveComparisonHasNoSettingThatThisDecidesOn) {
  RunRecord run;
  const auto set = [&](const char* name, Json values) {
    run.settings[name] = {{"values", std::move(values)}, {"origin", "plan p.yaml:1"}};
  };
  set("live_arms", {"threads=1", "threads=2"});
  for (const char* name : {"arm", "baseline", "slices", "samples", "busy_gpu"}) set(name, {1});
  set("model", {"bert-tiny"});
  EXPECT_EQ(reproduce_command(run), "transformeter compare --live threads=1 threads=2 --model bert-tiny");
}

TEST(ShellWord, ControlCharactersStayOnOneLine) {
  EXPECT_EQ(shell_word("a\nb'c\\"), "$'a\\x0ab\\'c\\\\'");
  EXPECT_EQ(shell_word("\xE2\x80\xAE"), "$'\\xe2\\x80\\xae'");
  EXPECT_EQ(shell_word("\xD7\xA9"), "'\xD7\xA9'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("plain-1.0"), "plain-1.0");
}

}  // namespace
}  // namespace transformeter
