// Costs and what they buy, as points.
#include "plots/cost_picture.h"

#include <gmock/gmock.h>

#include <deque>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/case_summary.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class CostPicture : public testing::Test {
 protected:
  CostPicture() { price_.per_hour = 0.4; }

  // Processes of these batch times; of 500 texts so many correct, or unknown.
  void add(const std::string& precision, double level_s, int correct = -1) {
    CaseRecord& record = records_.emplace_back(measured_case(
        static_cast<int>(records_.size()), requested_of(8, 128, precision), {level_s, level_s * 1.01, level_s * 1.02}));
    if (correct < 0) return;
    record.effective["model"]["trained"] = true;
    for (ReplicateRecord& replicate : record.replicates) {
      replicate.series.push_back(scalar_series("correct", correct));
      replicate.series.push_back(scalar_series("evaluated", 500));
    }
  }

  Picture draw() {
    std::vector<PricedCase> priced;
    for (const CaseRecord& record : records_) {
      analyzed_.push_back({&record, analysis_of(record), record.requested.at("precision").get<std::string>()});
      if (!flops_.empty()) {
        std::vector<MetricRow>& rows = analyzed_.back().analysis.metrics;
        std::erase_if(rows, [](const MetricRow& row) { return row.name == "flops"; });
        MetricRow& row = rows.emplace_back();
        row.name = "flops";
        row.value = flops_[analyzed_.size() - 1];
      }
      priced.push_back({&analyzed_.back(), &price_});
    }
    return cost_picture({{price_}, {"Some CPU"}, {}, costs_of(priced, {})});
  }

  static std::vector<std::string> names(const Panel& panel) {
    std::vector<std::string> all = panel.figure.curves;
    all.pop_back();  // the others have none
    return all;
  }

  std::deque<CaseRecord> records_;
  std::vector<double> flops_;  // of a sample, of each case; empty: not known
  std::deque<AnalyzedCase> analyzed_;
  Price price_;
};

TEST_F(CostPicture, NamesCasesThatNoCheaperOneEquals) {
  add("fp32", 0.040, 460);
  add("bf16", 0.020, 450);
  add("int8", 0.030, 440);
  const Picture picture = draw();
  const Panel& panel = picture.panels.at(0);
  EXPECT_THAT(panel.figure.plot.x.label, HasSubstr("accuracy"));
  EXPECT_THAT(panel.figure.plot.y.label, HasSubstr("cost (USD per"));
  EXPECT_TRUE(panel.figure.plot.curves[0].points[0].low) << "the interval of its cost";
  EXPECT_THAT(picture.notes, Contains(HasSubstr("price: 0.4 USD per hour")));
  EXPECT_THAT(picture.notes, Contains(HasSubstr("Some CPU")));
  EXPECT_THAT(names(panel), ElementsAre("bf16", "fp32"));
  EXPECT_THAT(panel.figure.plot.curves.back().points, SizeIs(1)) << "int8 is dearer than bf16, and worse";
  EXPECT_LT(panel.figure.plot.curves[0].points[0].y, panel.figure.plot.curves[1].points[0].y);
}

TEST_F(CostPicture, ComputeOfSeveralModelsHasAllNames) {
  add("fp32", 0.040);
  add("bf16", 0.020);
  flops_ = {8e9, 16e9};
  const Picture picture = draw();
  ASSERT_THAT(picture.panels, SizeIs(1));
  EXPECT_THAT(picture.panels[0].figure.plot.x.label, HasSubstr("compute of a sample (GFLOP)"));
  EXPECT_THAT(names(picture.panels[0]), SizeIs(2));
}

TEST_F(CostPicture, OfOneModelIsAgainstTheTime) {
  add("fp32", 0.040);
  add("bf16", 0.020);
  const Picture picture = draw();
  ASSERT_THAT(picture.panels, SizeIs(1));
  EXPECT_THAT(picture.panels[0].figure.plot.x.label, HasSubstr("time of a batch"));
  EXPECT_THAT(names(picture.panels[0]), ElementsAre("bf16")) << "cheaper and faster";
}

TEST_F(CostPicture, OfOneCaseIsNone) {
  add("fp32", 0.040);
  EXPECT_THROW(draw(), Error);
}

}  // namespace
}  // namespace transformeter
