// Peaks come out as they went in, one for each place and quantity, beside the runs and not part of them.
#include "store/peak_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sqlite.h"
#include "store/store_fixture.h"

namespace transformeter {
namespace {

PeakRecord record_of(const std::string& fingerprint, int threads, double rate) {
  PeakRecord record;
  record.place = {fingerprint, "LibTorch 2.15.0, oneDNN 3.13.3, method 3", "cpu", threads};
  record.measured_at = "2026-11-21T01:53:54.123Z";
  record.peak.quantity = gemm_peak("fp32");
  record.peak.rate = Estimate{rate, Interval{0.9 * rate, 1.1 * rate}, 28};
  record.peak.best = PeakPoint{"linear", {128, 768, 3072}, rate};
  record.peak.points = {*record.peak.best, {"linear_prepacked", {1, 2, 3}, 0.1}};
  record.peak.notes = {"an \"awkward\" note"};
  record.peak.foreign_load = 0.25;
  return record;
}

TEST(PeakStore, GivesBackEveryField) {
  const TemporaryFolder folder;
  PeakRecord missing = record_of("here", 2, 1);
  missing.peak = {};
  missing.peak.quantity = gemm_peak("int8");
  missing.peak.reason = "no such kernel";
  {
    const auto store = open_peak_store(folder / "a.db");
    store->keep(record_of("here", 2, 3e11));
    store->keep(missing);
  }
  const std::vector<PeakRecord> records = open_peak_store(folder / "a.db")->list();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(to_json(records[0]), to_json(record_of("here", 2, 3e11)));
  EXPECT_EQ(to_json(records[1]), to_json(missing));
}

TEST(PeakStore, ALaterOneOfTheSamePlaceTakesTheEarliersPlace) {
  const TemporaryFolder folder;
  const auto store = open_peak_store(folder / "a.db");
  store->keep(record_of("here", 2, 1e11));
  store->keep(record_of("here", 1, 2e11));
  store->keep(record_of("here", 2, 3e11));
  const std::vector<PeakRecord> records = store->list();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(find_peak(records, record_of("here", 2, 0).place, "gemm_fp32")->peak.rate->value, 3e11);
}

TEST(PeakStore, ALowerOneDoesNotReplaceAHigher) {
  const TemporaryFolder folder;
  const auto store = open_peak_store(folder / "a.db");
  PeakRecord quiet = record_of("here", 2, 1e11);
  quiet.measured_at = "2026-11-22T00:00:00.000Z";
  quiet.peak.foreign_load = 0;
  PeakRecord missing = quiet;
  missing.peak.rate.reset();
  store->keep(record_of("here", 2, 3e11));
  store->keep(quiet);
  store->keep(missing);
  const std::vector<PeakRecord> records = store->list();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].peak.rate->value, 3e11);
  EXPECT_EQ(records[0].measured_at, record_of("here", 2, 3e11).measured_at);
  EXPECT_EQ(records[0].peak.foreign_load, 0) << "a quiet machine did not exceed it";
}

TEST(PeakStore, ARunIsHeldAgainstOtherPeaks) {
  const TemporaryFolder folder;
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  RunRecord run = run_of("r", "", 2);
  store->begin_run(run);
  run.cases[1].effective = {{"peaks", {{"gemm", {{"value", 1e9}}}}}};
  store->add_replicate("r", run.cases[1], replicate_of(0));
  run.cases[1].replicates = {replicate_of(0)};
  run.cases[1].summary = CaseSummary{1, "of the lower peak"};
  store->keep_summaries("r", {run.cases[1]});
  run.host["peaks"] = {{{"quantity", "gemm_fp32"}, {"value", 2e9}}};
  run.cases[1].effective = {{"peaks", {{"gemm", {{"value", 2e9}}}}}};
  const auto peaks = open_peak_store(folder / "a.db");
  peaks->hold_against(run);
  const RunRecord kept = store->load_run("r", false);
  EXPECT_EQ(kept.host, run.host);
  EXPECT_EQ(kept.cases[1].effective, run.cases[1].effective);
  EXPECT_EQ(kept.cases[1].replicates.size(), 1u);
  EXPECT_FALSE(kept.cases[1].summary) << "it was of the lower peak";
  run.id = "another";
  EXPECT_EQ(error_of([&] { peaks->hold_against(run); }).kind(), ErrorKind::kBadInput);
}

TEST(PeakStore, AnotherMachineOrBuildOrThreadCountHasNone) {
  const std::vector<PeakRecord> records{record_of("here", 2, 1e11)};
  PeakPlace place = records[0].place;
  EXPECT_NE(find_peak(records, place, "gemm_fp32"), nullptr);
  EXPECT_EQ(find_peak(records, place, "gemm_bf16"), nullptr);
  EXPECT_EQ(find_peak(records, {"elsewhere", place.runtime, "cpu", 2}, "gemm_fp32"), nullptr);
  EXPECT_EQ(find_peak(records, {"here", "LibTorch 2.16.0, oneDNN 3.13.3, method 3", "cpu", 2}, "gemm_fp32"), nullptr);
  EXPECT_EQ(find_peak(records, {"here", place.runtime, "cpu", 1}, "gemm_fp32"), nullptr);
}

TEST(PeakStore, ADamagedDocumentIsAnErrorThatNamesTheFile) {
  const TemporaryFolder folder;
  open_peak_store(folder / "a.db")->keep(record_of("here", 2, 1e11));
  Database(folder / "a.db", Database::Access::kReadWrite).execute("UPDATE peak SET document = '{}'");
  const Error error = error_of([&] { open_peak_store(folder / "a.db")->list(); });
  EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  EXPECT_THAT(error.what(), testing::HasSubstr("a.db"));
}

}  // namespace
}  // namespace transformeter
