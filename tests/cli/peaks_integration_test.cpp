// `peaks` and `run --peaks` through the real command, with a fake worker whose peaks are known.
#include <gmock/gmock.h>

#include "cli/shell.h"
#include "metrics/case_summary.h"
#include "store/sqlite.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

class Peaks : public CommandTest {
 protected:
  static MetricRow metric(const RunRecord& run, const char* name) {
    const CaseAnalysis analysis = analysis_of(run.cases.at(0));
    const MetricRow* row = find_metric(analysis.metrics, name, "");
    EXPECT_NE(row, nullptr) << name;
    return row == nullptr ? MetricRow{} : *row;
  }
};

TEST_F(Peaks, MeasuresOnceAndReadsAfterwards) {
  const ShellResult first = shell("$T peaks --threads 2,1 --precision fp32,bf16 --store r.db");
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.output, AllOf(HasSubstr("matrix products, fp32"), HasSubstr("matrix products, bf16"),
                                  HasSubstr("100 GFLOP/s ± 1.0 %"), HasSubstr("20.0 GB/s ± 1.0 %")));
  EXPECT_THAT(first.errors, AllOf(HasSubstr("with 2 threads"), HasSubstr("with 1 thread:")));

  const Json faster = {{"peaks", {{"gemm_fp32", 2e11}}}};
  const ShellResult second = shell("$T peaks --threads 2,1 --precision fp32 --store r.db", faster);
  EXPECT_EQ(second.errors, "") << "nothing is measured";
  EXPECT_THAT(second.output, Not(HasSubstr("200 GFLOP/s")));

  const ShellResult forced = shell("$T peaks --threads 2 --precision fp32 --store r.db --force", faster);
  EXPECT_THAT(forced.output, HasSubstr("200 GFLOP/s"));
}

TEST_F(Peaks, OnAnotherMachineTheyAreMeasuredAnew) {
  shell("$T peaks --threads 2 --precision fp32 --store r.db");
  Database(folder_.path() / "r.db", Database::Access::kReadWrite).execute("UPDATE peak SET fingerprint = 'elsewhere'");
  const ShellResult again = shell("$T peaks --threads 2 --precision fp32 --store r.db");
  EXPECT_THAT(again.errors, HasSubstr("measuring peaks with 2 threads"));
}

