// Peaks of a fake worker, measured into a store: what was disturbed is measured again, within bounds.
#include "run/peaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json disturbed(double rate) {
  return {{"gemm_fp32", {{"rate", rate}, {"foreign_load", 0.7}}}};
}

Json quiet(double rate) {
  return {{"gemm_fp32", rate}};
}

class MissingPeaks : public testing::Test {
 protected:
  ~MissingPeaks() override { ::unsetenv("TRANSFORMETER_FAKE_WORKER"); }

  // The workers started from now on measure this.
  static void set_machine(const Json& peaks) {
    ::setenv("TRANSFORMETER_FAKE_WORKER", Json{{"peaks", peaks}}.dump().c_str(), 1);
  }

  // `on_wait`: what happens while a quiet moment is waited for; false: none comes.
  const Peak& measured(const std::function<bool()>& on_wait, bool again = false) {
    PeakWorkerOptions options{binary_directory() / "bin/transformeter-fake-worker", Seconds(60), nullptr, [&] {
                                ++waits_;
                                return on_wait();
                              }};
    measure_missing_peaks(context_, *store_, options, {place_, {"gemm_fp32"}, again});
    known_ = store_->list();
    return find_peak(known_, place_, "gemm_fp32")->peak;
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  std::vector<std::string> warnings_;
  int rounds_ = 0;
  int waits_ = 0;
  Context context_{clock_,
                   [this](LogLevel level, std::string_view text) {
                     if (level == LogLevel::kWarning) warnings_.emplace_back(text);
                     if (text.starts_with("measuring peaks")) ++rounds_;
                   },
                   binary_directory() / "bin",
                   {}};
  std::unique_ptr<PeakStore> store_ = open_peak_store(folder_.path() / "a.db");
  PeakPlace place_{"here", "LibTorch 2.15.0", "cpu", 2};
  std::vector<PeakRecord> known_;
};

TEST_F(MissingPeaks, OfAQuietMachineAreMeasuredOnce) {
  set_machine(quiet(1e11));
  EXPECT_EQ(measured([] { return true; }).rate->value, 1e11);
  EXPECT_EQ(rounds_, 1);
  measured([] { return true; });
  EXPECT_EQ(rounds_, 1);
  EXPECT_EQ(waits_, 0);
}

TEST_F(MissingPeaks, DisturbedOnesAreMeasuredAgainWhenTheMachineIsQuiet) {
  set_machine(disturbed(1e10));
  const Peak& peak = measured([] {
    set_machine(quiet(1e11));
    return true;
  });
  EXPECT_EQ(peak.rate->value, 1e11);
  EXPECT_FALSE(is_disturbed(peak));
  EXPECT_EQ(rounds_, 2);
  EXPECT_EQ(waits_, 1);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(MissingPeaks, ThreeRoundsAreTheMostAndThenAWarningSaysSo) {
  set_machine(disturbed(1e10));
  EXPECT_TRUE(is_disturbed(measured([] { return true; })));
  EXPECT_EQ(rounds_, 3);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("too low: gemm_fp32")));
}

TEST_F(MissingPeaks, WithoutAQuietMomentNothingIsMeasuredAgain) {
  set_machine(disturbed(1e10));
  EXPECT_TRUE(is_disturbed(measured([] { return false; })));
  EXPECT_EQ(rounds_, 1);
  EXPECT_EQ(waits_, 1);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("too low: gemm_fp32")));
}

TEST_F(MissingPeaks, ALowerMeasurementDoesNotReplaceAHigher) {
  set_machine(quiet(1e11));
  measured([] { return true; });
  set_machine(quiet(9e10));
  EXPECT_EQ(measured([] { return true; }, true).rate->value, 1e11);
  EXPECT_EQ(rounds_, 2);
}

}  // namespace
}  // namespace transformeter
