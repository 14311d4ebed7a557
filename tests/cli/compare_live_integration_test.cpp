// `compare --live` with fake workers of known times, each arm a worker of its own.
#include <gmock/gmock.h>

#include <algorithm>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class CompareLiveTest : public CommandTest {
 protected:
  // A worker whose batches take so long, give or take half a percent.
  void make_worker(const std::string& name, double mean_s, const Json& faults = Json::array()) const {
    const Json latency = {{"kind", "normal"}, {"mean_s", mean_s}, {"sd_s", mean_s / 200}};
    const Json behaviour = {{"latency", latency}, {"vary", true}, {"faults", faults}};
    folder_.write(name, "#!/bin/sh\nTRANSFORMETER_FAKE_WORKER='" + behaviour.dump() + "' exec '" +
                            (binary_directory() / "bin/transformeter-fake-worker").string() + "' \"$@\"\n");
    std::filesystem::permissions(folder_.path() / name, std::filesystem::perms::owner_all);
  }

  ShellResult live(const std::string& arguments) const {
    return shell(
        "$T compare --live " + arguments +
        " --model bert-test --batch-size 1 --sequence-length 16 --precision fp32 --time-budget 20s --store l.db");
  }
};

TEST_F(CompareLiveTest, TellsTwoBuildsApart) {
  make_worker("old", 0.010);
  make_worker("new", 0.011);
  const ShellResult result = live("worker=./old worker=./new --format json --name builds");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json json = Json::parse(result.output);
  const Json& pair = json.at("pairs").at(0);
  EXPECT_EQ(pair.at("answer"), "slower");
  EXPECT_EQ(pair.at("compared_by"), "processes");
  EXPECT_EQ(pair.at("n"), 8);
  EXPECT_EQ(pair.at("confidence_level"), 0.99);
  EXPECT_NEAR(pair.at("speed_up").at("value").get<double>(), 1 / 1.1, 0.01);
  EXPECT_THAT(json.at("changes").dump(), AllOf(HasSubstr("/old"), HasSubstr("/new")));
  const RunRecord run = load("l.db");
  ASSERT_EQ(run.cases.size(), 2u);
  EXPECT_EQ(run.cases[0].key, run.cases[1].key) << "the same work";
  EXPECT_EQ(run.cases[0].replicates.size(), 8u) << "a clear answer needs no more";
  EXPECT_EQ(run.cases[1].replicates.size(), 8u);
  const ShellResult again = shell("$T compare builds:arm=before builds:arm=after --store l.db --format json");
  EXPECT_EQ(Json::parse(again.output).at("pairs").at(0).at("speed_up"), pair.at("speed_up"));
  EXPECT_THAT(shell("$T show --store l.db").output, AllOf(HasSubstr("compared with arm=before"), HasSubstr("slower")));
  EXPECT_EQ(shell("$T report --store l.db -o r.md").exit_code, 0);
  EXPECT_THAT(read_file(folder_.path() / "r.md"),
              HasSubstr("transformeter compare --live worker=./old worker=./new --model bert-test"));
}

TEST_F(CompareLiveTest, FindsNothingBetweenEqualArms) {
  make_worker("old", 0.010);
  const ShellResult result = live("worker=./old worker=./old");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1 same"));
}

TEST_F(CompareLiveTest, EndsOnceItsConditionIsDecided) {
  make_worker("old", 0.010);
  make_worker("new", 0.0101);
  const ShellResult passed = live("worker=./old worker=./new --fail-if 'latency > +3%'");
  EXPECT_EQ(passed.exit_code, 0) << passed.output << passed.errors;
  make_worker("new", 0.011);
  const ShellResult failed = live("worker=./old worker=./new --fail-if 'latency > +3%' -o gate.md");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(read_file(folder_.path() / "gate.md"), HasSubstr("| latency &gt; +3% |"));
}

TEST_F(CompareLiveTest, KeepsWhatADyingArmMeasured) {
  make_worker("old", 0.010);
  make_worker("new", 0.011, {{{"kind", "crash"}, {"at", "measure"}}});
  const ShellResult result = live("worker=./old worker=./new");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("1 crashed after"), HasSubstr("undecided")));
  const Json gated = Json::parse(live("worker=./old worker=./new --fail-if 'latency > +3%' --format json").output);
  EXPECT_EQ(gated.at("pairs").at(0).at("gates").at(0).at("answer"), "fail") << "it was ok before";
  EXPECT_EQ(load("l.db").cases.at(0).status, Status::kOk);
  EXPECT_EQ(live("worker=./new worker=./old --fail-if 'latency > +3%'").exit_code, 1)
      << "undecided is no answer to that";
}

TEST_F(CompareLiveTest, HasNamesOfItsOwnForItsArms) {
  const ShellResult result = shell("$T run --arm before,after --baseline arm=before --model bert-test --store l.db");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("compare --live"));
}

