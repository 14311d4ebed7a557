// Engine auto through the real command: what it chooses, what it keeps, and what it must not choose.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPlan =
    "$T run --model bert-test --batch-size 64 --sequence-length 32 --precision fp32 --engine fast,auto --samples 20 "
    "--store r.db ";

class AutoEngine : public CommandTest {
 protected:
  // Eager attention is 1.25 times as fast as sdpa, chunks of 512 tokens are 1.1 times as fast; both together as well.
  static Json behaviour() {
    const Json fast = {{"attention", "sdpa"},     {"weights", "plain"},   {"fusion", "fused"},
                       {"head_tokens", "needed"}, {"batching", "packed"}, {"streams", 1},
                       {"chunk_tokens", 256},     {"allocator", "glibc"}, {"huge_pages", "system"}};
    Json slow = fast;
    slow["batching"] = "padded";
    return {{"latency", {{"kind", "normal"}, {"mean_s", 0.01}, {"sd_s", 0.0001}}},
            {"vary", true},
            {"outputs", {{"inputs", 16}, {"error", 0}}},
            {"capabilities",
             {{"values", {{"device", {"cpu"}}, {"precision", {"fp32", "bf16"}}, {"attention", {"sdpa", "eager"}}}},
              {"native", {{"device", {"cpu"}}, {"precision", {"fp32", "bf16"}}}},
              {"reasons", Json::object()},
              {"engines", {{"pytorch", slow}, {"fast", fast}, {"auto", fast}}}}},
            {"cases",
             {{{"when", {{"attention", "eager"}}},
               {"latency", {{"mean_s", 0.008}}},
               {"effective", {{"attention_kernel", "eager"}}}},
              {{"when", {{"chunk_tokens", 512}}}, {"latency", {{"mean_s", 0.0091}}}},
              {{"when", {{"attention", "eager"}, {"chunk_tokens", 512}}}, {"latency", {{"mean_s", 0.0073}}}}}}};
  }

  static Json with_case(Json one) {
    Json changed = behaviour();
    changed["cases"].push_back(std::move(one));
    return changed;
  }

  CaseRecord chosen() const { return load().cases.at(1); }
  Json choice() const { return load().host.at("engine_choices").at("c02"); }
};

TEST_F(AutoEngine, ChoosesTheCombinationOfWhatIsFaster) {
  const ShellResult result = shell(kPlan, behaviour());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const CaseRecord one = chosen();
  EXPECT_EQ(one.requested.at("engine"), "auto");
  EXPECT_EQ(one.requested.at("attention"), "eager");
  EXPECT_EQ(one.requested.at("chunk_tokens"), 512);
  EXPECT_EQ(load().cases.at(0).requested.at("attention"), "sdpa") << "engine fast is as it was";
  EXPECT_EQ(one.status, Status::kOk) << "measured once more in a worker of its own";
  EXPECT_EQ(choice().at("end"), "better");
  EXPECT_NEAR(choice().at("speed_up").at("value").get<double>(), 0.01 / 0.0073, 0.05);
  EXPECT_EQ(one.effective.at("engine_choice"), choice());
  EXPECT_THAT(result.errors,
              HasSubstr("c02: settings chosen by trials: engine fast with attention=eager,chunk_tokens=512; 1.3"));
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("auto: settings chosen by trials: engine fast with attention=eager,chunk_tokens=512;"),
                    HasSubstr("times as fast as engine fast")));
}

TEST_F(AutoEngine, TrialsAreRunsOfTheirOwn) {
  ASSERT_EQ(shell(kPlan + std::string("--name mine"), behaviour()).exit_code, 0);
  const std::string trials = choice().at("runs").at(0);
  EXPECT_EQ(load().role, RunRole::kResult) << "the latest run is that of results";
  EXPECT_THAT(shell("$T runs --store r.db").output, AllOf(HasSubstr("mine"), Not(HasSubstr(trials))));
  EXPECT_THAT(shell("$T runs --store r.db --trials").output, AllOf(HasSubstr(trials), HasSubstr("trial\n")));
  EXPECT_THAT(shell("$T show --all --store r.db").output, Not(HasSubstr(trials)));
  EXPECT_THAT(shell("$T show --all --store r.db --format csv").output, Not(HasSubstr(trials)));
  const auto store = open_store(folder_.path() / "r.db", StoreMode::kRead);
  EXPECT_EQ(store->load_run(trials, false).role, RunRole::kTrial);
  EXPECT_THAT(shell("$T show " + trials + " --store r.db").output, HasSubstr("trials by which engine auto chose"));
  const ShellResult resumed = shell("$T resume " + trials + " --store r.db", behaviour());
  EXPECT_EQ(resumed.exit_code, 3);
  EXPECT_THAT(resumed.errors, HasSubstr("holds trials of engine auto"));
  ASSERT_EQ(shell("$T export --store r.db -o r.jsonl && $T import r.jsonl --store s.db").exit_code, 0);
  EXPECT_EQ(open_store(folder_.path() / "s.db", StoreMode::kRead)->load_run(trials, false).role, RunRole::kTrial);
  EXPECT_EQ(shell("$T resume --store r.db", behaviour()).exit_code, 0) << "the choice is part of the run";
}

