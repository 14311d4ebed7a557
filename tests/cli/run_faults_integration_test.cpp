// Every way a worker can fail, through the real command: the status and reason stored, and the exit code.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct FaultCase {
  std::string name;
  Json fault;
  std::string flags;
  Status status;
  std::string reason;
};

void PrintTo(const FaultCase& fault, std::ostream* stream) {
  *stream << fault.name;
}

class WorkerFault : public CommandTest, public testing::WithParamInterface<FaultCase> {};

TEST_P(WorkerFault, BecomesATypedResult) {
  const FaultCase& fault = GetParam();
  const ShellResult result = shell(kRunOne + fault.flags, {{"faults", {fault.fault}}});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 1U);
  EXPECT_EQ(run.cases[0].status, fault.status);
  std::string reason = run.cases[0].status_reason;
  if (!run.cases[0].replicates.empty()) reason = run.cases[0].replicates[0].status_reason;
  EXPECT_THAT(reason, HasSubstr(fault.reason));
  EXPECT_THAT(result.output, AllOf(HasSubstr(std::string(name_of(fault.status))), HasSubstr(fault.reason)));
}

const std::vector<FaultCase> kFaults{
    {"hang",
     {{"kind", "hang"}, {"at", "measure"}},
     "--worker-timeout 3s",
     Status::kTimeout,
     "no response from the worker for 3.00 s during measure"},
    {"hang_at_hello", {{"kind", "hang"}, {"at", "hello"}}, "--worker-timeout 3s", Status::kTimeout, "during hello"},
    {"crash", {{"kind", "crash"}, {"at", "prepare"}}, "", Status::kCrashed, "during prepare: signal 11 (SIGSEGV)"},
    {"abort", {{"kind", "crash"}, {"at", "measure"}, {"signal", 6}}, "", Status::kCrashed, "signal 6 (SIGABRT)"},
    {"killed", {{"kind", "crash"}, {"at", "warm"}, {"signal", 9}}, "", Status::kCrashed, "signal 9 (SIGKILL)"},
    {"crash_at_describe", {{"kind", "crash"}, {"at", "describe"}}, "", Status::kCrashed, "during describe"},
    {"exit", {{"kind", "exit"}, {"at", "evaluate"}, {"code", 7}}, "", Status::kCrashed, "exit code 7"},
    {"garbage", {{"kind", "garbage"}, {"at", "warm"}}, "", Status::kFailed, "does not speak this protocol"},
    {"version", {{"kind", "other_version"}, {"at", "hello"}}, "", Status::kFailed, "protocol version 100"},
    {"malformed", {{"kind", "malformed"}, {"at", "measure"}}, "", Status::kFailed, "no JSON header"},
    {"close", {{"kind", "close"}, {"at", "measure"}}, "", Status::kCrashed, "exit code 0"},
    {"failed",
     {{"kind", "failed"}, {"at", "prepare"}, {"reason", "no such tensor"}},
     "",
     Status::kFailed,
     "no such tensor"},
    {"unsupported",
     {{"kind", "failed"}, {"at", "prepare"}, {"status", "unsupported"}},
     "",
     Status::kUnsupported,
     "asked for"},
    {"memory",
     {{"kind", "eat_memory"}, {"at", "warm"}, {"bytes", 700'000'000}},
     "--memory-limit 256MiB",
     Status::kOutOfMemory,
     "256 MiB"},
};

INSTANTIATE_TEST_SUITE_P(All, WorkerFault, testing::ValuesIn(kFaults),
                         [](const auto& parameter) { return parameter.param.name; });

class RunFaults : public CommandTest {};