TEST_F(Peaks, GivesEveryPointAsJson) {
  const ShellResult result =
      shell("$T peaks --threads 2 --precision int8 --format json --store r.db", {{"peaks", {{"gemm_int8", nullptr}}}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const Json peaks = Json::parse(result.output).at("peaks");
  ASSERT_EQ(peaks.size(), 3u);
  EXPECT_EQ(peaks[2]["quantity"], "read_bandwidth");
  EXPECT_EQ(peaks[0]["quantity"], "gemm_int8");
  EXPECT_TRUE(peaks[0]["value"].is_null());
  EXPECT_EQ(peaks[0]["reason"], "the fake machine has none");
  EXPECT_EQ(peaks[1]["quantity"], "bandwidth");
  EXPECT_EQ(peaks[1]["points"].size(), 1u);
  EXPECT_EQ(peaks[1]["fingerprint"].get<std::string>().size(), 16u);
}

TEST_F(Peaks, RefusesWhatTheWorkerDoesNotHave) {
  const ShellResult precision = shell("$T peaks --precision fp7");
  EXPECT_EQ(precision.exit_code, 3);
  EXPECT_THAT(precision.errors, AllOf(HasSubstr("fp7"), HasSubstr("fp32"), HasSubstr("int8")));
  const ShellResult threads = shell("$T peaks --threads 0");
  EXPECT_EQ(threads.exit_code, 3);
  EXPECT_THAT(threads.errors, HasSubstr("threads '0'"));
  const ShellResult devices = shell("$T peaks --device cpu,cpu");
  EXPECT_EQ(devices.exit_code, 3);
  EXPECT_THAT(devices.errors, AllOf(HasSubstr("device 'cpu,cpu'"), HasSubstr("one device")));
  const ShellResult absent = shell("$T peaks --precision fp16");
  EXPECT_EQ(absent.exit_code, 3);
  EXPECT_THAT(absent.errors, HasSubstr("precision fp16: the fake worker has no fp16")) << "the worker's own reason";
  const ShellResult worker = shell("$T peaks --worker /nowhere/worker");
  EXPECT_EQ(worker.exit_code, 3);
  EXPECT_THAT(worker.errors, AllOf(HasSubstr("/nowhere/worker"), HasSubstr("make programs")));
}

TEST_F(Peaks, AWorkerThatDiesKeepsWhatWasMeasured) {
  const Json behaviour = {{"faults", {{{"kind", "crash"}, {"at", "measure_peak"}, {"after_samples", 1}}}}};
  const ShellResult result = shell("$T peaks --threads 2 --precision fp32 --store r.db", behaviour);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("SIGSEGV"));
  const ShellResult again = shell("$T peaks --threads 2 --precision fp32 --store r.db");
  EXPECT_THAT(again.errors, HasSubstr("measuring peaks with 2 threads: bandwidth, read_bandwidth\n"));
}

TEST_F(Peaks, ARunIsHeldAgainstThePeaksInItsStore) {
  const ShellResult result = shell("$T peaks --threads 3 --store r.db && " + kRunOne + "--threads 3");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  // 16 tokens of a million operations in 10 ms.
  EXPECT_NEAR(*metric(run, "throughput_flops").value, 16e6 / 0.010, 1);
  EXPECT_NEAR(*metric(run, "mfu").value, 16e6 / 0.010 / 100e9, 1e-9);
  EXPECT_NEAR(*metric(run, "bandwidth_share").value, 100 * 1048576.0 / 0.010 / 20e9, 1e-9);
  EXPECT_EQ(run.host.at("peaks").size(), 2u);
  EXPECT_FALSE(run.host.at("peaks")[0].contains("points"));
  EXPECT_THAT(shell("$T show --store r.db").output, AllOf(HasSubstr("MFU"), HasSubstr("memory_bound")));
}

TEST_F(Peaks, OtherThreadsHaveNoneAndTheReasonSaysWhatToDo) {
  const ShellResult result = shell("$T peaks --threads 3 --store r.db && " + kRunOne + "--threads 2");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_FALSE(metric(load(), "mfu").value);
  EXPECT_THAT(metric(load(), "mfu").reason, HasSubstr("run `transformeter peaks` with the same --store"));
  EXPECT_THAT(shell("$T show --store r.db").output, Not(HasSubstr("MFU")));
}

TEST_F(Peaks, MeasureTakesTheMissingOnesFirst) {
  const ShellResult result = shell(kRunOne + "--threads 2 --peaks measure");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("measuring peaks with 2 threads: gemm_fp32, read_bandwidth"));
  EXPECT_TRUE(metric(load(), "mfu").value);
  EXPECT_THAT(shell(kRunOne + "--threads 2 --peaks measure").errors, Not(HasSubstr("measuring peaks")));
}

TEST_F(Peaks, MeasureTakesDisturbedOnesAgain) {
  shell("$T peaks --threads 2 --precision fp32 --store r.db");
  Database(folder_.path() / "r.db", Database::Access::kReadWrite)
      .execute("UPDATE peak SET document = json_set(document, '$.foreign_load', 0.5) WHERE quantity = 'gemm_fp32'");
  const ShellResult stored = shell(kRunOne + "--threads 2");
  EXPECT_THAT(stored.errors, Not(HasSubstr("measuring peaks"))) << "a run that takes what there is";
  const ShellResult result = shell(kRunOne + "--threads 2 --peaks measure");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("measuring peaks with 2 threads: gemm_fp32\n"));
  for (const Json& peak : load().host.at("peaks")) EXPECT_EQ(peak.at("foreign_load"), 0) << peak;
  EXPECT_THAT(shell(kRunOne + "--threads 2 --peaks measure").errors, Not(HasSubstr("measuring peaks")));
}

