// `profile` through the real command: with the fake worker for files, formats and faults, with the real one on tiny
// models.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/subprocess.h"
#include "cli/shell.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class ProfileCommandTest : public CommandTest {
 protected:
  static inline const std::string kProfile =
      "$T profile --model bert-test --batch-size 1 --sequence-length 16 --store p.db ";

  bool exists(const std::string& name) const { return std::filesystem::exists(folder_.path() / name); }

  // Beside what the test itself wrote, the store, and the cache.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      const bool is_of_test = name == "behaviour.json" || name == "script.sh" || name == "out.txt" ||
                              name == "err.txt" || name == "cache" || name.starts_with("p.db");
      if (!is_of_test) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(ProfileCommandTest, PrintsWhereTheTimeGoes) {
  const ShellResult result = shell(kProfile);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("median 10.0 ms a pass without the profiler, 12.0 ms with it (1.20x)"),
                                   HasSubstr("the mean of 2 is 12.0 ms (12.0 ms to 12.0 ms)"),
                                   HasSubstr("self times add up to 100.0 % of that"),
                                   HasSubstr("1. model.layer.*.linear, aten::addmm: 9.00 ms of 12.0 ms (75 %) in 1"),
                                   HasSubstr("transformeter peaks"), HasSubstr("(outside operators)")));
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(ProfileCommandTest, SaysWhatBoundsAPartWherePeaksAreKnown) {
  const ShellResult result = shell(kProfile + "--peaks measure", {{"peaks", {{"gemm_fp32", 1e11}}}});
  EXPECT_THAT(result.output, HasSubstr("Bound by compute: 90.0 GFLOP/s of 100 GFLOP/s; at that limit it would take "
                                       "8.10 ms."));
}

TEST_F(ProfileCommandTest, WritesItsFiles) {
  const ShellResult result = shell(kProfile + "--trace t.json --stacks s.folded --flame-graph f.svg");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(files(), (std::vector<std::string>{"f.svg", "s.folded", "t.json"}));
  EXPECT_THAT(read_file(folder_.path() / "s.folded"),
              HasSubstr("forward pass;model.layer.0.linear;aten::addmm 9000000"));
  EXPECT_TRUE(Json::parse(read_file(folder_.path() / "t.json")).contains("traceEvents"));
}

TEST_F(ProfileCommandTest, WritesTheTablesOfAllCasesToo) {
  const std::string two = "$T profile --model bert-test --batch-size 1,2 --sequence-length 16 --store p.db ";
  const ShellResult json = shell(two + "-o tables.json");
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  EXPECT_EQ(Json::parse(read_file(folder_.path() / "tables.json")).at("cases").size(), 2U);
  EXPECT_THAT(json.output, HasSubstr("(outside operators)"));
  shell(two + "-o tables.txt --format csv");
  EXPECT_THAT(read_file(folder_.path() / "tables.txt"), HasSubstr("self times add up"));
  EXPECT_EQ(shell(two + "-o tables.xls").exit_code, 3);
  EXPECT_EQ(shell(kProfile + "-o same.txt --stacks same.txt").exit_code, 3);
}

TEST_F(ProfileCommandTest, ComparesCasesOfTheSameWorkAndWithAnEarlierProfile) {
  const ShellResult two = shell(kProfile + "--attention eager,sdpa -o before.json");
  EXPECT_THAT(two.output, AllOf(HasSubstr(": 12.0 ms a pass, before 12.0 ms (speed-up 1.00, before ÷ after)"),
                                HasSubstr("\nchanged: attention eager → sdpa\n")));
  const ShellResult again = shell(kProfile + "--against before.json");
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.output,
              AllOf(HasSubstr("both with the profiler\nthe same settings\n"), Not(HasSubstr("peak memory"))));
  const ShellResult memory = shell(kProfile + "--attention eager,sdpa --record memory");
  EXPECT_THAT(memory.output, HasSubstr("\npeak memory 3.00 MiB, before 3.00 MiB\n"));
  EXPECT_THAT(shell(kProfile).output, Not(HasSubstr("both with the profiler")));
  const std::string larger = "$T profile --model bert-test --batch-size 2,4 --sequence-length 16 --store p.db ";
  EXPECT_THAT(shell(larger).output, Not(HasSubstr("both with the profiler"))) << "other work is not compared";
  EXPECT_THAT(shell(larger + "--against before.json", {{"faults", {{{"kind", "crash"}, {"at", "prepare"}}}}}).errors,
              HasSubstr("of other work: batch_size 1 → 2"));
  const std::string both = "$T profile --model bert-test --batch-size 1,2 --sequence-length 16 --store p.db ";
  EXPECT_THAT(shell(both + "--against before.json").output, HasSubstr("has other work: batch_size 1 → 2\n"));
  EXPECT_EQ(shell("echo '{\"cases\": [{}]}' > bad.json; " + kProfile + "--against bad.json").exit_code, 3);
  EXPECT_EQ(shell("echo garbage > bad.json; " + kProfile + "--against bad.json").exit_code, 3);
  EXPECT_EQ(shell(kProfile + "--against no-such.json").exit_code, 3);
  EXPECT_EQ(shell(kProfile + "--against before.json --format json").exit_code, 3);
}

