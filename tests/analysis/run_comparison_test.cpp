// Cases meet by what they have in common, within a run and across runs.
#include "analysis/run_comparison.h"

#include <gmock/gmock.h>

#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CaseRecord case_of(int position, int batch, const std::string& precision, double level_s) {
  return measured_case(position, requested_of(batch, 128, precision), {level_s, level_s * 1.001, level_s * 0.999});
}

TEST(RunComparison, PairsTheSameCasesOfTwoRuns) {
  const RunRecord monday = run_of("monday", {case_of(0, 1, "fp32", 0.1), case_of(1, 8, "fp32", 0.4)});
  const RunRecord tuesday =
      run_of("tuesday", {case_of(0, 8, "fp32", 0.2), case_of(1, 1, "fp32", 0.1), case_of(2, 16, "fp32", 0.8)});
  const RunComparison comparison = compare_runs({&monday, "monday", {}}, {&tuesday, "tuesday", {}}, {});
  ASSERT_EQ(comparison.pairs.size(), 3U);
  EXPECT_EQ(comparison.pairs[0].cases.label, "b1");
  EXPECT_EQ(comparison.pairs[0].speed.answer, SpeedAnswer::kSame);
  EXPECT_EQ(comparison.pairs[1].cases.label, "b8");
  EXPECT_EQ(comparison.pairs[1].speed.answer, SpeedAnswer::kFaster);
  EXPECT_FALSE(comparison.pairs[2].cases.before);
  EXPECT_EQ(comparison.pairs[2].speed.reason, "there is no such case before");
  EXPECT_THAT(comparison.crossed, IsEmpty());
  EXPECT_EQ(comparison.gate_answer(), GateAnswer::kPass) << "nobody asked";
}

// Cases that are older than a setting did what its default says.
TEST(RunComparison, ASettingThatCameLaterIsNoDifferenceAtItsDefault) {
  const RunRecord old = run_of("old", {case_of(0, 1, "fp32", 0.1)});
  const auto compared = [&](int beams) {
    RunRecord now = run_of("now", {case_of(0, 1, "fp32", 0.1)});
    now.cases[0].requested["num_beams"] = beams;
    return compare_runs({&old, "old", {{"batch_size", "1"}}}, {&now, "now", {{"num_beams", std::to_string(beams)}}},
                        {});
  };
  EXPECT_THAT(compared(1).crossed, IsEmpty());
  EXPECT_EQ(compared(1).pairs.at(0).cases.label.find("beams"), std::string::npos);
  EXPECT_THAT(compared(4).crossed, ElementsAre("num_beams none → 4"));
}

TEST(RunComparison, PairsSelectionsOfOneRunBesideWhatTheyChoose) {
  const RunRecord run = run_of("sweep", {case_of(0, 1, "fp32", 0.1), case_of(1, 8, "fp32", 0.4),
                                         case_of(2, 1, "bf16", 0.05), case_of(3, 8, "bf16", 0.2)});
  const RunComparison comparison = compare_runs({&run, "sweep:precision=fp32", {{"precision", "fp32"}}},
                                                {&run, "sweep:precision=bf16", {{"precision", "bf16"}}}, {});
  ASSERT_EQ(comparison.pairs.size(), 2U);
  EXPECT_EQ(comparison.pairs[1].cases.label, "b8");
  EXPECT_EQ(comparison.pairs[1].cases.after->record->id, "c04");
  EXPECT_THAT(comparison.crossed, ElementsAre("precision fp32 → bf16"));
  const RunComparison one = compare_runs({&run, "a", {{"precision", "fp32"}, {"batch_size", "1"}}},
                                         {&run, "b", {{"precision", "bf16"}, {"batch_size", "1"}}}, {});
  EXPECT_EQ(one.pairs.at(0).cases.label.find("fp32"), std::string::npos) << "what the sides differ in is in no label";
}

TEST(RunComparison, PairsACaseWhoseWorkerDiedBeforeItSettled) {
  CaseRecord good = case_of(0, 1, "fp32", 0.1);
  good.requested["threads"] = 2;
  CaseRecord dead = planned_case(0, requested_of(1, 128, "fp32"));
  dead.requested["threads"] = "auto";
  dead.status = Status::kCrashed;
  const RunRecord before = run_of("a", {good, case_of(1, 8, "fp32", 0.1)});
  const RunRecord after = run_of("b", {dead});
  const RunComparison comparison = compare_runs({&before, "a", {}}, {&after, "b", {}}, {parse_gate("latency > +3%")});
  EXPECT_EQ(comparison.pairs.at(0).gates.at(0).answer, GateAnswer::kFail);
  EXPECT_EQ(comparison.pairs.at(1).gates.at(0).answer, GateAnswer::kUndecided) << "that one is not there";
}

