// Completions in the real shells: bash always, zsh and fish where they are installed. Manual pages by groff.
#include <gmock/gmock.h>

#include "base/text.h"
#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

class Completion : public CommandTest {
 protected:
  // What bash offers with the cursor at the end of `words`; "=" stands alone, as bash cuts it off.
  std::vector<std::string> bash(const std::string& words) const {
    const ShellResult result =
        shell("source <($T completion bash); COMP_WORDS=(" + words +
              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _transformeter; printf '%s\\n' \"${COMPREPLY[@]}\"");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "") << words;
    std::vector<std::string> offered = split(result.output, '\n');
    offered.pop_back();
    if (offered == std::vector<std::string>{""}) offered.clear();
    return offered;
  }

  bool has(const std::string& program) const { return shell("command -v " + program).exit_code == 0; }
};

TEST_F(Completion, BashOffersSubcommands) {
  EXPECT_THAT(bash("transformeter ''"), IsSupersetOf({"run", "show", "tokenize", "doctor", "completion"}));
  EXPECT_THAT(bash("transformeter do"), ElementsAre("doctor"));
  EXPECT_THAT(bash("transformeter --v"), ElementsAre("--version"));
}

TEST_F(Completion, BashOffersTheOptionsOfTheSubcommand) {
  EXPECT_THAT(bash("transformeter run --batch"), ElementsAre("--batch-size"));
  EXPECT_THAT(bash("transformeter show --"), AllOf(Contains("--no-samples"), Not(Contains("--batch-size"))));
}

TEST_F(Completion, BashOffersTheValuesOfAnAxisAndListsOfThem) {
  EXPECT_THAT(bash("transformeter run --precision ''"), UnorderedElementsAre("auto", "fp32", "bf16"));
  EXPECT_THAT(bash("transformeter run --precision fp32,"), UnorderedElementsAre("fp32,auto", "fp32,bf16"));
  EXPECT_THAT(bash("transformeter run --precision fp32,b"), ElementsAre("fp32,bf16"));
  EXPECT_THAT(bash("transformeter run --precision = b"), ElementsAre("bf16"));
  EXPECT_THAT(bash("transformeter run --precision ="), UnorderedElementsAre("auto", "fp32", "bf16"));
  EXPECT_THAT(bash("transformeter show --format js"), UnorderedElementsAre("json", "jsonl"));
  EXPECT_THAT(bash("transformeter run --model distilbert-b"), ElementsAre("distilbert-base"));
  EXPECT_THAT(bash("transformeter completion ''"), UnorderedElementsAre("bash", "zsh", "fish"));
}

TEST_F(Completion, BashOffersFilesWhereAPathServes) {
  folder_.write("plan one.yaml", "");
  folder_.write("results.db", "");
  EXPECT_THAT(bash("transformeter run pl"), ElementsAre("plan one.yaml"));
  EXPECT_THAT(bash("transformeter show --store res"), ElementsAre("results.db"));
  EXPECT_THAT(bash("transformeter run --data b"), Contains("bundled"));
  EXPECT_THAT(bash("transformeter show --format res"), testing::IsEmpty());
}

TEST_F(Completion, BashCompletesWhenTabIsPressed) {
  if (!has("script")) GTEST_SKIP() << "no program 'script' to make a terminal with";
  const ShellResult result = shell(
      "$T completion bash >c.bash; mkdir p; ln -s $T p/transformeter\n"
      "printf 'source c.bash\\necho \"<\" transformeter doctor --form\\tj\\t \">\"\\ntransformeter doc\\t--form\\tjson "
      "--worker /none | head -c 20; exit\\n' >keys\n"
      "PATH=$PWD/p:$PATH TERM=dumb timeout 20 script -qc 'bash --norc -i' /dev/null <keys");
  EXPECT_THAT(result.output, HasSubstr("transformeter doctor --format")) << result.errors;
}

TEST_F(Completion, ZshTakesTheScript) {
  if (!has("zsh")) GTEST_SKIP() << "no zsh";
  const ShellResult result = shell(
      "$T completion zsh >_transformeter; zsh -n _transformeter && "
      "zsh -f -c 'autoload -Uz compinit; compinit -u -d ./dump; source ./_transformeter; print "
      "$_comps[transformeter]'");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "_transformeter\n") << result.errors;
}

TEST_F(Completion, FishOffersValuesAndLists) {
  if (!has("fish")) GTEST_SKIP() << "no fish";
  const auto fish = [&](const std::string& line) {
    return shell("export HOME=$PWD; $T completion fish >c.fish; fish -N -c 'source c.fish; complete -C \"" + line +
                 "\"'")
        .output;
  };
  EXPECT_THAT(fish("transformeter run --precision "), AllOf(HasSubstr("fp32"), HasSubstr("bf16")));
  EXPECT_THAT(fish("transformeter run --precision fp32,b"), HasSubstr("fp32,bf16"));
  EXPECT_THAT(fish("transformeter toke"), HasSubstr("tokenize"));
  EXPECT_THAT(fish("transformeter show --no-s"), HasSubstr("--no-samples"));
}

TEST_F(Completion, AnUnknownShellIsRefused) {
  const ShellResult result = shell("$T completion csh");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("'csh'"), HasSubstr("bash, zsh, fish")));
}

TEST_F(Completion, ManualPagesPassGroffWithoutAWarning) {
  const ShellResult names = shell("$T man run; $T man nosuch");
  EXPECT_THAT(names.output, AllOf(HasSubstr(".TH TRANSFORMETER-RUN 1"), HasSubstr("\\-\\-batch\\-size")));
  EXPECT_THAT(names.errors, HasSubstr("'nosuch'"));
  if (!has("groff")) GTEST_SKIP() << "no groff";
  const ShellResult result = shell(
      "for page in '' $($T man | sed -n 's/^.BR transformeter\\\\-\\([a-z]*\\) .*/\\1/p'); do "
      "$T man $page | groff -man -Tutf8 -ww; done");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(result.output, AllOf(HasSubstr("transformeter tokenize"), HasSubstr("transformeter doctor")));
}

TEST_F(Completion, VersionNamesTheBuildAndNoDate) {
  const ShellResult result = shell("$T --version");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, AllOf(testing::StartsWith("transformeter 0."), HasSubstr("built by "), HasSubstr("fmt "),
                                   HasSubstr("SQLite "), HasSubstr("hwloc "), Not(HasSubstr("unknown"))));
  EXPECT_THAT(result.output, Not(HasSubstr("LibTorch"))) << "that is the worker's to say";
}

}  // namespace
}  // namespace transformeter
