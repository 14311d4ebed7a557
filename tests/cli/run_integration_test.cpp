// Runs through the real command: what is stored, bad input, interrupts, resume, and two runs at once.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "cli/shell.h"
#include "machine/process_memory.h"
#include "metrics/case_summary.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Run : public CommandTest {
 protected:
  // By one rule, and with the command that measures them.
  void expect_pending(const std::string& count) {
    const std::string command = "finish with: transformeter resume " + load().id + " --store r.db\n";
    EXPECT_THAT(shell("$T show --store r.db").output, HasSubstr("\npending: " + count + "; " + command));
    EXPECT_THAT(shell("$T runs --store r.db").output,
                AllOf(HasSubstr(", " + count + " pending"),
                      HasSubstr("finish a run with: transformeter resume RUN --store r.db\n")));
    const auto number = std::stoull(count);
    const Json runs = Json::parse(shell("$T runs --store r.db --format json").output).at("runs");
    EXPECT_EQ(runs.at(0).at("pending_replicate_count"), number);
    const Json results = Json::parse(shell("$T show --store r.db --format json").output).at("runs");
    EXPECT_EQ(results.at(0).at("pending_replicate_count"), number);
  }

  // Of two cases that were cut off after the first of three slices: those stay, each gets a process with all three, and
  // nothing is left then.
  void expect_resumed() {
    const ShellResult resumed = shell("$T resume --store r.db");
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_THAT(resumed.output, Not(HasSubstr("pending")));
    for (const CaseRecord& one : load().cases) {
      ASSERT_EQ(one.replicates.size(), 2u) << one.id;
      EXPECT_EQ(find_series(one.replicates[0].series, "slice_round")->value.size(), 1u);
      EXPECT_EQ(find_series(one.replicates[1].series, "slice_round")->value.size(), 3u);
      EXPECT_EQ(one.replicates[1].status_reason, "");
      EXPECT_EQ(note_of(analysis_of(one).verdict, "unfinished"), "replicate 0: " + one.replicates[0].status_reason)
          << "its slices count";
    }
    EXPECT_THAT(shell("$T resume --store r.db").errors, HasSubstr("nothing is left to measure"));
    EXPECT_THAT(shell("$T runs --store r.db").output, AllOf(HasSubstr("2 ok\n"), Not(HasSubstr("finish"))));
    EXPECT_EQ(load().cases[0].replicates.size(), 2u);
  }

  static std::string note_of(const Verdict& verdict, std::string_view name) {
    for (const Finding& note : verdict.notes) {
      if (note.name == name) return note.detail;
    }
    return "(absent)";
  }
};

TEST_F(Run, StoresCasesWithKeysSeriesAndEnvironment) {
  const ShellResult result = shell(kRunTwo + "--replicates 2 --name first");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("ok"), HasSubstr("r.db")));
  const RunRecord run = load();
  EXPECT_EQ(run.name, "first");
  EXPECT_EQ(run.replicates_planned, 2);
  EXPECT_EQ(run.settings["batch_size"]["origin"], "flag");
  EXPECT_TRUE(run.host.contains("cpu"));
  EXPECT_TRUE(run.host.contains("worker"));
  ASSERT_EQ(run.cases.size(), 2U);
  for (const CaseRecord& the_case : run.cases) {
    EXPECT_EQ(the_case.status, Status::kOk);
    EXPECT_EQ(the_case.plan_key.size(), 64U);
    EXPECT_EQ(the_case.key.size(), 64U);
    EXPECT_EQ(the_case.workload_key.size(), 64U);
    EXPECT_EQ(the_case.launch["environment"]["OMP_NUM_THREADS"],
              std::to_string(the_case.requested["threads"].get<int>()));
    ASSERT_EQ(the_case.replicates.size(), 2U);
    const Series* latency = find_series(the_case.replicates[1].series, "latency");
    ASSERT_NE(latency, nullptr);
    EXPECT_GE(latency->value.size(), 20U);
    EXPECT_EQ(latency->value.size(), latency->flags.size());
  }
  EXPECT_NE(run.cases[0].key, run.cases[1].key);
}

