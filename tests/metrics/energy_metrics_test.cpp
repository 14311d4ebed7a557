// Joules for each example and token; what each replicate counted is chosen, and what must come of it worked out here.
#include "metrics/metric_groups.h"

#include <gmock/gmock.h>

#include "metrics_testing.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

// 50 samples of 8 examples and 60 tokens, and 2 of warm-up before the counter was read.
CaseRecord counted_case(std::vector<Series> series) {
  series.push_back(latency_series(steady_values(52), 2));
  return case_of(std::move(series));
}

std::vector<Series> counted(double joules, double window_s = 10, double period_s = 0.1, double idle_w = 30) {
  return {scalar_series("energy_counted", joules), scalar_series("energy_window", window_s),
          scalar_series("energy_counter_period", period_s), scalar_series("idle_power", idle_w)};
}

TEST(Energy, IsThatOfTheWindowForEachExampleAndToken) {
  const CaseAnalysis analysis = analyze_case(counted_case(counted(1200)));
  const MetricRow& energy = row_of(analysis, "energy", "ratio");
  EXPECT_DOUBLE_EQ(energy.value.value(), 1200.0 / (50 * 8));
  EXPECT_EQ(energy.provenance, "measured");
  EXPECT_EQ(energy.unit, "J/sample");
  EXPECT_EQ(energy.n, 50u);
  EXPECT_EQ(energy.interval, IntervalKind::kNone) << "one counter reading";
  EXPECT_DOUBLE_EQ(row_of(analysis, "energy_net", "ratio").value.value(), (1200.0 - 30 * 10) / (50 * 8));
  EXPECT_DOUBLE_EQ(row_of(analysis, "energy_per_token", "ratio").value.value(), 1200.0 / (50 * 60));
  EXPECT_EQ(row_of(analysis, "energy_per_token", "ratio").unit, "J/token");
  const MetricRow& power = row_of(analysis, "power_mean", "ratio");
  EXPECT_DOUBLE_EQ(power.value.value(), 120);
  EXPECT_EQ(power.provenance, "derived");
  EXPECT_EQ(power.unit, "W");
}

TEST(Energy, NeedsFiftyPeriodsOfTheCounter) {
  EXPECT_TRUE(row_of(analyze_case(counted_case(counted(1200, 10, 0.2))), "energy", "ratio").value);
  const CaseAnalysis analysis = analyze_case(counted_case(counted(1200, 9.9, 0.2)));
  for (const char* metric : {"energy", "energy_net", "energy_per_token", "power_mean"}) {
    const MetricRow& row = row_of(analysis, metric, "ratio");
    EXPECT_FALSE(row.value) << metric;
    EXPECT_THAT(row.reason,
                HasSubstr("9.9 s holds only 49.5 updates of the energy counter (one every 0.2 s), at least 50"));
  }
}

TEST(Energy, IsNullWithItsReason) {
  EXPECT_EQ(row_of(analyze_case(counted_case({})), "energy", "ratio").reason, "no energy counter was read");
  CaseRecord none = counted_case({});
  none.effective = {{"energy", {{"reason", "not readable"}}}};
  EXPECT_EQ(row_of(analyze_case(none), "energy", "ratio").reason, "not readable");

  std::vector<Series> series = counted(1200);
  std::erase_if(series, [](const Series& one) { return one.name == "energy_counter_period"; });
  EXPECT_THAT(row_of(analyze_case(counted_case(series)), "energy", "ratio").reason, HasSubstr("changed too rarely"));
}

TEST(Energy, NetOfABusyStartIsNullAndGrossStays) {
  const CaseAnalysis analysis = analyze_case(counted_case(counted(1200, 10, 0.1, 121)));
  EXPECT_TRUE(row_of(analysis, "energy", "ratio").value);
  EXPECT_THAT(row_of(analysis, "energy_net", "ratio").reason, HasSubstr("did not exceed idle power"));
}

// 50 samples of 8 examples in 10 s, then 10 of them in 6 s.
TEST(Energy, OfUnequalReplicatesIsTotalOverTotal) {
  CaseRecord the_case = counted_case(counted(1000));
  std::vector<Series> few = counted(300, 6);
  few.push_back(latency_series(steady_values(12), 2));
  the_case.replicates.push_back(case_of(std::move(few)).replicates[0]);
  the_case.replicates.back().index = 1;
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_DOUBLE_EQ(row_of(analysis, "energy", "ratio").value.value(), 1300.0 / (60 * 8));
  EXPECT_DOUBLE_EQ(row_of(analysis, "energy_net", "ratio").value.value(), (1300.0 - 30 * 16) / (60 * 8));
  EXPECT_DOUBLE_EQ(row_of(analysis, "energy_per_token", "ratio").value.value(), 1300.0 / (60 * 60));
  EXPECT_DOUBLE_EQ(row_of(analysis, "power_mean", "ratio").value.value(), 1300.0 / 16);
}

TEST(Energy, HasAnIntervalOverThreeReplicates) {
  CaseRecord the_case = counted_case(counted(1200));
  for (const double joules : {1210.0, 1190.0}) {
    CaseRecord more = counted_case(counted(joules));
    more.replicates[0].index = static_cast<int>(the_case.replicates.size());
    the_case.replicates.push_back(more.replicates[0]);
    if (the_case.replicates.size() == 2) {
      EXPECT_EQ(row_of(analyze_case(the_case), "energy", "ratio").reason, "an interval needs 3 replicates");
    }
  }
  const CaseAnalysis analysis = analyze_case(the_case);
  const MetricRow& energy = row_of(analysis, "energy", "ratio");
  EXPECT_NEAR(energy.value.value(), 3, 1e-12);
  EXPECT_EQ(energy.interval, IntervalKind::kBetweenReplicates);
  // Standard deviation 0.025, over sqrt 3, times t of 2 degrees of freedom.
  EXPECT_NEAR(energy.high.value() - 3, 4.302653 * 0.025 / std::sqrt(3.0), 1e-6);
}

}  // namespace
}  // namespace transformeter
