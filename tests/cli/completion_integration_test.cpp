// Completions in the real shells: bash always, zsh and fish where they are installed. Manual pages by groff.
#include <gmock/gmock.h>

#include <regex>

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

// Without what makes text bold or underlined: colour codes, or a character and a step back before the same place's
// next.
std::string plain_text(const std::string& text) {
  static const std::regex codes("\x1b\\[[0-9;]*m|[^\n]\b");
  return std::regex_replace(text, codes, "");
}

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
  EXPECT_THAT(bash("transformeter run --batch-s"), ElementsAre("--batch-size"));
  EXPECT_THAT(bash("transformeter show --"), AllOf(Contains("--no-samples"), Not(Contains("--batch-size"))));
}

TEST_F(Completion, BashOffersTheValuesOfAnAxisAndListsOfThem) {
  EXPECT_THAT(bash("transformeter run --attention-mask ''"), UnorderedElementsAre("on", "off"));
  EXPECT_THAT(bash("transformeter run --attention-mask on,"), UnorderedElementsAre("on,off"));
  EXPECT_THAT(bash("transformeter run --precision fp32,t"), ElementsAre("fp32,tf32"));
  EXPECT_THAT(bash("transformeter run --precision = t"), ElementsAre("tf32"));
  EXPECT_THAT(bash("transformeter train --model-families embedding,v"), ElementsAre("embedding,vision"));
  EXPECT_THAT(bash("transformeter run --attention-mask ="), UnorderedElementsAre("on", "off"));
  EXPECT_THAT(bash("transformeter show --format js"), UnorderedElementsAre("json", "jsonl"));
  EXPECT_THAT(bash("transformeter run --model distilbert-b"), ElementsAre("distilbert-base"));
  EXPECT_THAT(bash("transformeter completion ''"), UnorderedElementsAre("bash", "zsh", "fish"));
}

TEST_F(Completion, BashOffersFilesWhereAPathServes) {
  folder_.write("plan one.yaml", "");
  folder_.write("results.db", "");
  EXPECT_THAT(bash("transformeter run pl"), ElementsAre("plan one.yaml"));
  EXPECT_THAT(bash("transformeter run pad"), ElementsAre("padding-sweep"));
  EXPECT_THAT(bash("transformeter run ''"), IsSupersetOf({"padding-sweep", "time-per-token", "plan one.yaml"}));
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

TEST_F(Completion, ZshOffersFilesForEachPlaceOfAList) {
  EXPECT_THAT(shell("$T completion zsh").output,
              AllOf(HasSubstr("'*:FILE...:"), HasSubstr("'1:OUT:"), HasSubstr("'*:IN...:"), HasSubstr("'1:TEXT:")));
  if (!has("zsh") || !has("script")) GTEST_SKIP() << "no zsh, or no program 'script' to make a terminal with";
  // The completed line is printed, not run: control-A goes to its beginning.
  const ShellResult result = shell(
      "touch laptop.db server.db one.jsonl two.jsonl; $T completion zsh >c.zsh; mkdir p; ln -s $T p/transformeter\n"
      "printf 'autoload -Uz compinit; compinit -u -d ./dump; source ./c.zsh\n"
      "transformeter merge all.db lap\tser\t\001echo \005\n"
      "transformeter import one\ttwo\t\001echo \005\nexit\n' >keys\n"
      "PATH=$PWD/p:$PATH TERM=dumb timeout 20 script -qc 'zsh -f -i' /dev/null <keys");
  EXPECT_THAT(result.output, HasSubstr("\ntransformeter merge all.db laptop.db server.db")) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\ntransformeter import one.jsonl two.jsonl")) << result.errors;
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
  EXPECT_THAT(shell("$T man import").output, HasSubstr("[\\fIOPTIONS\\fR] \\fIFILE...\\fR\n"));
  EXPECT_THAT(shell("$T man merge").output, HasSubstr("[\\fIOPTIONS\\fR] \\fIOUT\\fR \\fIIN...\\fR\n"));
  EXPECT_THAT(shell("$T man export").output, HasSubstr("[\\fIOPTIONS\\fR] [\\fIRUN...\\fR]\n"));
  if (!has("groff")) GTEST_SKIP() << "no groff";
  const ShellResult result = shell(
      "for page in '' $($T man | sed -n 's/^.BR transformeter\\\\-\\([a-z]*\\) .*/\\1/p'); do "
      "$T man $page | groff -man -Tutf8 -ww; done");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(result.output, AllOf(HasSubstr("transformeter tokenize"), HasSubstr("transformeter doctor")));
}

TEST_F(Completion, ManualPagesFitATerminalOfEightyColumns) {
  if (!has("groff")) GTEST_SKIP() << "no groff";
  const ShellResult result = shell(
      "for page in '' run pipeline profile resume show report plot runs export import merge models data predict "
      "tokenize score fetch push "
      "peaks doctor completion man; do "
      "$T man $page | groff -man -Tascii -rLL=80n; done");
  EXPECT_THAT(plain_text(result.output), HasSubstr("EXAMPLES"));
  for (const std::string& line : split(plain_text(result.output), '\n')) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(Completion, AnUnknownWordIsNamedFirst) {
  const auto errors = [&](const char* arguments) {
    const ShellResult result = shell(std::string("$T ") + arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    return result.errors;
  };
  EXPECT_EQ(errors("shwo"),
            "transformeter: command 'shwo' is not known. Did you mean 'show'? See 'transformeter --help'.\n");
  EXPECT_EQ(
      errors("report --sotre x"),
      "transformeter: option '--sotre' is not known. Did you mean '--store'? See 'transformeter report --help'.\n");
  EXPECT_EQ(errors("report --sotre=x"), errors("report --sotre x"));
  EXPECT_EQ(errors("diagnose a b"), "transformeter: unexpected argument 'b'. See 'transformeter diagnose --help'.\n");
  EXPECT_EQ(errors("--sotre x report"), "transformeter: option '--sotre' is not known. See 'transformeter --help'.\n");
  EXPECT_EQ(errors("report"), "transformeter: --output is required. See 'transformeter report --help'.\n");
}

TEST_F(Completion, ABareCallIsARequestForHelp) {
  const ShellResult bare = shell("$T");
  EXPECT_EQ(bare.exit_code, 0) << bare.errors;
  EXPECT_EQ(bare.errors, "");
  EXPECT_EQ(bare.output, shell("$T --help").output);
  EXPECT_THAT(bare.output, AllOf(HasSubstr("Understand results:"), HasSubstr("  diagnose ")));
}

TEST_F(Completion, HelpInFullShowsMore) {
  const std::string common = shell("$T run --help").output;
  const std::string full = shell("$T run --help-all").output;
  EXPECT_THAT(common, AllOf(HasSubstr("--help-all shows all"), Not(HasSubstr("--huge-pages"))));
  EXPECT_THAT(full, AllOf(HasSubstr("--huge-pages"), Not(HasSubstr("--help-all shows all"))));
  EXPECT_EQ(shell("$T show --help-all").exit_code, 3) << "--help shows all there is";
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
