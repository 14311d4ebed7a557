// Costs from figures that are known.
#include "analysis/cost.h"

#include <gmock/gmock.h>

#include <deque>

#include "base/error.h"
#include "metrics/case_summary.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

class Costs : public testing::Test {
 protected:
  // Three processes whose batches of 4 take so long.
  void add(double level_s, const std::string& precision, const Price& price) {
    CaseRecord& record =
        records_.emplace_back(planned_case(static_cast<int>(records_.size()), requested_of(4, 128, precision)));
    for (int i = 0; i < 3; ++i) record.replicates.push_back(steady_replicate(i, level_s * (1 + 0.001 * i), 4));
    record.status = Status::kOk;
    analyzed_.push_back({&record, analysis_of(record), precision});
    cases_.push_back({&analyzed_.back(), &price});
  }

  std::vector<CostGroup> groups(const CostOptions& options = {}) const { return costs_of(cases_, options); }

  std::deque<CaseRecord> records_;
  std::deque<AnalyzedCase> analyzed_;
  std::vector<PricedCase> cases_;
  const Price cheap_{"cheap", 3.6, "USD", "", ""};
  const Price dear_{"dear", 7.2, "USD", "", ""};
};

TEST_F(Costs, RankByWhatAllHave) {
  add(0.04, "fp32", cheap_);
  add(0.02, "bf16", cheap_);
  const std::vector<CostGroup> all = groups({.samples = 4000});
  ASSERT_EQ(all.size(), 1u);
  const CaseCost& first = all[0].costs[0];
  EXPECT_EQ(first.one->label, "bf16");
  ASSERT_NE(first.figure(CostUnit::kThousandSamples), nullptr);
  EXPECT_NEAR(first.figure(CostUnit::kThousandSamples)->value, 0.005, 1e-4)
      << "200 samples a second, at 0.001 a second";
  EXPECT_LT(*first.figure(CostUnit::kThousandSamples)->low, first.figure(CostUnit::kThousandSamples)->value);
  EXPECT_NEAR(first.total->value, 0.02, 4e-4);
  EXPECT_EQ(first.figure(CostUnit::kStep), nullptr);
  EXPECT_TRUE(all[0].is_decided);
  EXPECT_FALSE(all[0].break_even);
}

TEST_F(Costs, BreakEvenIsThePriceAtWhichBothCostTheSame) {
  add(0.04, "fp32", cheap_);
  add(0.01, "bf16", dear_);
  const CostGroup group = groups()[0];
  EXPECT_EQ(group.costs[0].price->machine, "dear") << "a quarter of the time at twice the price";
  ASSERT_TRUE(group.break_even);
  EXPECT_NEAR(*group.break_even, 14.4, 0.1);
}

TEST_F(Costs, OfCasesThatDoNotQualifyComeLast) {
  add(0.04, "fp32", cheap_);
  add(0.02, "bf16", cheap_);
  records_[1].status = Status::kCrashed;
  const CostGroup group = groups()[0];
  EXPECT_EQ(group.costs[0].one->label, "fp32");
  EXPECT_EQ(group.costs[1].why_not, "crashed");
  EXPECT_FALSE(group.has_runner_up);
}

TEST_F(Costs, ThatOverlapAreNotTold) {
  add(0.0200, "fp32", cheap_);
  add(0.02001, "bf16", cheap_);
  EXPECT_FALSE(groups()[0].is_decided);
}

TEST_F(Costs, NeedOneCurrency) {
  const Price euro{"euro", 1, "EUR", "", ""};
  add(0.04, "fp32", cheap_);
  add(0.02, "bf16", euro);
  EXPECT_THROW(groups(), Error);
}

}  // namespace
}  // namespace transformeter
