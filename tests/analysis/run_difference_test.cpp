// What differs between runs, in the order of its likely effect.
#include "analysis/run_difference.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RunRecord run_named(const std::string& name, const std::vector<double>& levels_s) {
  RunRecord run = run_of(name, {measured_case(0, requested_of(1, 128, "fp32"), levels_s),
                                measured_case(1, requested_of(8, 128, "fp32"), levels_s)});
  run.settings["replicates"] = {{"values", {3}}, {"origin", "flag"}};
  return run;
}

std::vector<std::string> texts_of(const std::vector<Difference>& differences) {
  std::vector<std::string> texts;
  for (const Difference& one : differences) texts.push_back(one.text());
  return texts;
}

RunDifference difference_between(const RunRecord& before, const RunRecord& after) {
  return difference_of({&before, before.name, {}}, {&after, after.name, {}});
}

TEST(RunDifferenceTest, EqualRunsDifferInNothing) {
  const RunRecord before = run_named("a", {0.1, 0.1001, 0.0999});
  const RunRecord after = run_named("b", {0.1, 0.1001, 0.0999});
  const RunDifference difference = difference_between(before, after);
  EXPECT_THAT(difference.differences, IsEmpty());
  ASSERT_TRUE(difference.results);
  EXPECT_EQ(difference.results->pairs.size(), 2U);
}

TEST(RunDifferenceTest, ComeByTheirLikelyEffect) {
  RunRecord before = run_named("a", {0.1, 0.1001, 0.0999});
  RunRecord after = run_named("b", {0.05, 0.0501, 0.0499});
  // Written from the least likely to the most likely.
  before.host["program"] = {{"version", "0.1.0"}};
  after.host["program"] = {{"version", "0.2.0"}};
  after.settings["replicates"]["values"] = {5};
  before.host["os"] = {{"kernel_release", "6.1"}};
  after.host["os"] = {{"kernel_release", "6.18"}};
  before.host["memory"] = {{"total_bytes", 8589934592}, {"transparent_huge_pages", "madvise"}};
  after.host["memory"] = {{"total_bytes", 17179869184}, {"transparent_huge_pages", "madvise"}};
  before.host["frequency"] = {{"governors", {"powersave"}}};
  after.host["frequency"] = {{"governors", {"performance"}}};
  after.host["topology"]["core_count"] = 4;
  after.host["cpu"]["model"] = "Fake CPU 9001";
  after.host["worker"]["libtorch"] = "2.16.0";
  before.host["worker"]["sha256"] = std::string(64, 'a');
  after.host["worker"]["sha256"] = std::string(64, 'b');
  before.cases[0].effective["attention_kernel"] = "eager";
  after.cases[0].effective["attention_kernel"] = "flash";
  for (CaseRecord& one : before.cases) one.requested["attention"] = "eager";
  const RunDifference difference = difference_between(before, after);
  EXPECT_THAT(texts_of(difference.differences),
              ElementsAre("attention eager → sdpa", "attention_kernel eager → flash",
                          "worker's SHA-256 aaaaaaaaaaaa → bbbbbbbbbbbb", "LibTorch 2.15.0 → 2.16.0",
                          "processor Fake CPU 9000 → Fake CPU 9001", "cores 2 → 4", "governors powersave → performance",
                          "memory 8.00 GiB → 16.0 GiB", "kernel 6.1 → 6.18", "replicates 3 → 5",
                          "program's version 0.1.0 → 0.2.0"));
  EXPECT_THAT(difference.differences.at(1).cases, ElementsAre("b1")) << "of one case alone";
  EXPECT_THAT(difference.differences.at(2).cases, IsEmpty()) << "of all cases";
  ASSERT_TRUE(difference.results) << "attention has one value on each side: the cases are pairs across it";
  EXPECT_EQ(difference.results->pairs.at(0).speed.answer, SpeedAnswer::kFaster)
      << difference.results->pairs.at(0).speed.reason;
  EXPECT_THAT(difference.results->changes, IsEmpty()) << "said once, as differences";
  EXPECT_THAT(difference.results->crossed, Contains(HasSubstr("processor")));
}

