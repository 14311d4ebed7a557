// What goes into the store comes out again: records, statuses, order, selection and speed.
#include "store/sqlite_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "store/store_fixture.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

TEST(SqliteStore, GivesBackEveryFieldByteForByte) {
  const TemporaryFolder folder;
  RunRecord run = run_of("20261121-015354-3fa9c1", "night's \"run\" – ночь; DROP TABLE run;--");
  run.cases[1].status = Status::kUnsupported;
  run.cases[1].status_reason = "no CPU kernel for fp16";
  {
    const auto store = open_store(folder / "a.db", StoreMode::kWrite);
    store->begin_run(run);
    CaseRecord& first = run.cases[0];
    first.key = "key";
    first.workload_key = "workload";
    first.effective = {{"precision", "fp32"}, {"threads", 2}, {"share", 0.1}};
    first.launch = {{"OMP_NUM_THREADS", "2"}};
    first.status = Status::kOk;
    first.replicates = {replicate_of(0)};
    first.replicates[0].series = {awkward_series(), scalar_series("load_time", -0.0), Series{}};
    EXPECT_TRUE(store->add_replicate(run.id, first, first.replicates[0]));
    EXPECT_EQ(image(store->load_run("", true)), image(run));
  }
  const auto store = open_store(folder / "a.db", StoreMode::kRead);
  EXPECT_EQ(image(store->load_run(run.id, true)), image(run)) << "in a new connection";
  run.cases[0].replicates[0].series.clear();
  EXPECT_EQ(image(store->load_run(run.name, false)), image(run)) << "without series";
}

TEST(SqliteStore, KeepsReplicatesThatARunBringsAlong) {
  const TemporaryFolder folder;
  RunRecord run = run_of("copied");
  run.cases[0].status = Status::kOk;
  run.cases[0].replicates = {replicate_of(0), replicate_of(1)};
  run.cases[0].replicates[1].series = {awkward_series()};
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  store->begin_run(run);
  EXPECT_EQ(image(store->load_run("copied", true)), image(run));
}

TEST(SqliteStore, OrdersCasesByPositionAndReplicatesByIndex) {
  const TemporaryFolder folder;
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  RunRecord run = run_of("r", "", 0);
  run.cases = {case_of(2), case_of(0), case_of(1)};
  store->begin_run(run);
  for (const int index : {2, 0, 1}) {
    store->add_replicate("r", case_of(1), replicate_of(index));
    store->add_replicate("r", case_of(0), replicate_of(index));
  }
  const RunRecord loaded = store->load_run("r", true);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(loaded.cases[i].position, static_cast<int>(i));
  for (const std::size_t one : {std::size_t{0}, std::size_t{1}}) {
    ASSERT_EQ(loaded.cases[one].replicates.size(), 3u);
    for (int index = 0; index < 3; ++index) {
      EXPECT_EQ(loaded.cases[one].replicates[static_cast<std::size_t>(index)].index, index);
    }
  }
}

TEST(SqliteStore, LetsTheFirstReplicateOfAnIndexWin) {
  const TemporaryFolder folder;
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  store->begin_run(run_of("r"));
  ASSERT_TRUE(store->add_replicate("r", case_of(0), replicate_of(0)));
  const std::string before = image(store->load_run("r", true));

  CaseRecord changed = case_of(0);
  changed.key = "another";
  EXPECT_FALSE(store->add_replicate("r", changed, replicate_of(0, Status::kCrashed, "signal 11")));
  EXPECT_EQ(image(store->load_run("r", true)), before);
  EXPECT_TRUE(store->add_replicate("r", case_of(1), replicate_of(0))) << "of another case";
}

TEST(SqliteStore, ExchangesAReplicateThatGoesOn) {
  const TemporaryFolder folder;
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  store->begin_run(run_of("r"));
  ASSERT_TRUE(store->add_replicate("r", case_of(0), replicate_of(0)));
  ASSERT_TRUE(store->add_replicate("r", case_of(0), replicate_of(1)));
  CaseRecord summed_up = store->load_run("r", true).cases[0];
  summed_up.summary = CaseSummary{1, "of fewer samples", 3};

  ReplicateRecord longer = replicate_of(0, Status::kCrashed, "signal 11");
  longer.series = {value_series("latency", {1, 2, 3, 4, 5})};
  store->update_replicate("r", case_of(0), longer);
  store->keep_summaries("r", {summed_up});
  const CaseRecord one = store->load_run("r", true).cases[0];
  ASSERT_EQ(one.replicates.size(), 2u);
  EXPECT_EQ(one.replicates[0].status, Status::kCrashed);
  EXPECT_EQ(one.replicates[0].series[0].value, longer.series[0].value);
  EXPECT_EQ(one.replicates[1].status, Status::kOk);
  EXPECT_FALSE(one.summary) << "a summary of what was there before";
  EXPECT_THAT(error_of([&] { store->update_replicate("r", case_of(0), replicate_of(7)); }).what(),
              testing::HasSubstr("'7'"));
  EXPECT_EQ(store->load_run("r", true).cases[0].replicates.size(), 2u);
}