// 16 tokens of a million operations in 10 ms are 1.6 GFLOP/s.
TEST_F(Peaks, ARunThatIsFasterThanItsPeakMeasuresItAgain) {
  const Json busy = {{"peaks", {{"gemm_fp32", 1e9}}}};
  ASSERT_EQ(shell("$T peaks --threads 2 --precision fp32 --store r.db", busy).exit_code, 0);
  const ShellResult result = shell(kRunOne + "--threads 2");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("faster than the measured peak: gemm_fp32\n"),
                                   HasSubstr("measuring peaks with 2 threads: gemm_fp32\n")));
  EXPECT_NEAR(*metric(load(), "mfu").value, 1.6e9 / 100e9, 1e-9);
  EXPECT_THAT(result.output, AllOf(HasSubstr("MFU"), Not(HasSubstr("peak_below_achieved"))));
  EXPECT_THAT(shell("$T peaks --threads 2 --precision fp32 --store r.db", busy).output, HasSubstr("100 GFLOP/s"));
}

// 1.6 and 12.8 GFLOP/s: only the second exceeds the peak, and both are held against the same one.
TEST_F(Peaks, AllCasesAreHeldAgainstTheHigherPeak) {
  ASSERT_EQ(shell("$T peaks --threads 2 --precision fp32 --store r.db", {{"peaks", {{"gemm_fp32", 5e9}}}}).exit_code,
            0);
  const ShellResult result = shell(kRunTwo + "--threads 2");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 2u);
  for (const CaseRecord& one : run.cases) {
    EXPECT_EQ(one.effective.at("peaks").at("gemm").at("value"), 100e9) << one.id;
    EXPECT_TRUE(has_current_summary(one)) << one.id;
  }
  for (const Json& peak : run.host.at("peaks")) EXPECT_GT(peak.at("value"), 5e9);
}

TEST_F(Peaks, APeakThatStaysTooLowGivesNoShare) {
  const Json busy = {{"peaks", {{"gemm_fp32", 1e9}}}};
  const ShellResult result = shell(kRunOne + "--threads 2 --peaks measure", busy);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::size_t rounds = 0;
  for (std::size_t at = result.errors.find("measuring peaks"); at != std::string::npos;
       at = result.errors.find("measuring peaks", at + 1)) {
    ++rounds;
  }
  EXPECT_EQ(rounds, 2u) << "before the run, and once after it";
  const std::string reason = "peak_below_achieved: 1.60 GFLOP/s is above the measured peak of 1.00 GFLOP/s";
  for (const char* name : {"mfu", "hfu"}) {
    EXPECT_FALSE(metric(load(), name).value) << name;
    EXPECT_EQ(metric(load(), name).reason, reason) << name;
  }
  EXPECT_TRUE(metric(load(), "bandwidth_share").value);
  EXPECT_THAT(result.output, AllOf(Not(HasSubstr("MFU")), HasSubstr("peak_below_achieved"),
                                   HasSubstr("1.60 GFLOP/s is above the measured peak")));
  EXPECT_THAT(shell("$T show --store r.db --format json --no-samples").output, HasSubstr(reason));
  EXPECT_THAT(shell("$T show --store r.db --format csv").output, HasSubstr("peak_below_achieved"));
  EXPECT_THAT(shell("$T show --store r.db --format markdown").output, HasSubstr("1.60 GFLOP/s is above"));
}

// The case at 1.6 GFLOP/s does not exceed the peak that the one at 12.8 proves wrong.
TEST_F(Peaks, APeakThatOneCaseExceedsGivesNoCaseAShare) {
  const Json busy = {{"peaks", {{"gemm_fp32", 5e9}}}};
  ASSERT_EQ(shell("$T peaks --threads 2 --precision fp32 --store r.db", busy).exit_code, 0);
  ASSERT_EQ(shell(kRunTwo + "--threads 2", busy).exit_code, 0);
  std::vector<std::string> reasons;
  for (const CaseRecord& one : load().cases) {
    const CaseAnalysis analysis = analysis_of(one);
    EXPECT_FALSE(find_metric(analysis.metrics, "mfu", "")->value) << one.id;
    EXPECT_TRUE(find_metric(analysis.metrics, "bandwidth_share", "")->value) << one.id << ": of another peak";
    reasons.push_back(find_metric(analysis.metrics, "mfu", "")->reason);
  }
  EXPECT_THAT(reasons, UnorderedElementsAre(HasSubstr("12.8 GFLOP/s is above the measured peak of 5.00 GFLOP/s"),
                                            HasSubstr("another case of the run was faster than the measured peak")));
}