TEST_F(CompareLiveTest, IsNotResumed) {
  make_worker("old", 0.010);
  live("worker=./old worker=./old");
  const ShellResult resumed = shell("$T resume --store l.db");
  EXPECT_EQ(resumed.exit_code, 3);
  EXPECT_THAT(resumed.errors, HasSubstr(":arm=before"));
}

TEST_F(CompareLiveTest, SaysWhatATimeBudgetLeft) {
  folder_.write("slow", "#!/bin/sh\nsleep 0.4\nexec '" +
                            (binary_directory() / "bin/transformeter-fake-worker").string() + "' \"$@\"\n");
  std::filesystem::permissions(folder_.path() / "slow", std::filesystem::perms::owner_all);
  const ShellResult result = shell(
      "$T compare --live worker=./slow worker=./slow --model bert-test --batch-size 1 --sequence-length 16 --precision "
      "fp32 --time-budget 3s --store l.db");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("time budget used up"));
}

TEST_F(CompareLiveTest, DoesNotCompareMemory) {
  make_worker("old", 0.010);
  const ShellResult result = live("worker=./old worker=./old --fail-if 'peak_rss > +10%'");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("side by side"));
}

TEST_F(CompareLiveTest, TakesSeveralPairsFromAPlan) {
  make_worker("old", 0.010);
  make_worker("new", 0.011);
  folder_.write("plan.yaml", "model: bert-test\nbatch_sizes: [1, 2]\nsequence_length: 16\nprecision: fp32\n");
  const ShellResult result = shell(
      "$T compare --live worker=./old worker=./new --plan plan.yaml --time-budget 20s --store l.db --format json");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  ASSERT_EQ(Json::parse(result.output).at("pairs").size(), 2u);
  folder_.write("plan.yaml", "model: bert-test\narm: [a, b]\n");
  EXPECT_THAT(shell("$T compare --live worker=./old worker=./new --plan plan.yaml").errors, HasSubstr("arm"));
}

// examples/ci, as its workflow calls it.
TEST_F(CompareLiveTest, ServesAsAGateInCi) {
  make_worker("old", 0.010);
  make_worker("same", 0.010);
  make_worker("slower", 0.011);
  const auto gate = [&](const std::string& arguments) {
    return shell("export TRANSFORMETER=$T GITHUB_STEP_SUMMARY=summary.md\n'" +
                 (source_directory() / "examples/ci/gate.sh").string() + "' " + arguments);
  };
  const std::string options =
      " --model bert-test --batch-size 1 --sequence-length 16 --precision fp32 --time-budget 20s";
  const ShellResult passed = gate("./old ./same" + options);
  EXPECT_EQ(passed.exit_code, 0) << passed.errors;
  EXPECT_THAT(passed.output, HasSubstr("gate: passed"));
  const ShellResult failed = gate("./old ./slower" + options);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(read_file(folder_.path() / "summary.md"), HasSubstr("| latency &gt; +3% |"));
  EXPECT_THAT(read_file(folder_.path() / "gate.xml"), HasSubstr("failures=\"1\""));
  EXPECT_EQ(gate("./old").exit_code, 3);
  EXPECT_EQ(gate("./old ./missing" + options).exit_code, 3);
}

TEST_F(CompareLiveTest, RefusesWhatIsNoComparison) {
  make_worker("old", 0.010);
  const auto refused = [&](const std::string& arguments, const char* why) {
    const ShellResult result = live(arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(why)) << arguments;
  };
  refused("precision=fp32 precision=bf16", "precision fp32 → bf16");
  refused("batch_size=1 batch_size=8", "batch_size 1 → 8");
  refused("engine=fast replicates=3", "replicates");
  refused("samples=1 engine=fast", "samples");
  refused("engine=fast engine=pytorch --replicates 3", "8 or more");
  refused("engine=fast engine=pytorch -o no/gate.md", "no folder");
  refused("engin=fast engine=fast", "engine");
  refused("' ' engine=fast", "SETTING=VALUE");
  refused("engine=fast fast", "SETTING=VALUE");
  refused("worker=./none worker=./old", "./none");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "l.db")) << "nothing was measured";
  const ShellResult stored = shell("$T compare a b --batch-size 8");
  EXPECT_EQ(stored.exit_code, 3);
  EXPECT_THAT(stored.errors, AllOf(HasSubstr("--batch-size"), HasSubstr("--live")));
  const ShellResult across = live("batch_size=1 batch_size=8 --across");
  EXPECT_THAT(across.output, AllOf(HasSubstr("not alike: batch_size 1 → 8"), HasSubstr("the workloads differ")));
}

}  // namespace
}  // namespace transformeter
