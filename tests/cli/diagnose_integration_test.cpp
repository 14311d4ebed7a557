// `diagnose`, `recommend` and `show --summary-by` on a store.
#include <gmock/gmock.h>

#include "cli/shell.h"
#include "store/store.h"
#include "support/training_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Diagnose : public CommandTest {
 protected:
  void SetUp() override {
    RunRecord run = training_run();
    for (const double batch : {1, 2, 4, 8, 16, 32, 64}) {
      add_training_case(run, training_settings(batch), step_figures(0.1 + 0.01 * batch, batch));
    }
    const auto store = open_store(folder_.path() / "r.db", StoreMode::kWrite);
    store->begin_run(run);
    store->keep_summaries(run.id, run.cases);
  }
};

TEST_F(Diagnose, TellsTheOverheadInEveryForm) {
  const ShellResult table = shell("$T diagnose --store r.db");
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output,
              AllOf(HasSubstr("fixed_overhead: present: over batch 1 to 64 each step has a fixed cost of 100 ms"),
                    HasSubstr("advice: use batch 64 instead of 1"), HasSubstr("run 20261122-101112-aaaaaa")));
  EXPECT_THAT(shell("$T diagnose training --store r.db --format markdown").output,
              AllOf(HasSubstr("**fixed\\_overhead**: present"), HasSubstr("| batch |")));
  const Json json = Json::parse(shell("$T diagnose --store r.db --format json").output);
  const Json& series = json.at("series").at(0);
  EXPECT_EQ(series.at("cases").size(), 7u);
  EXPECT_EQ(series.at("device"), "cpu");
  const Json& finding = series.at("findings").at(0);
  EXPECT_EQ(finding.at("pattern"), "fixed_overhead");
  EXPECT_EQ(finding.at("state"), "present");
  EXPECT_NEAR(finding.at("advice").at(0).at("gain").at("factor").get<double>(), 0.11 / 0.74 * 64, 1e-6);
  // Nothing of memory was measured: null with a reason, never a guess.
  const Json& memory = series.at("findings").back();
  EXPECT_EQ(memory.at("state"), "not_determined");
  EXPECT_TRUE(memory.at("statement").is_null());
  EXPECT_FALSE(memory.at("reason").get<std::string>().empty());
}

TEST_F(Diagnose, ARunWithoutTrainingCasesIsBadInput) {
  RunRecord other = training_run();
  other.id = "20261123-101112-cccccc";
  other.started_at = "2026-11-23T10:11:12.000Z";
  Json settings = training_settings(8);
  settings["scenario"] = "batch";
  add_training_case(other, settings, step_figures(0.1, 8));
  {
    const auto store = open_store(folder_.path() / "r.db", StoreMode::kWrite);
    store->begin_run(other);
    store->keep_summaries(other.id, other.cases);
  }
  const ShellResult outcome = shell("$T diagnose --store r.db");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.errors, HasSubstr("has no training cases"));
  EXPECT_EQ(shell("$T recommend --for training 20261123 --store r.db").exit_code, 3);
}

TEST_F(Diagnose, AMissingStoreIsMadeByTrain) {
  for (const char* command : {"diagnose", "recommend --for training"}) {
    const ShellResult outcome = shell(std::string("$T ") + command + " --store none.db");
    EXPECT_EQ(outcome.exit_code, 3) << command;
    EXPECT_THAT(outcome.errors, HasSubstr("create one with `transformeter train --store none.db`"));
  }
}

TEST_F(Diagnose, RecommendNamesTheBatchWithItsEvidence) {
  const ShellResult table = shell("$T recommend --for training --store r.db");
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output,
              AllOf(HasSubstr("batch_size: 64 (supported)"), HasSubstr("optimizer: no answer (not_compared)"),
                    HasSubstr("because: only adamw was measured")));
  const Json json = Json::parse(shell("$T recommend training --for training --store r.db --format json").output);
  const Json& workload = json.at("workloads").at(0);
  EXPECT_EQ(workload.at("cases").size(), 7u);
  EXPECT_EQ(workload.at("recommendations").at(2).at("subject"), "batch_size");
  EXPECT_EQ(workload.at("recommendations").at(2).at("sets").at(0).at("options").size(), 7u);
}

TEST_F(Diagnose, RecommendSaysThatARunIsOfTraining) {
  const ShellResult outcome = shell("$T recommend --store r.db");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.errors, HasSubstr("give --for training"));
  const ShellResult limited = shell("$T recommend --for training --memory 2GiB --store r.db");
  EXPECT_EQ(limited.exit_code, 3);
  EXPECT_THAT(limited.errors, HasSubstr("--memory chooses among cases of inference"));
  EXPECT_EQ(shell("$T recommend --for training --store r.db -o t.md").exit_code, 0);
  EXPECT_THAT(read_file(folder_.path() / "t.md"), HasSubstr("# Recommended training settings"));
}

TEST_F(Diagnose, ShowSummarizesBySettings) {
  const ShellResult table = shell("$T show --store r.db --summary-by optimizer");
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, AllOf(HasSubstr("by optimizer"), HasSubstr("also differ in batch_size")));
  const Json json = Json::parse(shell("$T show --store r.db --summary-by optimizer,batch_size --format json").output);
  const Json& adamw = json.at("summaries").at(0).at("values").at(0);
  EXPECT_EQ(adamw.at("cases").size(), 7u);
  const Json& latency = adamw.at("metrics").at(0);
  EXPECT_EQ(latency.at("name"), "latency");
  EXPECT_NEAR(latency.at("max").get<double>(), 0.74, 1e-12);
  EXPECT_EQ(json.at("summaries").at(1).at("values").size(), 7u);
  EXPECT_EQ(shell("$T show --store r.db --summary-by optimizer --format csv").exit_code, 3);
  EXPECT_EQ(shell("$T show --store r.db --summary-by optimizer --all").exit_code, 3);
  EXPECT_THAT(shell("$T show --store r.db --summary-by optimiser").errors, HasSubstr("Did you mean 'optimizer'?"));
}

}  // namespace
}  // namespace transformeter