TEST_F(AutoEngine, ALaterRunTakesWhatWasKept) {
  ASSERT_EQ(shell(kPlan, behaviour()).exit_code, 0);
  const Json first = choice();
  const ShellResult second = shell(std::string("rm r.db; ") + kPlan, behaviour());
  EXPECT_THAT(second.errors, HasSubstr("; kept since "));
  EXPECT_EQ(choice(), first);
  EXPECT_EQ(chosen().requested.at("attention"), "eager");
  const ShellResult again = shell(std::string("rm r.db; ") + kPlan + "--trials again", behaviour());
  EXPECT_THAT(again.errors, Not(HasSubstr("kept since")));
  EXPECT_NE(choice().at("runs"), first.at("runs"));
  const ShellResult other = shell(
      "rm r.db; $T run --model bert-test --batch-size 32 --sequence-length 32 --precision "
      "fp32 --engine fast,auto --samples 20 --store r.db",
      behaviour());
  EXPECT_THAT(other.errors, Not(HasSubstr("kept since"))) << "another workload";
}

TEST_F(AutoEngine, AKeptChoiceThatCannotBeTakenIsMadeAgain) {
  ASSERT_EQ(shell(kPlan, behaviour()).exit_code, 0);
  const std::string edit = "sed -i 's/\"attention\": \"eager\"/{}/' cache/transformeter/engines/*.json; rm r.db; ";
  for (const char* wrong : {R"("batch_size": 1)", R"("attention": "flash")", R"("attention": 7)"}) {
    const ShellResult result = shell(fmt::format(fmt::runtime(edit), wrong) + kPlan, behaviour());
    EXPECT_EQ(result.exit_code, 0) << wrong << result.errors;
    EXPECT_THAT(result.errors, Not(HasSubstr("kept since"))) << wrong;
    EXPECT_EQ(chosen().requested.at("attention"), "eager") << wrong;
    EXPECT_EQ(chosen().requested.at("batch_size"), 64) << wrong;
  }
}

TEST_F(AutoEngine, EachCaseHasAChoiceOfItsOwn) {
  const std::string plan =
      "$T run --model bert-test --batch-size 64 --sequence-length 32,16 --precision fp32 --engine "
      "auto --samples 20 --trial-time 60s --store r.db";
  const Json one =
      with_case({{"when", {{"sequence_length", 16}, {"attention", "eager"}}}, {"latency", {{"mean_s", 0.02}}}});
  ASSERT_EQ(shell(plan, one).exit_code, 0);
  EXPECT_EQ(load().cases.at(0).requested.at("attention"), "eager");
  EXPECT_EQ(load().cases.at(1).requested.at("attention"), "sdpa");
  const auto store = open_store(folder_.path() / "r.db", StoreMode::kRead);
  for (const RunRecord& run : store->list_runs()) {
    if (run.role == RunRole::kResult) continue;
    EXPECT_FALSE(store->load_run(run.id, false).host.contains("engine_choices")) << "those are of the other run";
  }
}

TEST_F(AutoEngine, AStartThatCannotRunIsSaid) {
  const Json crashing = with_case(
      {{"when", {{"chunk_tokens", 256}, {"engine", "auto"}}}, {"faults", {{{"kind", "crash"}, {"at", "warm"}}}}});
  const ShellResult result = shell(kPlan, crashing);
  EXPECT_EQ(choice().at("end"), "no_start");
  EXPECT_THAT(result.errors, HasSubstr("nothing to compare with: crashed: "));
  EXPECT_EQ(chosen().status, Status::kCrashed);
}

TEST_F(AutoEngine, TheStartIsHeldToTheLimitToo) {
  const Json far = with_case({{"when", {{"engine", "auto"}}}, {"outputs", {{"inputs", 16}, {"error", 0.00005}}}});
  const ShellResult result = shell(kPlan + std::string("--divergence-limit 0.00001"), far);
  EXPECT_THAT(result.errors, HasSubstr("nothing to compare with: its divergence of"));
  Json mute = behaviour();
  mute.erase("outputs");
  const ShellResult none = shell(kPlan + std::string("--divergence-limit 0.1"), mute);
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.errors, HasSubstr("needs a worker that returns outputs"));
}

TEST_F(AutoEngine, WhatTheUserSetsIsLeftAlone) {
  ASSERT_EQ(shell(kPlan + std::string("--attention sdpa"), behaviour()).exit_code, 0);
  EXPECT_EQ(chosen().requested.at("attention"), "sdpa");
  EXPECT_EQ(chosen().requested.at("chunk_tokens"), 512);
}