TEST(SqliteStore, ShowsWhatIsPendingAndDerivesStatusFromReplicates) {
  const TemporaryFolder folder;
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  store->begin_run(run_of("r"));
  EXPECT_EQ(store->load_run("r", false).cases[0].status, std::nullopt);

  CaseRecord known = case_of(0);
  known.key = "key";
  known.effective = {{"threads", 2}};
  store->add_replicate("r", known, replicate_of(0, Status::kTimeout, "30 s passed"));
  CaseRecord one = store->load_run("r", false).cases[0];
  EXPECT_EQ(one.status, Status::kTimeout);
  EXPECT_EQ(one.status_reason, "30 s passed");

  store->add_replicate("r", case_of(0), replicate_of(1));
  one = store->load_run("r", false).cases[0];
  EXPECT_EQ(one.status, Status::kOk) << "any replicate that is ok makes the case ok";
  EXPECT_EQ(one.status_reason, "");
  EXPECT_EQ(one.key, "key") << "what was known stays known";
  EXPECT_EQ(one.effective, Json({{"threads", 2}}));
  EXPECT_EQ(store->load_run("r", false).cases[1].status, std::nullopt);
}

TEST(SqliteStore, ListsRunsLatestFirstWithStatusesOnly) {
  const TemporaryFolder folder;
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  RunRecord later = run_of("b");
  later.started_at = "2026-11-22T00:00:00.000Z";
  store->begin_run(later);
  store->begin_run(run_of("a"));
  ReplicateRecord replicate = replicate_of(0);
  replicate.series = {awkward_series()};
  store->add_replicate("a", case_of(1), replicate);

  const std::vector<RunRecord> runs = store->list_runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].id, "b");
  EXPECT_EQ(runs[1].cases[0].status, std::nullopt);
  EXPECT_EQ(runs[1].cases[1].status, Status::kOk);
  ASSERT_EQ(runs[1].cases[1].replicates.size(), 1u);
  EXPECT_TRUE(runs[1].cases[1].replicates[0].series.empty());
  EXPECT_EQ(store->load_run("", false).id, "b") << "the latest by start, not by order of arrival";
}

TEST(SqliteStore, RefusesARunTwiceAndACaseThatWasNotPlanned) {
  const TemporaryFolder folder;
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  store->begin_run(run_of("r"));
  EXPECT_THAT(error_of([&] { store->begin_run(run_of("r")); }).what(),
              HasSubstr("run 'r' is not valid; expected an id"));
  EXPECT_THAT(error_of([&] { store->add_replicate("r", case_of(9), replicate_of(0)); }).what(),
              HasSubstr("case 'c9' is not valid; expected one that was planned in run 'r'"));
  EXPECT_THAT(error_of([&] { store->add_replicate("x", case_of(0), replicate_of(0)); }).what(), HasSubstr("run 'x'"));
}

// Of this thread: other work on the machine does not count.
double processor_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

TEST(SqliteStore, OpensAndListsInMilliseconds) {
  const TemporaryFolder folder;
  {
    const auto store = open_store(folder / "a.db", StoreMode::kWrite);
    ReplicateRecord replicate = replicate_of(0);
    Series series = awkward_series();
    for (int i = 0; i < 10; ++i) series.append(Series(series));
    replicate.series = {series};
    for (int i = 0; i < 20; ++i) {
      RunRecord run = run_of("run" + std::to_string(i), "", 12);
      for (CaseRecord& one : run.cases) one.replicates = {replicate};
      store->begin_run(run);
    }
  }
  const double begin_ms = processor_ms();
  const auto runs = open_store(folder / "a.db", StoreMode::kRead)->list_runs();
  const double took_ms = processor_ms() - begin_ms;
  EXPECT_EQ(runs.size(), 20u);
  RecordProperty("open_and_list_ms", std::to_string(took_ms));
  EXPECT_LT(took_ms, 200) << "it takes a few ms";
}

}  // namespace
}  // namespace transformeter