TEST_F(ProfileCommandTest, SaysWhereSlowPassesMakeAComparison) {
  ASSERT_EQ(shell(kProfile + "-o before.json").exit_code, 0);
  EXPECT_THAT(shell(kProfile + "--against before.json").output, Not(HasSubstr("slow passes")));
  Json file = Json::parse(read_file(folder_.path() / "before.json"));
  file.at("cases").at(0).at("profiled_s") = {0.018, 0.018, 0.072};  // of mean 36 ms
  file.at("cases").at(0).at("pass_s") = 0.036;
  write_file_atomically(folder_.path() / "slow.json", file.dump());
  // 36 ÷ 12 and 18 ÷ 12.
  EXPECT_THAT(shell(kProfile + "--against slow.json").output,
              HasSubstr("12.0 ms a pass, before 36.0 ms (speed-up 3.00, before ÷ after); both with the profiler\n"
                        "slow passes raise the mean to 2.0 (before) times the median; medians 12.0 ms, before "
                        "18.0 ms (speed-up 1.50)\n"));
}

TEST_F(ProfileCommandTest, DrawsMemoryOverTimeAndSaysWhatHoldsThePeak) {
  if (!find_program("gnuplot")) GTEST_SKIP() << "no gnuplot; install the Debian package gnuplot-nox";
  const ShellResult result = shell(kProfile + "--memory-plot m.svg -o m.csv");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(
      result.output,
      AllOf(HasSubstr("memory: peak of 3.00 MiB at 4.00 ms of 12.0 ms, in the forward pass with the highest of 2; "
                      "1.00 MiB from before"),
            HasSubstr("model.layer.*.linear, aten::addmm"), HasSubstr("66.7 %")));
  EXPECT_THAT(read_file(folder_.path() / "m.svg"), HasSubstr("Memory of tensors over one forward pass"));
  EXPECT_THAT(read_file(folder_.path() / "m.csv"),
              HasSubstr(",held,\"model.layer.*.linear, aten::addmm\",1,,,,,,,2097152"));
  EXPECT_EQ(shell(kProfile + "--memory-plot m.jpg").exit_code, 3);
  EXPECT_THAT(shell(kProfile + "--record none,work").errors, HasSubstr("'none' goes with nothing else"));
  const Json json = Json::parse(shell(kProfile + "--record memory --format json").output).at("cases").at(0);
  EXPECT_EQ(json.at("memory").at("held").at(0).at("operator"), "aten::addmm");
  EXPECT_TRUE(Json::parse(shell(kProfile + "--format json").output)["cases"][0]["memory"].is_null());
}

TEST_F(ProfileCommandTest, TellsWhatItFoundWhereAPlotFails) {
  const ShellResult result = shell(
      "mkdir bin; printf '#!/bin/sh\\nexit 1\\n' > bin/gnuplot; chmod +x bin/gnuplot; PATH=$PWD/bin:$PATH; "
      "$T profile --model bert-test --batch-size 1,2 --sequence-length 16 --store p.db --memory-plot m.svg "
      "--stacks s -o tables.csv");
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("gnuplot"));
  EXPECT_THAT(result.output, AllOf(HasSubstr("c01 "), HasSubstr("c02 ")));
  EXPECT_TRUE(exists("tables.csv") && exists("s-c02") && !exists("m-c01.svg"));
}

