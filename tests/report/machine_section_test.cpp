// What a report says of the machine's speed during a run.
#include <gmock/gmock.h>

#include <algorithm>

#include "report/report_sections.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two cases, one ten times as slow, whose slices in round r take `course[r]` of what is usual.
class MachineSection : public testing::Test {
 protected:
  std::vector<Block> section_of(const std::vector<double>& course) {
    record_.cases = {measured_case(0, requested_of(1, 128, "fp32"), {0.01}),
                     measured_case(1, requested_of(8, 128, "fp32"), {0.1})};
    run_ = analyze_run(record_);
    for (AnalyzedCase& one : run_.cases) {
      const double usual_s = &one == &run_.cases.front() ? 0.01 : 0.1;
      one.analysis.slices.clear();
      for (std::size_t round = 0; round < course.size(); ++round) {
        one.analysis.slices.push_back({0, static_cast<std::int64_t>(round), usual_s * course[round]});
      }
    }
    return machine_section({{&run_, 1}, run_});
  }

  static std::string words(const std::vector<Block>& blocks) { return std::get<Paragraph>(blocks.at(0)).text; }

  RunRecord record_;
  AnalyzedRun run_;
};

TEST_F(MachineSection, SaysThatTheMachineKeptItsSpeed) {
  const std::vector<Block> blocks = section_of({1.0, 1.004, 0.998, 1.0, 1.002});
  EXPECT_THAT(words(blocks), HasSubstr("0.998 to 1.004 times"));
  EXPECT_THAT(words(blocks), HasSubstr("the machine kept its speed"));
}

TEST_F(MachineSection, SaysThatTheMachineMovedAndDrawsItsCourse) {
  const std::vector<Block> blocks = section_of({1.0, 1.0, 1.2, 1.2, 1.0});
  EXPECT_THAT(words(blocks), HasSubstr("1.000 to 1.200 times"));
  EXPECT_THAT(words(blocks), HasSubstr("moved together"));
  EXPECT_THAT(words(blocks), Not(HasSubstr("kept its speed")));
  const Plot& plot = std::get<Figures>(blocks.at(1)).figures.at(0).figure.plot;
  ASSERT_EQ(plot.curves.size(), 2U);
  EXPECT_EQ(plot.curves[0].points.size(), 10U) << "each slice of both cases";
  ASSERT_EQ(plot.curves[1].points.size(), 5U) << "the median of each round";
  EXPECT_DOUBLE_EQ(plot.curves[1].points[2].y, 1.2);
  EXPECT_DOUBLE_EQ(plot.curves[1].points[2].x, 3) << "rounds are counted from 1";
}

TEST_F(MachineSection, DrawsTheExtremesOfARoundWhereSlicesWouldHideEachOther) {
  section_of({1.0, 1.0, 1.0, 1.0});
  for (std::size_t i = 0; i < 600; ++i) {  // of a third round
    run_.cases.front().analysis.slices.push_back({0, 2, 0.01 + 1e-5 * static_cast<double>(i)});
    run_.cases.back().analysis.slices.push_back({0, 2, 0.1 - 1e-5 * static_cast<double>(i)});
  }
  const auto figures = std::get<Figures>(machine_section({{&run_, 1}, run_}).at(1));
  const Figure& figure = figures.figures.at(0).figure;
  EXPECT_THAT(figure.note, HasSubstr("some between"));
  EXPECT_THAT(figure.description, HasSubstr("1208 slices"));
  const std::vector<PlotPoint>& marks = figure.plot.curves[0].points;
  EXPECT_LE(marks.size(), 700U);
  const auto [least, greatest] = std::minmax_element(
      marks.begin(), marks.end(), [](const PlotPoint& left, const PlotPoint& right) { return left.y < right.y; });
  const auto [axis_least, axis_greatest] = std::pair(figure.plot.y.from, figure.plot.y.to);
  EXPECT_GT(greatest->y / least->y, 1.3);
  EXPECT_TRUE(axis_least <= least->y && greatest->y <= axis_greatest);
}

TEST_F(MachineSection, IsLeftOutWhereTooFewSlicesTell) {
  EXPECT_TRUE(section_of({1.0, 1.2}).empty());
}

TEST_F(MachineSection, DoesNotTakeTheScatterOfOneCaseForTheMachine) {
  section_of({1.0, 1.0, 1.0});
  run_.cases.front().analysis.slices.push_back({0, 3, 0.02});  // a round of its own, twice as slow
  const std::vector<Block> blocks = machine_section({{&run_, 1}, run_});
  EXPECT_THAT(words(blocks), HasSubstr("3 rounds"));
  EXPECT_THAT(words(blocks), HasSubstr("1.000 to 1.000 times"));
  const Plot& plot = std::get<Figures>(blocks.at(1)).figures.at(0).figure.plot;
  EXPECT_EQ(plot.curves[0].points.size(), 7U) << "it is drawn";

  run_.cases.pop_back();
  EXPECT_TRUE(machine_section({{&run_, 1}, run_}).empty());
}

}  // namespace
}  // namespace transformeter