// 100 MiB in 10 ms are 10.5 GB/s.
TEST_F(Peaks, AnUndisturbedBandwidthIsNotDoubtedForACachesSake) {
  ASSERT_EQ(shell("$T peaks --threads 2 --store r.db", {{"peaks", {{"read_bandwidth", 1e9}}}}).exit_code, 0);
  const ShellResult result = shell(kRunOne + "--threads 2");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, Not(HasSubstr("measuring peaks")));
  EXPECT_THAT(metric(load(), "bandwidth_share").reason, HasSubstr("a cache"));
  Database(folder_.path() / "r.db", Database::Access::kReadWrite)
      .execute(
          "UPDATE peak SET document = json_set(document, '$.foreign_load', 0.5) WHERE quantity = 'read_bandwidth'");
  EXPECT_THAT(shell(kRunOne + "--threads 2").errors, HasSubstr("measuring peaks with 2 threads: read_bandwidth\n"));
}

TEST_F(Peaks, AStoredRunIsReadByTheSameRule) {
  ASSERT_EQ(shell("$T peaks --threads 2 --store r.db && " + kRunOne + "--threads 2").exit_code, 0);
  Database database(folder_.path() / "r.db", Database::Access::kReadWrite);
  database.execute("UPDATE plan_case SET effective = json_set(effective, '$.peaks.gemm.value', 1e9)");
  database.execute("DELETE FROM summary");
  EXPECT_THAT(metric(load(), "mfu").reason, HasSubstr("peak_below_achieved"));
  EXPECT_THAT(shell("$T show --store r.db").output, AllOf(Not(HasSubstr("MFU")), HasSubstr("peak_below_achieved")));
}

TEST_F(Peaks, CtrlCWhileTheyAreMeasuredAgainLeavesNoShareOfThem) {
  ASSERT_EQ(shell("$T peaks --threads 2 --precision fp32 --store r.db", {{"peaks", {{"gemm_fp32", 5e9}}}}).exit_code,
            0);
  const Json behaviour = {{"faults", {{{"kind", "hang"}, {"at", "measure_peak"}, {"once", "struck"}}}}};
  const ShellResult result =
      shell(kRunTwo +
                "--threads 2 & pid=$!; until [ -e struck ] || ! kill -0 $pid; do sleep 0.05; done; kill -INT $pid; "
                "wait $pid",
            behaviour);
  EXPECT_EQ(result.exit_code, 130) << result.errors;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 2U);
  for (const CaseRecord& one : run.cases) {
    const MetricRow mfu = *find_metric(analysis_of(one).metrics, "mfu", "");
    EXPECT_FALSE(mfu.value) << one.id;
    EXPECT_THAT(mfu.reason, HasSubstr("peak_below_achieved")) << one.id;
  }
}

// The higher value stays, now as an undisturbed one: what exceeds it read a cache.
TEST_F(Peaks, AQuietMeasurementThatIsLowerClearsTheHigherOne) {
  ASSERT_EQ(shell("$T peaks --threads 2 --store r.db", {{"peaks", {{"read_bandwidth", 1e9}}}}).exit_code, 0);
  Database(folder_.path() / "r.db", Database::Access::kReadWrite)
      .execute(
          "UPDATE peak SET document = json_set(document, '$.foreign_load', 0.5) WHERE quantity = 'read_bandwidth'");
  ASSERT_EQ(shell(kRunOne + "--threads 2", {{"peaks", {{"read_bandwidth", 9e8}}}}).exit_code, 0);
  const RunRecord run = load();
  const Json& bandwidth = run.cases.at(0).effective.at("peaks").at("read_bandwidth");
  EXPECT_EQ(bandwidth.at("value"), 1e9);
  EXPECT_EQ(bandwidth.at("foreign_load"), 0);
  EXPECT_FALSE(bandwidth.contains("exceeded"));
  EXPECT_THAT(metric(run, "bandwidth_share").reason, HasSubstr("a cache"));
}

