// The command itself: one file becomes a folder of results, again only what is missing.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPlan =
    "cat > p.yaml <<'END'\n"
    "model: bert-test\nsequence_length: 16\nprecision: fp32\nslices: 1\nsamples: 5\n"
    "measure:\n  inference: {batch_sizes: [1, 8]}\n  one: {batch_size: 2}\n"
    "profile: {batch_size: 2}\n"
    "pictures: [{picture: six-panel, run: inference}, ecdf]\n"
    "report: [report.html, report.md, cases.csv, all.json]\n"
    "END\n";

class PipelineCommandTest : public CommandTest {
 protected:
  std::string file(const std::string& name) const { return read_file_or_empty(folder_.path() / name); }
  bool has_gnuplot() const { return shell("command -v gnuplot").exit_code == 0; }
};

TEST_F(PipelineCommandTest, MakesAFolderOfResults) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot; install the Debian package gnuplot-nox";
  const ShellResult first = shell(std::string(kPlan) + "$T pipeline p.yaml -o out");
  ASSERT_EQ(first.exit_code, 0) << first.output << first.errors;
  EXPECT_THAT(first.errors, AllOf(HasSubstr("data data.txt: transformeter data bundled"),
                                  HasSubstr("measure inference: transformeter run out/plans/inference.yaml")));
  EXPECT_THAT(file("out/data.txt"), HasSubstr("tokens of bert-test"));
  EXPECT_THAT(file("out/profile.txt"), HasSubstr("self"));
  EXPECT_THAT(file("out/profile-flame-graph.svg"), HasSubstr("<svg"));
  EXPECT_TRUE(Json::parse(file("out/profile-trace.json")).contains("traceEvents"));
  EXPECT_THAT(file("out/pictures/inference-six-panel.svg"), HasSubstr("<svg"));
  EXPECT_THAT(file("out/pictures/one-ecdf.svg"), HasSubstr("<svg"));
  EXPECT_THAT(file("out/report.html"), HasSubstr("<title>"));
  EXPECT_THAT(file("out/cases.csv"), AllOf(HasSubstr(",latency,"), HasSubstr("bert-test")));
  EXPECT_EQ(Json::parse(file("out/all.json")).at("runs").size(), 2U);
  EXPECT_THAT(file("out/report.md"), HasSubstr("Where the time goes")) << "run `one` has the case that was profiled";
  EXPECT_THAT(file("out/README.md"),
              AllOf(HasSubstr("[report.html](report.html)"), HasSubstr("transformeter profile")));
  const ShellResult second = shell("$T pipeline p.yaml -o out");
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.output, HasSubstr("done before"));
  EXPECT_THAT(second.errors, Not(HasSubstr("transformeter run")));
  const Json profiles = Json::parse(shell("$T profiles --store out/results.db --format json").output).at("profiles");
  ASSERT_EQ(profiles.size(), 1U) << "it was profiled once";
  EXPECT_EQ(profiles.at(0).at("name"), "p");
}

TEST_F(PipelineCommandTest, PrintsCommandsThatAShellTakes) {
  const ShellResult dry = shell(std::string(kPlan) + "$T pipeline p.yaml --dry-run --skip profile --set seed=7");
  EXPECT_EQ(dry.exit_code, 0);
  EXPECT_THAT(dry.output, AllOf(HasSubstr("transformeter plot inference --store p/results.db"),
                                Not(HasSubstr("transformeter profile"))));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "p"));
  EXPECT_EQ(shell("mkdir padding-sweep; $T pipeline padding-sweep --dry-run").exit_code, 0)
      << "a folder of that name is its own";
}

TEST_F(PipelineCommandTest, AStepThatFailsLeavesTheOthers) {
  const ShellResult result = shell(std::string(kPlan) + "PATH=/nowhere $T pipeline p.yaml -o out");
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("failed"), HasSubstr("gnuplot")));
  EXPECT_THAT(file("out/cases.csv"), HasSubstr(",latency,"));
  EXPECT_THAT(file("out/README.md"), HasSubstr("gnuplot"));
}

TEST_F(PipelineCommandTest, SaysWhatATimeBudgetLeftOut) {
  const ShellResult result = shell(
      "echo '{model: bert-test, batch_size: [1, 2, 4], sequence_length: 16, time_budget: 1s}' > b.yaml; "
      "$T pipeline b.yaml -o out --skip data,profile,pictures",
      {{"faults", {{{"kind", "delay"}, {"at", "prepare"}, {"seconds", 1.5}}}}});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr(" of 3 replicates pending)"));
  EXPECT_THAT(file("out/README.md"), HasSubstr(" of 3 replicates pending"));
}

// The first worker that measures hangs, so that there is something to interrupt.
TEST_F(PipelineCommandTest, AnInterruptedRunGoesOn) {
  const std::string start = "$T pipeline p.yaml -o out --skip data,profile,pictures ";
  const ShellResult stopped = shell(
      kPlan + start + "& pid=$!; until [ -e struck ] || ! kill -0 $pid; do sleep 0.05; done; kill -INT $pid; wait $pid",
      {{"faults", {{{"kind", "hang"}, {"at", "measure"}, {"once", "struck"}}}}});
  ASSERT_EQ(stopped.exit_code, 130) << stopped.output << stopped.errors;
  EXPECT_THAT(stopped.output, HasSubstr("go on with: transformeter pipeline p.yaml -o out"));
  const ShellResult resumed = shell(start);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_THAT(resumed.errors, HasSubstr("transformeter resume"));
  EXPECT_THAT(file("out/cases.csv"), HasSubstr(",latency,"));
}

TEST_F(PipelineCommandTest, RefusesWhatItDoesNotKnowBeforeAnythingIsDone) {
  const ShellResult typo = shell("printf 'modle: bert-test\\n' > t.yaml; $T pipeline t.yaml");
  EXPECT_EQ(typo.exit_code, 3);
  EXPECT_THAT(typo.errors, AllOf(HasSubstr("t.yaml:1: "), HasSubstr("'model'")));
  EXPECT_THAT(shell("$T pipeline padding-sweep --skip pictrues").errors, HasSubstr("'pictures'"));
  EXPECT_THAT(shell("$T pipeline padding-sweep --set seed").errors, HasSubstr("SETTING=VALUE"));
  EXPECT_THAT(shell("$T pipeline no-such-plan").errors, HasSubstr("neither a file nor a bundled plan"));
  EXPECT_EQ(shell("$T pipeline").exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "t"));
}

}  // namespace
}  // namespace transformeter