TEST_F(Run, ShapesBeyondTheModelAreAnsweredBeforehand) {
  const ShellResult result =
      shell("$T run --model bert-test --batch-size 1 --sequence-length 16,129 --precision fp32 --store r.db");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(load().cases[1].status, Status::kUnsupportedShape);
  EXPECT_THAT(result.output, AllOf(HasSubstr("129"), HasSubstr("128 positions")));
  EXPECT_EQ(shell("$T run --model bert-test --batch-size 1 --sequence-length 129 --store s.db").exit_code, 1);
}

// One batch again and again: there is nothing to cut, and the samples' number is no part of the workload.
TEST_F(Run, FewSamplesOfOneBatchAreTheSameWorkload) {
  std::vector<std::string> keys;
  for (const char* samples : {"1", "2", "10"}) {
    const ShellResult result =
        shell(fmt::format("$T run --model bert-test --batch-size 8 --sequence-length 16 --precision fp32 --samples {0} "
                          "--store s{0}.db",
                          samples));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const CaseRecord one = load(fmt::format("s{}.db", samples)).cases.at(0);
    EXPECT_EQ(one.effective.at("cycle_examples"), 8) << samples;
    keys.push_back(one.workload_key);
  }
  EXPECT_EQ(keys[0], keys[2]);
  EXPECT_EQ(keys[1], keys[2]);
}

