// Stores united: what is new is added, what is the same stays, what differs is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store_fixture.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

RunSource source_of(RunRecord run) {
  return [run = std::move(run)](const RunVisitor& visitor) {
    RunRecord fields = run;
    fields.cases.clear();
    visitor.on_run(std::move(fields));
    for (const CaseRecord& one : run.cases) visitor.on_case(CaseRecord(one));
  };
}

ReplicateRecord measured(int index, double value = 1) {
  ReplicateRecord replicate = replicate_of(index);
  replicate.series = {scalar_series("load_time", value)};
  return replicate;
}

// One case with these replicates.
RunRecord run_with(std::vector<ReplicateRecord> replicates) {
  RunRecord run = run_of("r", "", 1);
  run.cases[0].status = case_status(replicates);
  run.cases[0].replicates = std::move(replicates);
  return run;
}

class Join : public testing::Test {
 protected:
  JoinOutcome join(const RunRecord& run, bool keep_first = false) { return store_->join(source_of(run), {keep_first}); }
  CaseRecord the_case() { return store_->load_run("r", true).cases.at(0); }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_ = open_store(folder_ / "a.db", StoreMode::kWrite);
};

TEST_F(Join, UnitesReplicatesOfOneRunInWhateverOrderTheyCome) {
  join(run_with({measured(1), measured(3)}));
  const JoinOutcome outcome = join(run_with({measured(0), measured(1), measured(2)}));
  EXPECT_EQ(outcome.runs_added, 0u);
  EXPECT_EQ(outcome.replicates_added, 2u);
  EXPECT_EQ(outcome.replicates_known, 1u);
  std::vector<int> indices;
  for (const ReplicateRecord& replicate : the_case().replicates) indices.push_back(replicate.index);
  EXPECT_THAT(indices, ElementsAre(0, 1, 2, 3));
  const std::string once = image(store_->load_run("r", true));
  EXPECT_EQ(join(run_with({measured(0), measured(1), measured(2)})).replicates_added, 0u);
  EXPECT_EQ(image(store_->load_run("r", true)), once);
}

// A run that was merged, then resumed: its peaks were measured again meanwhile.
TEST_F(Join, OfTwoPeaksTheHigherCountsWhicheverComesFirst) {
  const auto with_peak = [](double rate) {
    RunRecord run = run_with({measured(0)});
    run.host["peaks"] = {{{"quantity", "gemm_fp32"}, {"device", "cpu"}, {"threads", 2}, {"value", rate}}};
    run.cases[0].effective = {{"peaks", {{"gemm", {{"quantity", "gemm_fp32"}, {"value", rate}}}}}};
    return run;
  };
  join(with_peak(1e9));
  for (const double rate : {5e9, 2e9}) {
    join(with_peak(rate));
    EXPECT_EQ(store_->load_run("r", false).host["peaks"][0]["value"], 5e9);
    EXPECT_EQ(the_case().effective["peaks"]["gemm"]["value"], 5e9);
  }
}

// A copy from before a case exceeded the peak, and one from after.
TEST_F(Join, OfEqualPeaksTheMarkedOneCountsWhicheverComesFirst) {
  RunRecord before = run_with({measured(0)});
  before.host["peaks"] = {{{"quantity", "gemm_fp32"}, {"device", "cpu"}, {"threads", 2}, {"value", 1e9}}};
  before.cases[0].effective = {{"peaks", {{"gemm", {{"quantity", "gemm_fp32"}, {"value", 1e9}}}}}};
  RunRecord after = before;
  after.host["peaks"][0]["exceeded"] = true;
  after.cases[0].effective["peaks"]["gemm"]["exceeded"] = true;
  join(before);
  EXPECT_FALSE(the_case().effective["peaks"]["gemm"].contains("exceeded"));
  for (const RunRecord& run : {after, before}) {
    join(run);
    EXPECT_EQ(store_->load_run("r", false).host["peaks"][0].value("exceeded", false), true);
    EXPECT_EQ(the_case().effective["peaks"]["gemm"].value("exceeded", false), true);
  }
}

TEST_F(Join, OfEqualPeaksTheLessDisturbedOneCountsWhicheverComesFirst) {
  RunRecord before = run_with({measured(0)});
  before.host["peaks"] = {{{"quantity", "bandwidth"},
                           {"device", "cpu"},
                           {"threads", 2},
                           {"value", 1e9},
                           {"foreign_load", 0.5},
                           {"exceeded", true}}};
  before.cases[0].effective["peaks"]["bandwidth"] = before.host["peaks"][0];
  RunRecord after = before;
  for (Json* peak : {&after.host["peaks"][0], &after.cases[0].effective["peaks"]["bandwidth"]}) {
    (*peak)["foreign_load"] = 0;
    peak->erase("exceeded");
  }
  join(before);
  for (const RunRecord& run : {after, before}) {
    join(run);
    EXPECT_EQ(store_->load_run("r", false).host["peaks"][0], after.host["peaks"][0]);
    EXPECT_EQ(the_case().effective["peaks"]["bandwidth"], after.host["peaks"][0]);
  }
}

TEST_F(Join, TheStatusFollowsFromAllReplicates) {
  join(run_with({}));
  EXPECT_EQ(the_case().status, std::nullopt);
  join(run_with({replicate_of(1, Status::kCrashed, "SIGSEGV")}));
  EXPECT_EQ(the_case().status, Status::kCrashed);
  EXPECT_EQ(the_case().status_reason, "SIGSEGV");
  join(run_with({measured(0)}));
  EXPECT_EQ(the_case().status, Status::kOk);
  EXPECT_EQ(the_case().status_reason, "");
}

