// Plan files and other names through the real command: what is stored is what the settings call it.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PlanFileRun : public CommandTest {};

TEST_F(PlanFileRun, MeasuresAJsonPlanWithSections) {
  folder_.write(
      "plan.json",
      "{\n  \"models\": [\"bert-test\"],\n  \"workload\": {\"batch_sizes\": [1, 8], \"sequence_length\": 16},\n"
      "  \"engine\": {\"precision\": \"fp32\"}\n}\n");
  const ShellResult result = shell("$T run plan.json --batch-size 2 --store r.db");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 1U) << "options override the plan";
  EXPECT_EQ(run.cases[0].requested.at("batch_size"), 2);
  EXPECT_EQ(run.settings["batch_size"]["origin"], "flag");
  EXPECT_EQ(run.settings["sequence_length"]["origin"], "plan plan.json:3");
  EXPECT_EQ(run.settings["precision"]["origin"], "plan plan.json:4");
}

TEST_F(PlanFileRun, AFaultyPlanIsBadInput) {
  folder_.write("plan.json", "{\"workload\": {\"batchsizes\": [1]}}");
  const ShellResult result = shell("$T run plan.json --store r.db");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("plan.json:1: setting 'batchsizes'"), HasSubstr("'batch_size'")));
  folder_.write("broken.json", "{\"seed\": 1,}");
  const ShellResult broken = shell("$T run broken.json --store r.db");
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_THAT(broken.errors, HasSubstr("broken.json' is not valid JSON"));
}

TEST_F(PlanFileRun, OtherNamesOfModelsAndTasksAreShownAsTheirOwn) {
  const ShellResult result = shell(
      "$T run --model bert-base-uncased,bert-base --task text-classification --batch-size 1 --sequence-length 16 "
      "--precision fp32 --store r.db && $T show --store r.db --format json --no-samples");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 1U) << "both names are one model";
  EXPECT_EQ(run.cases[0].requested.at("model"), "bert-base");
  EXPECT_EQ(run.cases[0].requested.at("task"), "sequence_classification");
  EXPECT_EQ(run.settings["task"]["values"], Json({"sequence_classification"}));
  EXPECT_THAT(result.output, Not(HasSubstr("uncased")));
  EXPECT_THAT(shell("$T models --describe bert-base-uncased").output, HasSubstr("bert-base"));
}

// A preset has no trained weights, which such a name asks for here.
TEST_F(PlanFileRun, OtherNamesOfPresetsDoNotServePredictions) {
  const ShellResult result = shell("$T predict --model bert-base-uncased --text a");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("unknown model 'bert-base-uncased'"));
}

TEST_F(PlanFileRun, ScoreKnowsOtherNamesOfTasks) {
  folder_.write("truth.csv", "text,label\na,yes\nb,no\n");
  folder_.write("answers.txt", "yes\nno\n");
  const ShellResult result =
      shell("$T score --task text-classification --data truth.csv --predictions answers.txt --format json");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(Json::parse(result.output).at("task"), "sequence_classification");
}

TEST_F(PlanFileRun, RunTakesFamiliesOfModels) {
  const ShellResult result = shell(
      "$T run --model-families text_generation --batch-size 1 --sequence-length 16 --precision fp32 --store r.db");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(load().cases.at(0).requested.at("model"), "gpt2");
  const ShellResult both = shell("$T run --model-families embedding --model gpt2 --store s.db");
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_THAT(both.errors, AllOf(HasSubstr("--model-families"), HasSubstr("--model")));
  EXPECT_THAT(shell("$T profile --help-all").output, Not(HasSubstr("--model-families")));
}

}  // namespace
}  // namespace transformeter