TEST_F(AutoEngine, NothingIsChosenThatIsNoFaster) {
  Json equal = behaviour();
  equal.erase("cases");
  const ShellResult result = shell(kPlan, equal);
  EXPECT_EQ(chosen().requested.at("attention"), "sdpa");
  EXPECT_EQ(choice().at("changes"), Json::object());
  EXPECT_EQ(choice().at("end"), "no_better");
  EXPECT_THAT(result.output, HasSubstr("auto: settings chosen by trials: engine fast; none was better, "));
}

TEST_F(AutoEngine, WrongOutputsLoseHoweverFast) {
  const Json wrong = with_case({{"when", {{"chunk_tokens", 512}, {"engine", "auto"}}},
                                {"latency", {{"mean_s", 0.001}}},
                                {"outputs", {{"inputs", 16}, {"error", 0.5}}}});
  ASSERT_EQ(shell(kPlan, wrong).exit_code, 0);
  EXPECT_EQ(chosen().requested.at("attention"), "eager");
  EXPECT_EQ(chosen().requested.at("chunk_tokens"), 256);
}

TEST_F(AutoEngine, APointThatFailsCostsItselfAlone) {
  const Json crashing = with_case(
      {{"when", {{"chunk_tokens", 512}, {"engine", "auto"}}}, {"faults", {{{"kind", "crash"}, {"at", "measure"}}}}});
  ASSERT_EQ(shell(kPlan, crashing).exit_code, 0);
  EXPECT_EQ(chosen().requested.at("attention"), "eager");
  EXPECT_EQ(chosen().status, Status::kOk);
}

TEST_F(AutoEngine, ThePrecisionIsChosenWithinALimitOfDivergence) {
  Json behaviour = with_case({{"when", {{"precision", "bf16"}}},
                              {"latency", {{"mean_s", 0.004}}},
                              {"outputs", {{"inputs", 16}, {"error", 0.005}}}});
  const std::string plan =
      "$T run --model bert-test --batch-size 1 --sequence-length 16 --engine auto --samples 20 --store r.db ";
  ASSERT_EQ(shell(plan + "--divergence-limit 0.02", behaviour).exit_code, 0);
  ASSERT_EQ(load().cases.size(), 1U);
  EXPECT_EQ(load().cases[0].requested.at("precision"), "bf16");
  ASSERT_EQ(shell("rm r.db; " + plan + "--divergence-limit 0.001", behaviour).exit_code, 0);
  EXPECT_EQ(load().cases.at(0).requested.at("precision"), "fp32");
  ASSERT_EQ(shell("rm r.db; " + plan, behaviour).exit_code, 0);
  EXPECT_EQ(load().cases.size(), 2U) << "without a limit precisions are an axis";
  const ShellResult none = shell(plan + "--divergence-limit 0.02 --reference off", behaviour);
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.errors, HasSubstr("divergence_limit needs reference on"));
}

TEST_F(AutoEngine, TheLeastMemoryIsChosenWhereThatIsTheObjective) {
  const Json small =
      with_case({{"when", {{"attention", "sdpa"}, {"chunk_tokens", "none"}}}, {"scalars", {{"peak_rss", 1e8}}}});
  const ShellResult result = shell(kPlan + std::string("--objective memory"), small);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(chosen().requested.at("chunk_tokens"), "none");
  EXPECT_LT(choice().at("memory_ratio").get<double>(), 0.99);
  EXPECT_THAT(result.output, HasSubstr("times the memory of engine fast"));
}

TEST_F(AutoEngine, OptionsOfItsSearchNeedIt) {
  for (const char* option : {"--objective memory", "--divergence-limit 0.1", "--trials again", "--trial-time 5s"}) {
    const ShellResult result = shell(kRunOne + option);
    EXPECT_EQ(result.exit_code, 3) << option;
    EXPECT_THAT(result.errors, HasSubstr("only applies to engine auto")) << option;
  }
}

TEST_F(AutoEngine, IsUnsupportedByAWorkerThatKnowsNone) {
  Json behaviour = AutoEngine::behaviour();
  behaviour["capabilities"]["engines"].erase("auto");
  const ShellResult result = shell(kPlan, behaviour);
  EXPECT_EQ(chosen().status, Status::kUnsupported);
  EXPECT_THAT(result.output, HasSubstr("this worker declares no engine of that name"));
}

TEST_F(AutoEngine, TheTimeOfTrialsIsBounded) {
  Json slow = behaviour();
  slow["pace_s"] = 0.05;  // a slice takes a second
  const ShellResult result = shell(std::string(kPlan) + "--trial-time 6s", slow);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(choice().at("all_compared"), false);
  EXPECT_THAT(result.output, HasSubstr("out of time"));
}

}  // namespace
}  // namespace transformeter