TEST_F(RunFaults, ShowSaysWhyAsRunDoes) {
  const Json behaviour = {
      {"cases",
       {{{"when", {{"batch_size", 1}}}, {"faults", {{{"kind", "crash"}, {"at", "warm"}}}}},
        {{"when", {{"batch_size", 8}}}, {"scalars", {{"foreign_cpu_time", 100}, {"window", 10}}}}}}};
  const ShellResult run = shell(kRunTwo, behaviour);
  EXPECT_THAT(run.output, AllOf(HasSubstr("\nb1: crashed: "), HasSubstr("SIGSEGV"),
                                HasSubstr("\nb8: doubtful: foreign_load: other processes used 100 s")));
  EXPECT_EQ(shell("$T show --store r.db").output, run.output);
}

TEST_F(RunFaults, OneCaseDoesNotStopTheOthers) {
  const Json behaviour = {
      {"cases", {{{"when", {{"batch_size", 1}}}, {"faults", {{{"kind", "crash"}, {"at", "warm"}}}}}}}};
  EXPECT_EQ(shell(kRunTwo, behaviour).exit_code, 1);
  const RunRecord run = load();
  EXPECT_EQ(run.cases[0].status, Status::kCrashed);
  EXPECT_EQ(run.cases[1].status, Status::kOk);
}

TEST_F(RunFaults, AnAnswerThatIsNotOkCountsOnlyWithStrict) {
  const Json behaviour = {{"cases",
                           {{{"when", {{"batch_size", 8}}},
                             {"faults", {{{"kind", "failed"}, {"at", "prepare"}, {"status", "out_of_memory"}}}}}}}};
  EXPECT_EQ(shell(kRunTwo, behaviour).exit_code, 0);
  EXPECT_EQ(shell(kRunTwo + "--strict", behaviour).exit_code, 1);
}

TEST_F(RunFaults, WithoutAnOkCaseTheExitCodeIsOneInEveryScenario) {
  const Json behaviour = {{"faults", {{{"kind", "failed"}, {"at", "prepare"}, {"status", "unsupported"}}}}};
  const ShellResult all = shell(kRunTwo, behaviour);
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_THAT(all.output, HasSubstr("\nno case is ok: exit code 1\n"));
  for (const char* command : {"$T train --model bert-test --batch-size 1 --sequence-length 8",
                              "$T run --scenario generate --model gpt2-test --prompt-length 8 --new-tokens 2"}) {
    const ShellResult result = shell(std::string(command) + " --peaks off --store s.db", behaviour);
    EXPECT_EQ(result.exit_code, 1) << command << "\n" << result.errors;
    EXPECT_THAT(result.output, HasSubstr("no case is ok: exit code 1\n")) << command;
  }
}

TEST_F(RunFaults, LargerCasesThanOneOutOfMemoryAreImplied) {
  const Json behaviour = {{"faults", {{{"kind", "failed"}, {"at", "prepare"}, {"status", "out_of_memory"}}}}};
  EXPECT_EQ(shell(kRunTwo + "--replicates 3", behaviour).exit_code, 1);
  const RunRecord run = load();
  EXPECT_EQ(run.cases[0].replicates.size(), 1U);
  EXPECT_EQ(run.cases[1].status, Status::kImpliedOutOfMemory);
  EXPECT_THAT(run.cases[1].replicates.at(0).status_reason, HasSubstr("c01"));
}

TEST_F(RunFaults, AWorkerThatDoesNotStartIsAnEnvironmentError) {
  const ShellResult missing = shell(kRunOne + "--worker ./nothing");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.errors, AllOf(HasSubstr("./nothing"), HasSubstr("--worker PATH")));
  EXPECT_EQ(shell("touch w; " + kRunOne + "--worker ./w").exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "r.db"));
}

TEST_F(RunFaults, WhatTheWorkerWroteIsInTheReason) {
  const ShellResult result = shell("printf '#!/bin/sh\\necho libtorch is missing >&2\\nexit 5\\n' >w; chmod +x w; " +
                                   kRunOne + "--worker ./w");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("exit code 5"), HasSubstr("libtorch is missing")));
}

}  // namespace
}  // namespace transformeter