TEST_F(ProfileCommandTest, SaysThatAPlotNeedsGnuplotBeforeAnythingIsMeasured) {
  const ShellResult result = shell("mkdir empty; PATH=$PWD/empty; " + kProfile + "--memory-plot m.svg",
                                   {{"faults", {{{"kind", "crash"}, {"at", "prepare"}}}}});
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("gnuplot-nox"), HasSubstr("leave out --memory-plot")));
}

TEST_F(ProfileCommandTest, NamesFilesByTheCaseWhereThereAreSeveral) {
  const ShellResult result = shell(
      "$T profile --model bert-test --batch-size 1,2 --sequence-length 16 --store p.db --trace t.json --stacks s");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(files(), (std::vector<std::string>{"s-c01", "s-c02", "t-c01.json", "t-c02.json"}));
}

TEST_F(ProfileCommandTest, GivesJsonAndCsv) {
  const Json json = Json::parse(shell(kProfile + "--format json --passes 3").output).at("cases").at(0);
  EXPECT_EQ(json.at("status"), "ok");
  EXPECT_EQ(json.at("passes"), 3);
  EXPECT_NEAR(json.at("slow_down_ratio").get<double>(), 1.2, 1e-9);
  EXPECT_EQ(json.at("operators").at(0).at("name"), "aten::addmm");
  EXPECT_NEAR(json.at("operators").at(0).at("self_s").get<double>(), 0.009, 1e-9);
  EXPECT_EQ(json.at("bottlenecks").at(0).at("bound"), "unknown");
  EXPECT_TRUE(json.at("operators").at(0).at("flops").is_number());
  EXPECT_TRUE(json.at("operators").at(0).at("allocated_bytes").is_null()) << "not recorded";
  const ShellResult csv = shell(kProfile + "--format csv");
  EXPECT_THAT(csv.output,
              AllOf(HasSubstr("case,label,status,table,name,calls,total_s"), HasSubstr(",operator,aten::addmm,1,")));
}

TEST_F(ProfileCommandTest, ShowsCountersAndWhyOthersAreMissing) {
  const ShellResult table = shell(kProfile);
  EXPECT_THAT(table.output, AllOf(HasSubstr("counters, of a pass"), ContainsRegex("cycles +30\\.0 M +75 % +2\\.00 GHz"),
                                  ContainsRegex("instructions +60\\.0 M +100 % +2\\.00 per cycle"),
                                  ContainsRegex("CPU time +15\\.0 ms +100 % +1\\.50 CPUs"),
                                  HasSubstr("counted without the profiler, in all threads of the worker"),
                                  HasSubstr("not counted: cache misses: the processor had no counter free for it")));
  EXPECT_THAT(shell(kProfile, {{"gpu_profile", true}}).output, HasSubstr("counted on the host, not on the GPU"));
  const Json json = Json::parse(shell(kProfile + "-o before.json --format json").output).at("cases").at(0);
  EXPECT_EQ(json.at("counters").at("cycles"), (Json{{"value", 3e7}, {"scaled_share", 0.25}, {"reason", nullptr}}));
  EXPECT_TRUE(json.at("counters").at("cache_misses").at("value").is_null());
  EXPECT_TRUE(json.at("counters").at("cache_misses").at("reason").is_string());
  EXPECT_EQ(json.at("counter_figures").at("instructions_per_cycle"), 2);
  EXPECT_TRUE(json.at("counter_figures").at("branch_miss_ratio").is_null());
  EXPECT_THAT(shell(kProfile + "--format csv").output,
              AllOf(HasSubstr(",counter,cycles,,,,,,,,,,30000000,0.25,\r\n"),
                    HasSubstr(",counter,cache_misses,,,,,,,,,,,0,the processor had no counter free for it\r\n")));
  EXPECT_THAT(shell(kProfile + "--against before.json").output,
              AllOf(ContainsRegex("cycles +30\\.0 M +30\\.0 M +\\+0\\.0 %"), HasSubstr("instructions per cycle")));
}

// What the fake worker does not send is as of a worker of an earlier version, and a file of one.
TEST_F(ProfileCommandTest, TakesProfilesWithoutCounters) {
  const Json earlier = {{"old_profile", true}};
  const ShellResult table = shell(kProfile + "-o before.json", earlier);
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, Not(HasSubstr("counters")));
  Json file = Json::parse(read_file(folder_.path() / "before.json"));
  EXPECT_TRUE(file.at("cases").at(0).at("counters").is_null());
  const ShellResult compared = shell(kProfile + "--against before.json");
  EXPECT_EQ(compared.exit_code, 0) << compared.errors;
  EXPECT_THAT(compared.output, Not(ContainsRegex("counters +before")));
}