TEST_F(Run, CutsACycleAlikeForAllEngines) {
  const ShellResult result = shell(
      "$T run --model bert-test --batch-size 1 --sequence-length natural --precision fp32 --attention sdpa,eager "
      "--time-limit 3s --store r.db",
      {{"cycle_batches", 100}, {"latency", {{"mean_s", 0.01}}}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  // A full cycle takes 100 x 10 ms, the limit is 3 s: a fourteenth of it fits 21 batches.
  for (const CaseRecord& the_case : run.cases) {
    EXPECT_EQ(the_case.effective["cycle_batches"], 21);
    EXPECT_EQ(the_case.effective["cycle_batches_full"], 100);
  }
  EXPECT_EQ(run.cases[0].workload_key, run.cases[1].workload_key);
  EXPECT_NE(run.cases[0].key, run.cases[1].key);
}

// The fake data set has 500 texts: 500 batches of 1, 16 of 32.
TEST_F(Run, FewSamplesOfNaturalLengthsHaveTheSameTextsAtEveryBatchSize) {
  const ShellResult result = shell(
      "$T run --model bert-test --batch-size 1,32 --sequence-length natural --precision fp32 --samples 20 "
      "--store r.db",
      {{"cycle_batches", 500}, {"effective", {{"data", {{"examples", 500}}}}}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 2U);
  for (const CaseRecord& one : run.cases) {
    EXPECT_EQ(one.effective.at("cycle_examples"), 64) << "two batches of 32";
    EXPECT_TRUE(find_metric(analysis_of(one).metrics, "cycle_time", "mean")->value) << "at least one cycle each";
  }
  const auto measured = [](const CaseRecord& one) {
    const Series* latency = find_series(one.replicates.at(0).series, "latency");
    return std::count_if(latency->flags.begin(), latency->flags.end(),
                         [](std::uint32_t flags) { return (flags & kSampleWarmup) == 0; });
  };
  EXPECT_EQ(measured(run.cases[0]), 64) << "of batch 1, a cycle";
  EXPECT_EQ(measured(run.cases[1]), 20);
  EXPECT_EQ(run.cases[0].effective.at("cycle_batches"), 64);
  EXPECT_EQ(run.cases[1].effective.at("cycle_batches"), 2);
}

// A cycle of 10 s, which would be cut to less than a third for the time limit.
TEST_F(Run, CountedCyclesHoldAllTexts) {
  std::vector<std::string> workloads, keys;
  for (const int cycles : {2, 5, 19}) {
    SCOPED_TRACE(cycles);
    const ShellResult result =
        shell(fmt::format("$T run --model bert-test --batch-size 4 --sequence-length natural --precision fp32 "
                          "--cycles {0} --slices 8 --store c{0}.db",
                          cycles),
              {{"cycle_batches", 100}, {"latency", {{"mean_s", 0.1}}}, {"effective", {{"data", {{"examples", 400}}}}}});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const CaseRecord one = load(fmt::format("c{}.db", cycles)).cases.at(0);
    EXPECT_EQ(one.effective.at("cycle_batches"), 100);
    EXPECT_EQ(one.effective.at("cycle_examples"), 400);
    EXPECT_EQ(one.effective.at("slices"), std::min(cycles, 8)) << "none is empty";
    const Series* latency = find_series(one.replicates.at(0).series, "latency");
    ASSERT_NE(latency, nullptr);
    EXPECT_EQ(std::count_if(latency->flags.begin(), latency->flags.end(),
                            [](std::uint32_t flags) { return (flags & kSampleWarmup) == 0; }),
              cycles * 100);
    workloads.push_back(one.workload_key);
    keys.push_back(one.key);
  }
  EXPECT_EQ(workloads[0], workloads[2]);
  EXPECT_NE(keys[0], keys[2]);
  const ShellResult both =
      shell("$T run --model bert-test --batch-size 4 --sequence-length natural --cycles 5 --samples 9 --store b.db");
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_THAT(both.errors, HasSubstr("samples 9"));
}

// $T with a worker that ends with code 9 at its second start; the first only describes itself.
constexpr const char* kFlakyWorker =
    "printf '#!/bin/bash\\nn=$(($(cat count 2>/dev/null)+1)); echo $n >count\\n[ $n != 2 ] || exit 9\\n"
    "exec '\"$TRANSFORMETER_WORKER\"' \"$@\"\\n' >flaky; chmod +x flaky; export TRANSFORMETER_WORKER=$PWD/flaky; ";

TEST_F(Run, OneFaultyReplicateIsAFaultOfTheRunAndCanBeMeasuredAgain) {
  const ShellResult result = shell(kFlakyWorker + kRunOne + "--replicates 3");
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("exit code 9"));
  EXPECT_EQ(load().cases[0].status, Status::kOk) << "two replicates measured it";
  const ShellResult resumed = shell("$T resume --store r.db");
  EXPECT_EQ(resumed.exit_code, 1);
  EXPECT_THAT(resumed.errors, HasSubstr("nothing is left to measure"));
  EXPECT_EQ(load().cases[0].replicates.size(), 3u);
  shell("$T resume --store r.db --retry-failed");
  const CaseRecord again = load().cases[0];
  ASSERT_EQ(again.replicates.size(), 4u);
  EXPECT_EQ(again.replicates.back().status, Status::kOk);
}

std::vector<double> values_of(const CaseRecord& one, const char* series) {
  const Series* found = find_series(one.replicates.at(0).series, series);
  return found == nullptr ? std::vector<double>{} : found->value;
}

// They are made of what is in memory; readers would make them of what is stored.
TEST_F(Run, SummariesAreThoseOfTheStoredSeries) {
  const auto expect_same = [&] {
    for (const CaseRecord& one : load().cases) {
      ASSERT_TRUE(one.summary.has_value());
      EXPECT_EQ(one.summary->document, summarize(one).document) << one.id;
    }
  };
  EXPECT_EQ(shell(kRunTwo + "--replicates 2 --slices 3 --samples 12").exit_code, 0);
  expect_same();
  ASSERT_EQ(shell(std::string("rm r.db; ") + kFlakyWorker + kRunOne + "--replicates 3").exit_code, 1);
  expect_same();
  shell("$T resume --store r.db --retry-failed");
  ASSERT_EQ(load().cases[0].replicates.size(), 4u);
  expect_same();
}

bool has_memory_for_two() {
  constexpr long long kEnough = 6'000'000'000;
  return available_memory_bytes().value_or(0) > kEnough;
}

TEST_F(Run, WithoutSlicesTheProgressCountsReplicates) {
  const ShellResult result = shell(kRunTwo + "--slices 1 --samples 12");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("\n[1/2 replicates] "), HasSubstr("\n[2/2 replicates] ")));
}