TEST(RunComparison, DoesNotLetThreadsFollowAnEngine) {
  CaseRecord one = case_of(0, 1, "fp32", 0.1);
  one.requested["engine"] = "pytorch";
  one.requested["threads"] = 2;
  one.requested["allocator"] = "glibc";
  CaseRecord other = one;
  other.requested["engine"] = "fast";
  other.requested["allocator"] = "glibc_raised";
  const RunRecord before = run_of("a", {one});
  RunRecord after = run_of("b", {other});
  const RunSelection from{&before, "a:engine=pytorch", {{"engine", "pytorch"}}};
  EXPECT_THAT(compare_runs(from, {&after, "b:engine=fast", {{"engine", "fast"}}}, {}).changes,
              ElementsAre("engine pytorch → fast", "allocator glibc → glibc_raised"));
  after.cases[0].requested["threads"] = 1;
  EXPECT_THROW(compare_runs(from, {&after, "b:engine=fast", {{"engine", "fast"}}}, {}), Error);
}

TEST(RunComparison, NamesAnotherHostAndOtherPrograms) {
  const RunRecord before = run_of("a", {case_of(0, 1, "fp32", 0.1)});
  RunRecord after = before;
  after.id = "20261121-015354-b";
  after.host["cpu"]["model"] = "Other CPU";
  after.host["worker"]["libtorch"] = "2.16.0";
  const RunComparison comparison = compare_runs({&before, "a", {}}, {&after, "b", {}}, {});
  EXPECT_THAT(comparison.crossed, ElementsAre("processor Fake CPU 9000 → Other CPU"));
  EXPECT_THAT(comparison.changes, ElementsAre("LibTorch 2.15.0 → 2.16.0"));
}

TEST(RunComparison, NamesAnotherGpuAndOtherTexts) {
  RunRecord before = run_of("a", {case_of(0, 1, "fp32", 0.1)});
  before.cases[0].effective["device"] = "cpu";
  RunRecord after = run_of("b", {case_of(0, 1, "fp32", 0.1)});
  after.cases[0].effective["device_facts"] = {{"name", "NVIDIA H200"}};
  EXPECT_THAT(compare_runs({&before, "a", {}}, {&after, "b", {}}, {}).crossed, ElementsAre("GPU none → NVIDIA H200"));
  after = run_of("b", {case_of(0, 1, "fp32", 0.1)});
  after.cases[0].workload_key = "other texts";  // in a file of the same name
  EXPECT_THAT(compare_runs({&before, "a", {}}, {&after, "b", {}}, {}).crossed, ElementsAre("the workloads differ"));
}

std::string refusal(const RunSelection& before, const RunSelection& after) {
  try {
    compare_runs(before, after, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RunComparison, RefusesFiltersThatChooseNothingOrTooMuch) {
  const RunRecord run = run_of("sweep", {case_of(0, 1, "fp32", 0.1), case_of(1, 1, "bf16", 0.05)});
  const RunSelection all{&run, "sweep", {}};
  const RunSelection fp32{&run, "sweep:precision=fp32", {{"precision", "fp32"}}};
  EXPECT_THAT(refusal(fp32, all),
              HasSubstr("c01 and c02 differ in precision alone; choose one, e.g. 'sweep:precision="));
  EXPECT_THAT(refusal({&run, "s", {{"precision", "int8"}}}, fp32), HasSubstr("fp32, bf16"));
  EXPECT_THAT(refusal({&run, "s", {{"precison", "fp32"}}}, fp32), HasSubstr("precision"));
  EXPECT_THAT(refusal(fp32, fp32), HasSubstr("the same case, c01"));
  const RunRecord longer = run_of("longer", {case_of(0, 8, "fp32", 0.1)});
  EXPECT_THAT(refusal(fp32, {&longer, "longer", {}}), HasSubstr("they differ in batch_size; name what may differ"));
  const RunRecord none = run_of("none", {});
  EXPECT_THAT(refusal({&none, "none", {}}, fp32), HasSubstr("no cases"));
}

}  // namespace
}  // namespace transformeter
