// `manifest`, `manifest verify`, `replay` and `diff` through the real command, with the fake worker.
#include <gmock/gmock.h>

#include "cli/shell.h"
#include "machine/cpu_list.h"
#include "run/cores.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ReplayCommandTest : public CommandTest {
 protected:
  static Json with_latency(double mean_s) {
    return {{"latency", {{"kind", "normal"}, {"mean_s", mean_s}, {"sd_s", mean_s / 1000}}}, {"vary", true}};
  }

  void measure_and_bundle() const {
    const ShellResult result =
        shell(kMeasure + "--name night --replicates 3 && $T manifest night --store r.db -o b", with_latency(0.010));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, AllOf(HasSubstr("results.jsonl"), HasSubstr("SHA-256 of manifest.json:")));
  }

  ShellResult replay(const std::string& flags, double mean_s = 0.010) const {
    return shell("$T replay b --store here.db " + flags, with_latency(mean_s));
  }

  std::string file(const std::string& name) const { return read_file(folder_ / name); }
  bool has(const std::string& name) const { return fs::exists(folder_ / name); }
  std::size_t runs_in(const std::string& store) const {
    return open_store(folder_ / store, StoreMode::kRead)->list_runs().size();
  }

  const int kCores = available_cores(allowed_cpus());  // the threads of a run that asks for none
  const std::string kMeasure =
      "$T run --model bert-test --batch-size 1,8 --sequence-length 16 --precision fp32 --samples 300 --store r.db ";
};

TEST_F(ReplayCommandTest, ABundleIsVerifiedMeasuredAgainAndCompared) {
  measure_and_bundle();
  const ShellResult verified = shell("$T manifest verify b");
  EXPECT_EQ(verified.exit_code, 0) << verified.errors;
  EXPECT_THAT(verified.output,
              AllOf(HasSubstr("b is as it was written"), HasSubstr("worker"), Not(HasSubstr("fault"))));
  const Json json = Json::parse(shell("$T manifest verify b --format json").output);
  EXPECT_EQ(json.at("is_as_written"), true);
  ASSERT_EQ(json.at("inputs").size(), 3U);
  for (const Json& input : json.at("inputs")) EXPECT_EQ(input.at("here"), "same") << input;
  const ShellResult slower = replay("--fail-if 'latency.median > +5%' --format json", 0.012);
  EXPECT_EQ(slower.exit_code, 1) << slower.errors;
  const Json comparison = Json::parse(slower.output);
  EXPECT_EQ(comparison.at("before").at("name"), "night");
  EXPECT_EQ(comparison.at("after").at("name"), "replay-night");
  ASSERT_EQ(comparison.at("pairs").size(), 2U);
  for (const Json& pair : comparison.at("pairs")) EXPECT_EQ(pair.at("answer"), "slower") << pair;
  EXPECT_EQ(runs_in("here.db"), 2U) << "what the bundle holds, and what was measured";
  const ShellResult equal = replay("--name again --fail-if 'latency.median > +5%' -o out.md");
  EXPECT_EQ(equal.exit_code, 0) << equal.errors;
  EXPECT_THAT(file("out.md"), AllOf(HasSubstr("same"), HasSubstr("gate")));
  EXPECT_EQ(runs_in("here.db"), 3U) << "the bundle's run was there already";
}

TEST_F(ReplayCommandTest, WhatThisMachineChoosesOtherwiseIsNoReasonNotToCompare) {
  measure_and_bundle();
  // As of a machine with other cores: the same plan asks for other threads there.
  const int other_cores = kCores + 62;
  std::string results = file("b/results.jsonl");
  for (const char* end : {",", "}"}) {
    const std::string from = "\"threads\":" + std::to_string(kCores) + end;
    const std::string to = "\"threads\":" + std::to_string(other_cores) + end;
    for (std::size_t at = results.find(from); at != std::string::npos; at = results.find(from, at + to.size())) {
      results.replace(at, from.size(), to);
    }
  }
  folder_.write("other.jsonl", results);
  ASSERT_EQ(shell("$T import other.jsonl --store other.db && $T manifest --store other.db -o other").exit_code, 0);
  for (const CaseRecord& one : load("other.db").cases) ASSERT_EQ(one.requested.at("threads"), other_cores);
  const ShellResult result = shell("$T replay other --store here.db --format json", with_latency(0.010));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json comparison = Json::parse(result.output);
  EXPECT_EQ(comparison.at("pairs").size(), 2U);
  EXPECT_THAT(comparison.at("changes").dump(),
              HasSubstr("threads " + std::to_string(other_cores) + " → " + std::to_string(kCores)));
  EXPECT_TRUE(comparison.at("pairs").at(0).at("case_after").is_string()) << "the cases are pairs";
}

TEST_F(ReplayCommandTest, AChangedBundleIsRefusedAndNothingIsMeasured) {
  measure_and_bundle();
  const ShellResult changed = shell(R"(
cp -r b c; sed -i 's/"status":"ok"/"status":"OK"/' c/results.jsonl
$T manifest verify c; echo "verify $?"
$T replay c --store here.db; echo "replay $?"
$T diff c b; echo "diff $?"
cp -r b d; echo more > d/notes; rm d/plan.yaml
$T manifest verify d; echo "added $?"
cp -r b e; sed -i 's/"schema_version": 1/"schema_version": 99/' e/manifest.json
$T manifest verify e; echo "newer $?"
$T replay e --store here.db; echo "replay newer $?"
cp -r b f; head -c 100 b/manifest.json > f/manifest.json
$T manifest verify f; echo "cut $?"
$T manifest verify .; echo "none $?")");
  EXPECT_THAT(
      changed.output,
      AllOf(HasSubstr("verify 1"), HasSubstr("fault: results.jsonl has SHA-256"), HasSubstr("replay 3"),
            HasSubstr("diff 3"), HasSubstr("fault: plan.yaml is missing\nfault: notes was added"), HasSubstr("added 1"),
            HasSubstr("newer 3"), HasSubstr("replay newer 3"), HasSubstr("cut 3"), HasSubstr("none 3")));
  EXPECT_THAT(changed.errors, AllOf(HasSubstr("it is not as it was written"), HasSubstr("Use a newer transformeter"),
                                    HasSubstr("it has no manifest.json")));
  EXPECT_FALSE(has("here.db"));
}