TEST_F(Run, SlicesOfTheCasesTakeTurnsBackAndForth) {
  if (!has_memory_for_two()) GTEST_SKIP() << "needs 6 GB of free memory for two workers at once";
  const ShellResult result = shell(kRunTwo + "--slices 3 --samples 12");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("\n[6/6 slices] ")) << "three of each case";
  const RunRecord run = load();
  std::vector<std::pair<double, int>> order;  // start, case
  for (const CaseRecord& one : run.cases) {
    ASSERT_EQ(one.replicates.size(), 1u) << "one process";
    EXPECT_EQ(values_of(one, "slice_round"), (std::vector<double>{0, 1, 2}));
    // Three passes warm the first slice up, one each of the others; four are measured in each.
    EXPECT_EQ(values_of(one, "slice_first_sample"), (std::vector<double>{0, 7, 12}));
    EXPECT_EQ(values_of(one, "latency").size(), 17u);
    EXPECT_EQ(values_of(one, "window").size(), 3u) << "a counter of each slice";
    EXPECT_EQ(values_of(one, "load_time").size(), 1u) << "of the process";
    EXPECT_EQ(values_of(one, "evaluated").size(), 1u);
    for (const double start : values_of(one, "slice_start")) order.emplace_back(start, one.position);
  }
  std::sort(order.begin(), order.end());
  std::string cases;
  for (const auto& [start, position] : order) cases += position == 0 ? 'A' : 'B';
  EXPECT_EQ(cases, "ABBAAB");
}

TEST_F(Run, AWorkerThatDiesInALaterSliceLeavesTheSamplesBefore) {
  const ShellResult result = shell(kRunTwo + "--slices 3 --samples 12",
                                   {{"cases",
                                     {{{"when", {{"batch_size", 8}}},
                                       {"faults", {{{"kind", "crash"}, {"at", "measure"}, {"after_samples", 6}}}}}}}});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  const RunRecord run = load();
  EXPECT_EQ(run.cases[0].status, Status::kOk);
  EXPECT_EQ(values_of(run.cases[0], "slice_round").size(), 3u) << "the other case goes on";
  EXPECT_EQ(run.cases[1].status, Status::kCrashed);
  EXPECT_EQ(values_of(run.cases[1], "latency").size(), 3u + 4u + 1u + 2u);
}

TEST_F(Run, SlicesMeasuredBeforeTheCommandDiesAreKept) {
  if (!has_memory_for_two()) GTEST_SKIP() << "needs 6 GB of free memory for two workers at once";
  const ShellResult result =
      shell(kRunTwo +
                "--slices 100 --samples 1000 & pid=$!; until [ \"$($T export --store r.db -o - 2>/dev/null | grep -c "
                "'^{\"replicate\"')\" = 2 ] || ! kill -0 $pid; do sleep 0.1; done; kill -9 $pid; wait $pid; true",
            {{"pace_s", 0.01}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  for (const CaseRecord& one : load().cases) {
    EXPECT_EQ(one.status, Status::kOk);
    EXPECT_GE(values_of(one, "slice_round").size(), 1u);
    EXPECT_LT(values_of(one, "slice_round").size(), 100u);
  }
}

TEST_F(Run, ResumeRefusesAnotherMachine) {
  ASSERT_EQ(shell(kRunTwo).exit_code, 0);
  const ShellResult moved = shell(
      "/usr/bin/python3 -c \"import sqlite3; c = sqlite3.connect('r.db'); c.execute('UPDATE run SET host = "
      "json_set(host, \\'\\$.fingerprint\\', \\'elsewhere\\')'); c.commit()\"; $T resume --store r.db");
  EXPECT_EQ(moved.exit_code, 3) << moved.errors;
  EXPECT_THAT(moved.errors, AllOf(HasSubstr("fingerprint"), HasSubstr("elsewhere"), HasSubstr("Start a new run")));
}

TEST_F(Run, AnEmptyValueDoesNotSwallowTheNextOption) {
  const ShellResult result = shell("$T run --name= --model bert-test --store r.db");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("--name="));
}

TEST_F(Run, BadInputExitsWithThreeAndStoresNothing) {
  const auto refused = [&](const std::string& flags, const testing::Matcher<std::string>& message) {
    const ShellResult result = shell("$T run " + flags);
    EXPECT_EQ(result.exit_code, 3) << flags;
    EXPECT_THAT(result.errors, AllOf(testing::StartsWith("transformeter: "), message)) << flags;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "transformeter.db")) << flags;
  };
  refused("--model bert-bsae", AllOf(HasSubstr("'bert-bsae'"), HasSubstr("Did you mean 'bert-base'?")));
  refused("--task summarise", AllOf(HasSubstr("'summarise'"), HasSubstr("sequence_classification")));
  refused("--data nowhere.tsv", HasSubstr("nowhere.tsv"));
  refused("--batch-size 0", AllOf(HasSubstr("'0'"), HasSubstr("from 1 to 1048576")));
  refused("--replicates 4294967297", AllOf(HasSubstr("4294967297"), HasSubstr("from 1 to 1000")));
  refused("--batch-size ''", HasSubstr("--batch-size is empty"));
  refused("--batchsize 1", HasSubstr("Did you mean '--batch-size'?"));
  refused("--store /nowhere/r.db --model bert-test --precision fp32", HasSubstr("/nowhere/r.db"));
  folder_.write("p.yaml", "seed: 1\nbatchsize: 1\n");
  refused("p.yaml", AllOf(HasSubstr("p.yaml:2"), HasSubstr("Did you mean 'batch_size'?")));
}