TEST(RunDifferenceTest, CausesAreDeclaredInTheirOrderAndFactsWithThem) {
  const auto causes = cause_terms();
  EXPECT_TRUE(std::is_sorted(causes.begin(), causes.end(),
                             [](const CauseTerm& one, const CauseTerm& other) { return one.cause < other.cause; }));
  for (const RunFact& fact : run_facts()) EXPECT_EQ(cause_term(fact.cause).cause, fact.cause) << fact.name;
}

TEST(RunDifferenceTest, ASettingThatVariesHasAllItsValues) {
  RunRecord before = run_named("a", {0.1, 0.1001, 0.0999});
  RunRecord after = run_named("b", {0.1, 0.1001, 0.0999});
  after.cases.push_back(measured_case(2, requested_of(16, 128, "fp32"), {0.4, 0.401, 0.399}));
  EXPECT_THAT(texts_of(difference_between(before, after).differences), ElementsAre("batch_size 1,8 → 1,8,16"));
}

TEST(RunDifferenceTest, FilesOfModelsAndDataAreNamedByTheirHashes) {
  RunRecord before = run_named("a", {0.1, 0.1001, 0.0999});
  RunRecord after = run_named("b", {0.1, 0.1001, 0.0999});
  for (RunRecord* run : {&before, &after}) {
    const std::string digits(64, run == &before ? 'a' : 'b');
    for (CaseRecord& one : run->cases) {
      one.effective["workload"] = {{"model", {{"sha256", {{"weights", digits}, {"config.json", "same"}}}}},
                                   {"data", {{"sha256", std::string(64, 'c')}}}};
      one.workload_key += digits;
    }
  }
  EXPECT_THAT(texts_of(difference_between(before, after).differences),
              ElementsAre("model: sha256: weights aaaaaaaaaaaa → bbbbbbbbbbbb"));
}

TEST(RunDifferenceTest, ACaseThatDiedBeforeItWarmedUpHasAnUnknownGpu) {
  RunRecord before = run_named("a", {0.1, 0.1001, 0.0999});
  RunRecord after = run_named("b", {0.1, 0.1001, 0.0999});
  for (CaseRecord& one : before.cases) {
    one.effective["device"] = "cuda:0";
    one.effective["device_facts"] = {{"name", "NVIDIA H100"}};
  }
  for (CaseRecord& one : after.cases) {
    one.effective["device"] = "cpu";
    one.effective.erase("device_facts");
  }
  EXPECT_THAT(texts_of(difference_between(before, after).differences), ElementsAre("GPU NVIDIA H100 → none"));
  for (CaseRecord& one : after.cases) {
    one.status = Status::kCrashed;
    one.effective = Json::object();
  }
  EXPECT_THAT(texts_of(difference_between(before, after).differences), IsEmpty());
}

TEST(RunDifferenceTest, RunsThatShareNoCaseStillTellWhatDiffers) {
  RunRecord before = run_named("a", {0.1, 0.1001, 0.0999});
  RunRecord after = run_named("b", {0.1, 0.1001, 0.0999});
  after.cases = {measured_case(0, requested_of(16, 128, "fp32"), {0.1}),
                 measured_case(1, requested_of(32, 128, "fp32"), {0.1})};
  after.host["worker"]["libtorch"] = "2.16.0";
  const RunDifference difference = difference_between(before, after);
  EXPECT_FALSE(difference.results);
  EXPECT_THAT(difference.why_no_results, HasSubstr("batch_size"));
  EXPECT_THAT(texts_of(difference.differences), ElementsAre("batch_size 1,8 → 16,32", "LibTorch 2.15.0 → 2.16.0"));
}

TEST(RunDifferenceTest, ARunIsNotSetAgainstItself) {
  const RunRecord run = run_named("a", {0.1, 0.1001, 0.0999});
  EXPECT_THROW(difference_between(run, run), Error);
  const RunDifference parts =
      difference_of({&run, "a:batch_size=1", {{"batch_size", "1"}}}, {&run, "a:batch_size=8", {{"batch_size", "8"}}});
  EXPECT_THAT(texts_of(parts.differences), ElementsAre("batch_size 1 → 8"));
}

}  // namespace
}  // namespace transformeter