TEST_F(ReplayCommandTest, AFullDiskOrAKillLeavesNoHalfBundle) {
  measure_and_bundle();
  const ShellResult full =
      shell("(trap '' XFSZ; ulimit -f 64; $T manifest --store r.db -o full); echo \"exit $?\"; ls -A");
  EXPECT_THAT(full.output, AllOf(HasSubstr("exit 3"), Not(HasSubstr("full\n")), Not(HasSubstr(".full.partial"))));
  EXPECT_THAT(full.errors, HasSubstr("cannot write"));
  const std::string old = file("b/manifest.json");
  const ShellResult kept =
      shell("(trap '' XFSZ; ulimit -f 64; $T manifest --store r.db -o b --force); echo \"exit $?\"");
  EXPECT_THAT(kept.output, HasSubstr("exit 3"));
  EXPECT_EQ(file("b/manifest.json"), old) << "the old one stays";
  // Killed by the first write beyond the limit: what it left is hidden, and goes with the next one.
  const ShellResult killed =
      shell("(ulimit -c 0; ulimit -f 64; $T manifest --store r.db -o k); echo \"exit $?\"; ls -A");
  EXPECT_THAT(killed.output, AllOf(Not(HasSubstr("exit 0")), HasSubstr(".k.partial-")));
  EXPECT_FALSE(has("k"));
  const ShellResult again = shell("$T manifest --store r.db -o k > /dev/null && ls -A");
  EXPECT_THAT(again.output, AllOf(HasSubstr("\nk\n"), Not(HasSubstr(".k.partial-"))));
  EXPECT_EQ(shell("$T manifest verify k > /dev/full").exit_code, 3);
}

TEST_F(ReplayCommandTest, OddRequestsAreRefused) {
  measure_and_bundle();
  const auto refused = [&](const std::string& arguments, const char* why) {
    const ShellResult result = shell("$T " + arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(why)) << arguments;
  };
  refused("manifest --store r.db", "-o is missing");
  refused("manifest --store r.db -o b", "--force replaces");
  refused("manifest --store r.db -o r.db", "part of the store");
  refused("manifest --store r.db --force -o .", "it holds other files");
  refused("manifest nothing --store r.db -o n", "nothing");
  refused("manifest night b --store r.db -o n", "only verify takes one");
  refused("manifest verify", "verify needs a bundle");
  refused("manifest verify b -o n", "leave out -o");
  refused("manifest --store missing.db -o n", "missing.db");
  refused("replay nowhere", "no such folder");
  refused("replay b --store here.db --fail-if 'latencee > +3%'", "latency");
  refused("replay b --store here.db --format junit", "--fail-if");
  refused("replay b --store here.db --replicates 0", "replicates");
  refused("diff night night --store r.db", "Name another run");
  refused("diff nowhere/ b", "no such folder");
  EXPECT_FALSE(has("n"));
  EXPECT_FALSE(has("here.db"));
}

TEST_F(ReplayCommandTest, DiffNamesWhatDiffersAndHowResultsChanged) {
  measure_and_bundle();
  const std::string threads = std::to_string(kCores + 1);
  ASSERT_EQ(shell(kMeasure + "--threads " + threads + " --name day --replicates 4", with_latency(0.020)).exit_code, 0);
  const ShellResult result = shell("$T diff b/ day --store r.db --format json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json json = Json::parse(result.output);
  ASSERT_GE(json.at("differences").size(), 2U) << json;
  EXPECT_EQ(json.at("differences").front().at("name"), "threads");
  EXPECT_EQ(json.at("differences").front().at("after"), threads);
  EXPECT_THAT(json.at("differences").dump(), HasSubstr("\"replicates\""));
  ASSERT_EQ(json.at("results").at("pairs").size(), 2U);
  EXPECT_EQ(json.at("results").at("pairs").at(0).at("answer"), "slower");
  const ShellResult text = shell("$T diff night day --store r.db");
  EXPECT_THAT(text.output, AllOf(HasSubstr("differs: "), HasSubstr("threads"), HasSubstr("slower")));
  ASSERT_EQ(shell("$T diff night day --store r.db -o d.md").exit_code, 0);
  EXPECT_THAT(file("d.md"), HasSubstr("| threads |"));
  ASSERT_EQ(
      shell("$T run --model bert-test --batch-size 2,4 --sequence-length 16 --precision fp32 --samples 30 --store "
            "r.db --name other",
            with_latency(0.020))
          .exit_code,
      0);
  const ShellResult none = shell("$T diff night other --store r.db");
  EXPECT_EQ(none.exit_code, 0) << none.errors;
  EXPECT_THAT(none.output, AllOf(HasSubstr("not compared: "), HasSubstr("batch_size")));
}

}  // namespace
}  // namespace transformeter