TEST_F(Run, AStoreThatCannotBeWrittenExitsWithThree) {
  const std::string run = "$T run --model bert-test --batch-size 1 --sequence-length 16 --precision fp32 --store ";
  const ShellResult result = shell("mkdir d; touch d/x; " + run + "d");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("d"));
  const ShellResult corrupt = shell("head -c 9000 /dev/urandom >c.db; " + run + "c.db");
  EXPECT_EQ(corrupt.exit_code, 3);
  EXPECT_THAT(corrupt.errors, HasSubstr("c.db"));
  if (::geteuid() != 0) {
    EXPECT_EQ(shell("mkdir -m 555 ro; " + run + "ro/r.db").exit_code, 3);
  }
}

TEST_F(Run, CtrlCEndsTheWorkerAndLeavesTheRestPending) {
  const Json behaviour = {
      {"cases",
       {{{"when", {{"batch_size", 8}}}, {"faults", {{{"kind", "hang"}, {"at", "warm"}, {"once", "struck"}}}}}}}};
  const ShellResult result =
      shell(kRunTwo + "& pid=$!; until [ -e struck ] || ! kill -0 $pid; do sleep 0.05; done; kill -INT $pid; wait $pid",
            behaviour);
  EXPECT_EQ(result.exit_code, 130) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("interrupted; pending: 1 of 2 replicates; finish with: transformeter resume "));
  EXPECT_EQ(load().cases[0].status, Status::kOk);
  EXPECT_FALSE(load().cases[1].status);
  expect_pending("1 of 2 replicates");
  const std::string first = load().cases[0].replicates[0].started_at;
  EXPECT_EQ(shell("$T resume --store r.db").exit_code, 0);
  EXPECT_EQ(load().cases[0].replicates[0].started_at, first);
  EXPECT_EQ(load().cases[1].status, Status::kOk);
}