TEST_F(Join, TheSideWithTheLaterReplicateSpeaksAndEmptyTextsSayNothing) {
  RunRecord early = run_with({measured(0)});
  early.cases[0].key = "early";
  early.cases[0].launch = {{"threads", 1}};
  RunRecord late = run_with({measured(2)});
  late.cases[0].key = "late";
  late.cases[0].workload_key = "w";
  join(late);
  join(early);
  EXPECT_EQ(the_case().key, "late");
  EXPECT_EQ(the_case().launch, early.cases[0].launch);
  EXPECT_EQ(the_case().workload_key, "w");
}

TEST_F(Join, NamesAReplicateWithAnotherContentAndChangesNothing) {
  join(run_with({measured(0)}));
  const std::string before = image(store_->load_run("r", true));
  RunRecord other = run_with({measured(0, 2), measured(1)});
  other.cases.push_back(case_of(1));
  const Error error = error_of([&] { join(other); });
  EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("replicate 0 of case 'c0' of run 'r'"), HasSubstr("a.db"),
                                  HasSubstr("nothing was changed"), HasSubstr("--keep-first")));
  EXPECT_EQ(image(store_->load_run("r", true)), before);
}

TEST_F(Join, KeepsTheFirstOnRequestAndSaysSo) {
  join(run_with({measured(0)}));
  const JoinOutcome outcome = join(run_with({measured(0, 2), measured(1)}), true);
  EXPECT_THAT(outcome.kept_differences, ElementsAre("replicate 0 of case 'c0' of run 'r'"));
  EXPECT_EQ(outcome.replicates_added, 1u);
  EXPECT_EQ(the_case().replicates[0].series[0].value[0], 1);
}

TEST_F(Join, NamesARunAndAPlanThatDiffer) {
  join(run_with({}));
  RunRecord other = run_with({});
  other.name = "another";
  EXPECT_THAT(error_of([&] { join(other); }).what(), HasSubstr("run 'r' already exists in"));
  other = run_with({});
  other.cases[0].requested["batch_size"] = 77;
  EXPECT_THAT(error_of([&] { join(other); }).what(), HasSubstr("the plan of case 'c0' of run 'r'"));
}

TEST_F(Join, NamesACaseThatSaysSomethingElseOfTheSameReplicates) {
  RunRecord run = run_with({measured(0), measured(1)});
  run.cases[0].key = "key";
  run.cases[0].effective = {{"threads", 1}};
  join(run);
  const std::string before = image(store_->load_run("r", true));
  RunRecord other = run;
  other.cases[0].key = "another";
  EXPECT_THAT(error_of([&] { join(other); }).what(), HasSubstr("case 'c0' of run 'r' already exists in"));
  other = run;
  other.cases[0].effective = {{"threads", 2}};
  EXPECT_THAT(error_of([&] { join(other); }).what(), HasSubstr("case 'c0' of run 'r' already exists in"));
  EXPECT_THAT(join(other, true).kept_differences, ElementsAre("case 'c0' of run 'r'"));
  other = run;
  other.cases[0].key = "";
  EXPECT_EQ(join(other).replicates_known, 2u) << "saying nothing is no contradiction";
  EXPECT_EQ(image(store_->load_run("r", true)), before);
}

TEST_F(Join, NamesACaseWithoutReplicatesWhoseStatusDiffers) {
  RunRecord run = run_with({});
  run.cases[0].status = Status::kUnsupported;
  run.cases[0].status_reason = "no kernel";
  join(run);
  join(run_with({}));
  EXPECT_EQ(the_case().status, Status::kUnsupported) << "pending is no contradiction";
  run.cases[0].status_reason = "another reason";
  EXPECT_THAT(error_of([&] { join(run); }).what(), HasSubstr("case 'c0' of run 'r' already exists in"));
}

TEST_F(Join, ANewCasesStatusFollowsFromItsReplicatesToo) {
  RunRecord run = run_with({measured(0)});
  run.cases[0].status = Status::kCrashed;
  run.cases[0].status_reason = "SIGSEGV";
  join(run);
  EXPECT_EQ(the_case().status, Status::kOk);
  EXPECT_EQ(the_case().status_reason, "");
}

TEST_F(Join, CopiesAStoreWithItsSummaries) {
  RunRecord run = run_with({measured(0)});
  run.cases[0].summary = CaseSummary{7, "what was computed"};
  join(run);
  ASSERT_TRUE(the_case().summary);
  EXPECT_EQ(the_case().summary->document, "what was computed");
  join(run_with({measured(1)}));
  EXPECT_FALSE(the_case().summary) << "it was of fewer replicates";
}

TEST_F(Join, IntoAReadingStoreIsRefused) {
  const auto reader = open_store(folder_ / "a.db", StoreMode::kRead);
  EXPECT_EQ(error_of([&] { reader->join(source_of(run_with({})), {}); }).kind(), ErrorKind::kEnvironment);
}

TEST(KeepSummaries, PassesOverWhatIsOfOtherReplicatesOrNotThere) {
  const TemporaryFolder folder;
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  store->begin_run(run_with({measured(0)}));
  CaseRecord one = store->load_run("r", false).cases[0];
  one.summary = CaseSummary{1, "of one"};
  store->keep_summaries("r", {one, case_of(8)});
  EXPECT_EQ(store->load_run("r", false).cases[0].summary->document, "of one");
  store->add_replicate("r", one, measured(1));
  EXPECT_FALSE(store->load_run("r", false).cases[0].summary) << "a new replicate drops it";
  store->keep_summaries("r", {one});
  EXPECT_FALSE(store->load_run("r", false).cases[0].summary) << "it is of one replicate, and there are two";
}

}  // namespace
}  // namespace transformeter