TEST_F(ProfileCommandTest, TellsTheGpusTimeFromTheHosts) {
  const Json behaviour = {{"gpu_profile", true}};
  const ShellResult table = shell(kProfile, behaviour);
  EXPECT_THAT(table.output, AllOf(HasSubstr("the GPU computes for 9.00 ms of each pass, 90 % of one without the "
                                            "profiler; self and total times are the GPU's"),
                                  HasSubstr("(idle GPU)"), HasSubstr("host"), HasSubstr("gemm_kernel<float>")));
  const Json json = Json::parse(shell(kProfile + "--format json", behaviour).output).at("cases").at(0);
  EXPECT_NEAR(json.at("gpu_busy_s").get<double>(), 0.009, 1e-9);
  EXPECT_EQ(json.at("kernels").at(0).at("name"), "gemm_kernel<float>");
  for (const char* unknown : {"flops", "bytes", "allocated_bytes", "host_s"}) {
    EXPECT_TRUE(json.at("kernels").at(0).at(unknown).is_null()) << unknown;
  }
  EXPECT_NEAR(json.at("operators").at(0).at("host_s").get<double>(), 0.002, 1e-9);
  EXPECT_THAT(shell(kProfile + "--format csv", behaviour).output,
              AllOf(HasSubstr(",allocated_bytes,host_s,value,scaled_share,reason\r\n"),
                    HasSubstr(",kernel,gemm_kernel<float>,1,")));
  const Json without = Json::parse(shell(kProfile + "--format json").output).at("cases").at(0);
  EXPECT_TRUE(without.at("gpu_busy_s").is_null());
  EXPECT_TRUE(without.at("operators").at(0).at("host_s").is_null());
  EXPECT_FALSE(without.contains("kernels"));
}

TEST_F(ProfileCommandTest, RefusesPathsBeforeAnythingIsMeasured) {
  // A fault at prepare would make the exit code 1.
  const Json dies = {{"faults", {{{"kind", "crash"}, {"at", "prepare"}}}}};
  for (const char* options :
       {"--trace no/such/folder/t.json", "--flame-graph .", "--stacks p.db", "--trace same --stacks ./same",
        "--trace /dev/null", "--record python", "--passes 0", "--top 0", "--format yaml"}) {
    const ShellResult result = shell(kProfile + options, dies);
    EXPECT_EQ(result.exit_code, 3) << options << ": " << result.errors;
    EXPECT_EQ(result.output, "") << options;
  }
}

TEST_F(ProfileCommandTest, LeavesNoFileOfACaseThatFails) {
  for (const char* kind : {"garbage", "malformed", "close", "crash", "other_version"}) {
    const ShellResult result = shell(kProfile + "--trace t.json --stacks s --flame-graph f.svg",
                                     {{"faults", {{{"kind", kind}, {"at", "profile"}}}}});
    EXPECT_EQ(result.exit_code, 1) << kind << result.errors;
    EXPECT_EQ(files(), std::vector<std::string>{}) << kind;
  }
}

TEST_F(ProfileCommandTest, GoesOnWithTheOtherCases) {
  const Json first_fails = {
      {"cases", {{{"when", {{"batch_size", 1}}}, {"faults", {{{"kind", "failed"}, {"at", "profile"}}}}}}}};
  const ShellResult result =
      shell("$T profile --model bert-test --batch-size 1,2 --sequence-length 16 --store p.db", first_fails);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("failed: a fault was asked for"), HasSubstr("aten::addmm")));
}

TEST_F(ProfileCommandTest, SaysWhenAWorkerCannotProfile) {
  const ShellResult result = shell(kProfile, {{"profiles", false}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("unsupported"), HasSubstr("cannot profile")));
}

TEST_F(ProfileCommandTest, ExplainsItselfWithExamples) {
  const ShellResult result = shell("$T profile --help");
  EXPECT_THAT(result.output, AllOf(HasSubstr("--flame-graph"), HasSubstr("transformeter profile --engine fast"),
                                   Not(HasSubstr("--replicates")), Not(HasSubstr("--optimizer"))));
}

class RealProfile : public ProfileCommandTest {
 protected:
  void SetUp() override { use_real_worker(); }
};