TEST_F(Run, CtrlCBetweenSlicesKeepsThoseMeasured) {
  if (!has_memory_for_two()) GTEST_SKIP() << "needs 6 GB of free memory for two workers at once";
  const ShellResult result =
      shell(kRunTwo +
                "--slices 3 --samples 12 & pid=$!; until [ -e struck ] || ! kill -0 $pid; do sleep 0.05; done; "
                "kill -INT $pid; wait $pid",
            {{"cases",
              {{{"when", {{"batch_size", 8}}},
                {"faults", {{{"kind", "hang"}, {"at", "measure"}, {"after_samples", 6}, {"once", "struck"}}}}}}}});
  EXPECT_EQ(result.exit_code, 130) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("interrupted; pending: 2 of 2 replicates; finish with: transformeter resume "));
  for (const CaseRecord& one : load().cases) {
    EXPECT_EQ(one.status, Status::kOk) << "as it was after its first slice";
    EXPECT_EQ(one.status_reason, "");
    EXPECT_EQ(values_of(one, "slice_round"), std::vector<double>{0});
    EXPECT_EQ(one.replicates[0].status_reason, "1 of 3 slices measured") << "as after a kill";
    const Verdict verdict = analysis_of(one).verdict;
    EXPECT_EQ(note_of(verdict, "unfinished"), one.replicates[0].status_reason);
    EXPECT_EQ(note_of(verdict, "target_not_met"), "(absent)") << "no limit was reached";
  }
  expect_pending("2 of 2 replicates");
  expect_resumed();
}

TEST_F(Run, AKillBetweenSlicesLeavesWhatResumeMeasures) {
  if (!has_memory_for_two()) GTEST_SKIP() << "needs 6 GB of free memory for two workers at once";
  shell(kRunTwo +
            "--slices 3 --samples 12 & pid=$!; until [ -e struck ] || ! kill -0 $pid; do sleep 0.05; done; "
            "kill -9 $pid; wait $pid",
        {{"cases",
          {{{"when", {{"batch_size", 8}}},
            {"faults", {{{"kind", "hang"}, {"at", "measure"}, {"after_samples", 6}, {"once", "struck"}}}}}}}});
  for (const CaseRecord& one : load().cases) {
    EXPECT_EQ(one.replicates[0].status_reason, "1 of 3 slices measured") << one.id;
  }
  expect_pending("2 of 2 replicates");
  expect_resumed();
}

