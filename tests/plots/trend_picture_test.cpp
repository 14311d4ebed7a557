// A metric over runs, drawn with its levels.
#include "plots/trend_picture.h"

#include <gmock/gmock.h>

#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class TrendPicture : public testing::Test {
 protected:
  // A run of one case of each precision in so many seconds.
  void add(const std::string& name, std::vector<std::pair<std::string, double>> levels_s) {
    std::vector<CaseRecord> cases;
    for (const auto& [precision, level_s] : levels_s) {
      cases.push_back(measured_case(static_cast<int>(cases.size()), requested_of(8, 128, precision),
                                    {level_s, level_s * 1.001, level_s * 0.999}));
    }
    RunRecord& run = runs_.emplace_back(run_of(name, std::move(cases)));
    run.started_at = "2026-11-" + std::to_string(10 + runs_.size()) + "T10:00:00Z";
  }

  Picture draw() const {
    TrendReport report;
    report.options.metric = parse_metric_name("latency");
    std::vector<const RunRecord*> runs;
    for (const RunRecord& run : runs_) runs.push_back(&run);
    report.series = metric_trends(runs, report.options);
    report.run_count = runs.size();
    return trend_picture(report);
  }

  std::deque<RunRecord> runs_;
};

TEST_F(TrendPicture, DrawsRunsAndTheLevelsOnBothSidesOfAChange) {
  for (int i = 0; i < 20; ++i) {
    const double noise = 1 + 0.001 * (i * 7 % 5 - 2);
    add("nightly", {{"fp32", (i < 12 ? 0.10 : 0.11) * noise}, {"bf16", 0.05 * noise}});
  }
  const Picture picture = draw();
  ASSERT_THAT(picture.panels, SizeIs(2));
  const Figure& changed = picture.panels.front().figure;
  EXPECT_THAT(changed.title, HasSubstr("fp32: +10.")) << "those that changed come first";
  EXPECT_THAT(changed.plot.vertical, ElementsAre(11.5));
  ASSERT_THAT(changed.plot.curves, SizeIs(2));
  const std::vector<PlotPoint>& levels = changed.plot.curves.front().points;
  ASSERT_THAT(levels, SizeIs(5));
  EXPECT_NEAR(levels[0].y, 0.10, 0.001);
  EXPECT_EQ(levels[1].x, 11.5);
  EXPECT_TRUE(std::isnan(levels[2].x)) << "no line between the levels";
  EXPECT_NEAR(levels[4].y, 0.11, 0.001);
  EXPECT_THAT(changed.plot.curves.back().points, SizeIs(20));
  EXPECT_TRUE(changed.plot.curves.back().points.front().low) << "the interval of a run";
  EXPECT_GT(changed.plot.y.from, 0.08) << "a change of a few percent is to be seen";
  EXPECT_EQ(changed.plot.x.tics.front().text, "11-11 10:00") << "all runs have one name";
  EXPECT_LE(changed.plot.x.tics.size(), 12U);
  EXPECT_THAT(picture.panels.back().figure.title, HasSubstr("bf16: no change"));
  EXPECT_THAT(picture.panels.back().figure.plot.curves.front().points, SizeIs(0));
}

TEST_F(TrendPicture, NamesRunsWhoseNamesTellThemApart) {
  add("monday", {{"fp32", 0.10}});
  add("tuesday", {{"fp32", 0.11}});
  const Picture picture = draw();
  const std::vector<PlotTic>& tics = picture.panels.at(0).figure.plot.x.tics;
  ASSERT_THAT(tics, SizeIs(2));
  EXPECT_EQ(tics[0].text, "monday");
  EXPECT_EQ(tics[1].text, "tuesday");
  EXPECT_THAT(picture.title, HasSubstr("too few runs"));
}

TEST_F(TrendPicture, HasNoMoreThanTwelvePanelsAndSaysSo) {
  std::vector<CaseRecord> cases;
  for (int batch = 1; batch <= 13; ++batch) {
    cases.push_back(measured_case(batch - 1, requested_of(batch, 128, "fp32"), {0.1, 0.1, 0.1}));
  }
  runs_.push_back(run_of("a", cases));
  runs_.push_back(run_of("b", cases));
  const Picture picture = draw();
  EXPECT_THAT(picture.panels, SizeIs(12));
  EXPECT_THAT(picture.notes, Contains(HasSubstr("first 12 of 13")));
  runs_.pop_back();
  EXPECT_THROW(draw(), Error) << "of one run there is no trend";
}

}  // namespace
}  // namespace transformeter