TEST_F(RealProfile, ProfilesBothEngines) {
  const std::string model = (source_directory() / "tests/data/models/tiny-distilbert-classifier").string();
  const ShellResult result = shell("$T profile --model " + model +
                                   " --batch-size 2 --sequence-length 16 --engine pytorch,fast --passes 5 --store p.db "
                                   "--format json --trace t.json --flame-graph f.svg");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  for (const Json& one : Json::parse(result.output).at("cases")) {
    const Json& modules = one.at("modules");
    EXPECT_TRUE(std::any_of(modules.begin(), modules.end(), [](const Json& module) {
      return module.at("name") == "distilbert.transformer.layer.0.ffn.lin1";
    })) << modules.dump();
    double self_s = 0;
    for (const Json& row : one.at("operators")) self_s += row.at("self_s").get<double>();
    const auto pass_s = one.at("pass_s").get<double>();
    EXPECT_NEAR(self_s, pass_s, 1e-6 * pass_s);
  }
  EXPECT_TRUE(exists("t-c01.json") && exists("t-c02.json") && exists("f-c01.svg"));
  EXPECT_NO_THROW(Json::parse(read_file(folder_.path() / "t-c02.json")));
}

TEST_F(RealProfile, ShowsTheStagesOfTrainingSteps) {
  const std::string model = (source_directory() / "tests/data/models/tiny-distilbert-classifier").string();
  const ShellResult result = shell("$T profile --scenario train --model " + model +
                                   " --batch-size 2 --sequence-length 16 --engine pytorch,fast --passes 3 --store p.db "
                                   "-o steps.json --flame-graph f.svg");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("a step without the profiler"), HasSubstr("backward  "),
                                   HasSubstr("optimizer"), HasSubstr("engine pytorch → fast")));
  for (const Json& one : Json::parse(read_file(folder_.path() / "steps.json")).at("cases")) {
    double stages_s = 0;
    for (const Json& row : one.at("stages")) stages_s += row.at("self_s").get<double>();
    EXPECT_NEAR(stages_s, one.at("pass_s").get<double>(), 1e-6 * stages_s);
    const Json& modules = one.at("modules");
    EXPECT_TRUE(std::any_of(modules.begin(), modules.end(), [](const Json& module) {
      return module.at("name") == "distilbert.transformer.layer.0.ffn.lin1" &&
             module.at("backward_s").get<double>() > 0;
    })) << modules.dump();
  }
  EXPECT_THAT(read_file(folder_.path() / "f-c01.svg"), HasSubstr("One training step: "));
  const Json memory = Json::parse(shell("$T profile --scenario train --model " + model +
                                        " --batch-size 2 --sequence-length 16 --passes 3 --store p.db --record memory "
                                        "--format json")
                                      .output)
                          .at("cases")
                          .at(0)
                          .at("memory");
  double held_bytes = memory.at("earlier_bytes").get<double>();
  for (const Json& row : memory.at("held")) held_bytes += row.at("bytes").get<double>();
  EXPECT_DOUBLE_EQ(held_bytes, memory.at("peak_bytes").get<double>());
  EXPECT_EQ(memory.at("stages").at(0).at("stage"), "data");
}

TEST_F(RealProfile, ShowsTheStagesOfRequests) {
  const std::string model = (source_directory() / "tests/data/models/tiny-gpt2").string();
  const ShellResult result = shell("$T profile --scenario generate --model " + model +
                                   " --task causal_lm --prompt-length 8 --new-tokens 4 --passes 3 --store p.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("a request without the profiler"), HasSubstr("prefill"), HasSubstr("decode")));
}

TEST_F(RealProfile, TakesAllTextsAtOnceAsBatches) {
  const std::string model = (source_directory() / "tests/data/models/tiny-distilbert-classifier").string();
  const ShellResult result = shell("$T profile --scenario offline,batch --model " + model +
                                   " --batch-size 2 --sequence-length 16 --passes 3 --store p.db --format json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(Json::parse(result.output).at("cases").size(), 1U);
  EXPECT_THAT(result.errors, HasSubstr("scenario offline is profiled as batch"));
  const ShellResult alone =
      shell("$T profile --scenario offline --model " + model + " --batch-size 2 --passes 3 --store p.db --format json");
  ASSERT_EQ(alone.exit_code, 0) << alone.errors;
  EXPECT_EQ(Json::parse(alone.output)["cases"][0]["requested"]["sequence_length"], "natural");
}

}  // namespace
}  // namespace transformeter