TEST_F(Run, OutOfMemoryInALaterSliceBesideOthersIsNoAnswer) {
  if (!has_memory_for_two()) GTEST_SKIP() << "needs 6 GB of free memory for two workers at once";
  const ShellResult result = shell(
      kRunTwo + "--slices 3 --samples 12",
      {{"cases",
        {{{"when", {{"batch_size", 8}}},
          {"faults", {{{"kind", "failed"}, {"status", "out_of_memory"}, {"at", "measure"}, {"after_samples", 6}}}}}}}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  EXPECT_EQ(values_of(run.cases[0], "slice_round").size(), 3u);
  EXPECT_EQ(run.cases[1].status, Status::kOk);
  EXPECT_EQ(values_of(run.cases[1], "slice_round").size(), 1u);
  EXPECT_EQ(run.cases[1].replicates[0].status_reason, "1 of 3 slices measured; out of memory beside other workers");
  EXPECT_THAT(result.output, HasSubstr("\npending: 1 of 2 replicates; finish with: "));
}

TEST_F(Run, ATimeLimitEndsSlicesToo) {
  // Samples of 0.6 s, two a slice, whatever its length: two slices are beyond 2 s.
  const ShellResult result =
      shell(kRunOne + "--slices 8 --time-limit 2s",
            {{"rule", true}, {"pace_s", 0.6}, {"latency", {{"mean_s", 0.6}}}, {"warm_passes", 1}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(values_of(load().cases[0], "slice_round").size(), 2u);
}

TEST_F(Run, ResumeAfterKillRepeatsNothing) {
  const Json slow = {{"pace_s", 0.02}, {"samples", 20}};
  shell(kRunTwo +
            "--replicates 4 & pid=$!; until $T export --store r.db -o - 2>/dev/null | grep -q '^{\"replicate\"' || "
            "! kill -0 $pid; do sleep 0.05; done; kill -9 $pid; wait $pid",
        slow);
  const RunRecord before = load();
  std::set<std::string> starts;
  for (const CaseRecord& the_case : before.cases) {
    for (const ReplicateRecord& replicate : the_case.replicates) starts.insert(replicate.started_at);
  }
  EXPECT_GE(starts.size(), 1U);
  EXPECT_LT(starts.size(), 8U);
  EXPECT_EQ(shell("$T resume --store r.db", slow).exit_code, 0);
  const RunRecord after = load();
  EXPECT_EQ(after.id, before.id);
  for (const CaseRecord& the_case : after.cases) {
    ASSERT_EQ(the_case.replicates.size(), 4U);
    for (const ReplicateRecord& replicate : the_case.replicates) starts.erase(replicate.started_at);
  }
  EXPECT_TRUE(starts.empty()) << "a finished replicate is gone";
}

TEST_F(Run, TwoRunsShareOneStore) {
  const Json slow = {{"pace_s", 0.005}};
  const ShellResult result = shell(kRunTwo + "--replicates 3 & a=$!; " + kRunTwo +
                                       "--replicates 3 & b=$!; "
                                       "wait $a && wait $b",
                                   slow);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const auto runs = open_store(folder_.path() / "r.db", StoreMode::kRead)->list_runs();
  ASSERT_EQ(runs.size(), 2U);
  for (const RunRecord& run : runs) {
    for (const CaseRecord& the_case : run.cases) EXPECT_EQ(the_case.replicates.size(), 3U);
  }
}

TEST_F(Run, ABudgetLeavesPendingCasesAndNoFault) {
  // Each replicate measures 10 samples of 0.1 s; two seconds reach some of the 8 cases and never all.
  const Json slow = {{"pace_s", 0.1}, {"samples", 10}};
  const ShellResult result = shell(
      "$T run --model bert-test --batch-size 1,2,3,4,5,6,7,8 --sequence-length 16 --precision fp32 --time-budget 3s "
      "--store r.db",
      slow);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\ntime budget used up; pending: "));
  EXPECT_THAT(result.output, HasSubstr(" of 8 replicates; finish with: transformeter resume "));
  EXPECT_EQ(load().cases[0].status, Status::kOk);
  EXPECT_FALSE(load().cases[7].status);
}

TEST_F(Run, AnnouncesHowLongMeasuringMayTake) {
  const auto announced = [&](const char* options) { return shell(kRunOne + options).errors; };
  EXPECT_THAT(announced(""), HasSubstr("1 case, at most about 0:30 of measuring, more for slow cases\n"));
  EXPECT_THAT(announced("--time-limit 2s --replicates 3"), HasSubstr("at most about 0:06 of measuring\n"));
  EXPECT_THAT(announced("--time-limit 2s --time-budget 60s"),
              testing::ContainsRegex("at most about (1:00|0:[3-5][0-9]) of measuring\n"))
      << "what one replicate leaves goes to others; the budget began before the first line";
  EXPECT_THAT(announced("--samples 5"), Not(HasSubstr("of measuring"))) << "five samples take as long as they take";
}

TEST_F(Run, ReadingCommandsListRunsAndModels) {
  shell(kRunOne + "--name mine");
  const ShellResult runs = shell("$T runs --store r.db --format json");
  const Json json = Json::parse(runs.output);
  EXPECT_EQ(json["runs"][0]["name"], "mine");
  EXPECT_EQ(json["runs"][0]["statuses"]["ok"], 1);
  EXPECT_THAT(shell("$T runs --store r.db").output, HasSubstr("1 ok"));
  EXPECT_EQ(shell("$T runs --store none.db").exit_code, 3);
  const Json models = Json::parse(shell("$T models --format json").output)["models"];
  const auto found =
      std::find_if(models.begin(), models.end(), [](const Json& model) { return model["name"] == "distilbert-base"; });
  ASSERT_NE(found, models.end());
  EXPECT_EQ((*found)["parameters"], 66'362'880);
  EXPECT_EQ((*found)["bytes"], 4 * 66'362'880);
  EXPECT_EQ((*found)["family"], "distilbert");
}

TEST_F(Run, HelpAndVersionExitWithZero) {
  EXPECT_EQ(shell("$T --version").exit_code, 0);
  for (const char* command : {"", "run", "resume", "runs", "models"}) {
    EXPECT_EQ(shell(std::string("$T ") + command + " --help").exit_code, 0) << command;
  }
  EXPECT_THAT(shell("$T run --help").output, AllOf(HasSubstr("--batch-size"), HasSubstr("Examples:")));
}

}  // namespace
}  // namespace transformeter