TEST_F(Peaks, AFailureToMeasureThemAgainIsAWarning) {
  ASSERT_EQ(shell("$T peaks --threads 2 --store r.db", {{"peaks", {{"gemm_fp32", 1e9}}}}).exit_code, 0);
  const Json behaviour = {{"faults", {{{"kind", "crash"}, {"at", "measure_peak"}}}}};
  const ShellResult result = shell(kRunOne + "--threads 2", behaviour);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("warning: peaks were not measured again"));
  EXPECT_THAT(metric(load(), "mfu").reason, HasSubstr("peak_below_achieved"));
}

// The run's record cannot be written once a peak in it is marked: the path of the index is none.
TEST_F(Peaks, AStoreThatFailsWhileTheyAreCorrectedHidesNoResults) {
  const Json busy = {{"peaks", {{"gemm_fp32", 1e9}}}};
  ASSERT_EQ(shell("$T peaks --threads 2 --precision fp32 --store r.db", busy).exit_code, 0);
  Database(folder_.path() / "r.db", Database::Access::kReadWrite)
      .execute("CREATE INDEX fault ON run (json_extract('{}', iif(instr(host, '\"exceeded\"') > 0, 'none', '$')))");
  const ShellResult result = shell(kRunOne + "--threads 2", busy);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("warning: peaks were not corrected: "));
  EXPECT_THAT(result.output, HasSubstr("ok, "));
}

TEST_F(Peaks, DisturbedOnesInTheStoreAreMeasuredAgain) {
  const Json disturbed = {{"peaks", {{"gemm_fp32", {{"rate", 1e9}, {"foreign_load", 0.01}}}}}};
  shell("$T peaks --threads 2 --precision fp32 --store r.db", disturbed);
  EXPECT_EQ(shell("$T peaks --threads 2 --precision fp32 --store r.db").errors, "") << "0.01 processors are no load";
  Database(folder_.path() / "r.db", Database::Access::kReadWrite)
      .execute("UPDATE peak SET document = json_set(document, '$.foreign_load', 0.5) WHERE quantity = 'gemm_fp32'");
  const ShellResult again = shell("$T peaks --threads 2 --precision fp32 --store r.db");
  EXPECT_THAT(again.errors, HasSubstr("measuring peaks with 2 threads: gemm_fp32\n"));
  EXPECT_THAT(again.output, HasSubstr("100 GFLOP/s"));
}

// The store may be moved: its path of that time would name another file, or none.
TEST_F(Peaks, MissingOnesAreToldWithoutThePathOfTheStore) {
  const ShellResult result = shell(kRunOne + "--threads 2 && mv r.db moved.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(metric(load("moved.db"), "mfu").reason,
            "no peaks: run `transformeter peaks` with the same --store before the run");
}

TEST_F(Peaks, OffLeavesThemAlone) {
  const ShellResult result = shell("$T peaks --threads 2 --store r.db && " + kRunOne + "--threads 2 --peaks off");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(metric(load(), "mfu").reason, "no peaks: --peaks off");
}

TEST_F(Peaks, MergedRunsKeepTheirs) {
  const ShellResult result =
      shell("$T peaks --threads 2 --store r.db && " + kRunOne + "--threads 2 && $T merge all.db r.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(metric(load("all.db"), "mfu").value);
}

TEST_F(Peaks, AFailureToMeasureThemIsAWarningOfTheRun) {
  const Json behaviour = {{"faults", {{{"kind", "crash"}, {"at", "measure_peak"}}}}};
  const ShellResult result = shell(kRunOne + "--threads 2 --peaks measure", behaviour);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("warning: no peaks"));
  EXPECT_FALSE(metric(load(), "mfu").value);
}

}  // namespace
}  // namespace transformeter
