// Each ready picture is drawn of runs that have what it needs, and says what others lack.
#include "plots/pictures.h"

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "plots/picture_file.h"
#include "schema/metric_names.h"
#include "support/result_records.h"
#include "support/training_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

RunRecord swept_run() {
  RunRecord run = mixed_run();
  run.cases.clear();
  for (const char* precision : {"fp32", "bf16"}) {
    for (const int batch : {1, 2, 8}) {
      const auto position = static_cast<int>(run.cases.size());
      run.cases.push_back(measured_case(position, requested_of(batch, 128, precision), {0.01 * batch}));
    }
  }
  return run;
}

class Pictures : public ::testing::Test {
 protected:
  Picture draw(const RunRecord& record, const char* name) {
    const std::vector<AnalyzedRun> runs{analyze_run(record)};
    return ready_picture(picture_type(name), plot_cases(runs, {}, NameStyle::kShort));
  }

  std::string missing(const RunRecord& record, const char* name) {
    try {
      draw(record, name);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      return error.what();
    }
    ADD_FAILURE() << name << " was drawn";
    return "";
  }
};

TEST_F(Pictures, EveryRowOfTheTableIsWhole) {
  std::set<std::string> names;
  for (const PictureType& type : picture_types()) {
    EXPECT_TRUE(names.insert(type.name).second) << type.name;
    EXPECT_NE(std::string(type.shows), "");
    EXPECT_NE(std::string(type.needs), "");
    EXPECT_THAT(type.command, ::testing::StartsWith("transformeter "));
  }
  EXPECT_THROW(picture_type("six-panels"), Error);
}

TEST_F(Pictures, SixPanelHasTheMetricsThatThereAreInOneSetOfColours) {
  const Picture picture = draw(swept_run(), "six-panel");
  EXPECT_THAT(picture.panels, SizeIs(::testing::AllOf(::testing::Ge(4U), ::testing::Le(6U))));
  EXPECT_EQ(picture.columns, picture.panels.size() == 4 ? 2U : 3U);
  EXPECT_THAT(picture.legend, SizeIs(2));
  EXPECT_EQ(picture.panels[0].figure.plot.y.label, "latency (ms)");
  for (const Panel& panel : picture.panels) EXPECT_EQ(panel.figure.plot.curves.size(), 2U);
}

TEST_F(Pictures, HeatMapShadesEachColumnByItsOwnRange) {
  const Picture picture = draw(swept_run(), "heat-map");
  const Plot& plot = picture.panels.at(0).figure.plot;
  EXPECT_EQ(plot.y.tics.size(), 6U);
  EXPECT_EQ(plot.texts.size(), plot.boxes.size());
  double least = 1;
  double greatest = 0;
  for (const PlotBox& box : plot.boxes) {
    if (box.x_from > 0) continue;  // the first column
    least = std::min(least, *box.shade);
    greatest = std::max(greatest, *box.shade);
  }
  EXPECT_EQ(least, 0);
  EXPECT_EQ(greatest, 1);
}

TEST_F(Pictures, SamplesAreDrawnOfEachCase) {
  const Picture ecdf = draw(swept_run(), "ecdf");
  EXPECT_THAT(ecdf.panels.at(0).figure.plot.curves, SizeIs(6));
  EXPECT_THAT(draw(swept_run(), "time-series").panels, SizeIs(6));
}

TEST_F(Pictures, TheFrontOfParetoIsNamed) {
  RunRecord run = mixed_run();
  run.cases.clear();
  run.cases.push_back(measured_case(0, requested_of(1, 128, "fp32"), {0.01}));  // the fastest batch
  run.cases.push_back(measured_case(1, requested_of(8, 128, "fp32"), {0.02}));  // the highest throughput
  run.cases.push_back(measured_case(2, requested_of(4, 128, "fp32"), {0.03}));  // beaten in both
  const Figure figure = draw(run, "pareto").panels.at(0).figure;
  EXPECT_THAT(figure.curves, ::testing::ElementsAre("b1", "b8", ""));
}

TEST_F(Pictures, TrainingHasLossesAndTheTimesOfAStep) {
  RunRecord run = mixed_run();
  run.cases.clear();
  for (const int batch : {4, 16}) {
    CaseRecord& one = add_training_case(
        run, training_settings(batch),
        {{"data_wait", {0.001}}, {"forward_time", {0.01}}, {"backward_time", {0.02}}, {"optimizer_time", {0.005}}});
    ReplicateRecord replicate;
    replicate.status = Status::kOk;
    replicate.series.push_back(value_series("loss", {0.9, 0.7, 0.5}));
    one.replicates = {replicate};
  }
  const Picture loss = draw(run, "loss");
  ASSERT_THAT(loss.panels.at(0).figure.plot.curves, SizeIs(2));
  EXPECT_EQ(loss.panels[0].figure.plot.curves[0].points.at(1).y, 0.7);
  const Picture times = draw(run, "time-breakdown");
  EXPECT_TRUE(times.has_areas);
  const std::vector<PlotBox>& boxes = times.panels.at(0).figure.plot.boxes;
  ASSERT_EQ(boxes.size(), 8U);
  EXPECT_EQ(boxes[1].x_from, boxes[0].x_to) << "stacked";
  EXPECT_DOUBLE_EQ(boxes[3].x_to, 0.036);
}

TEST_F(Pictures, PaddingComparesWithTheBaseline) {
  RunRecord run = mixed_run();
  run.cases.clear();
  for (const double padding : {0.0, 0.5, 0.75}) {
    for (const char* attention : {"eager", "sdpa"}) {
      Json requested = requested_of(8, 128, "fp32");
      requested["padding"] = padding;
      requested["attention"] = attention;
      const double level = attention == std::string("sdpa") ? 0.02 * (1 - padding / 2) : 0.02;
      run.cases.push_back(measured_case(static_cast<int>(run.cases.size()), requested, {level, level, level * 1.001}));
    }
  }
  const std::vector<AnalyzedRun> runs{analyze_run(run, Json{{"attention", "eager"}})};
  const Picture picture = ready_picture(picture_type("padding"), plot_cases(runs, {}, NameStyle::kShort));
  const Plot& speed_up = picture.panels.at(0).figure.plot;
  EXPECT_THAT(speed_up.horizontal, ::testing::ElementsAre(1));
  std::vector<double> ratios;
  for (const PlotCurve& curve : speed_up.curves) {
    for (const PlotPoint& point : curve.points) ratios.push_back(point.y);
  }
  EXPECT_THAT(ratios, ::testing::Contains(::testing::DoubleNear(1 / 0.75, 0.01)));  // padding 0.5
}

TEST_F(Pictures, PaddingHasARowForEachTaskAndLengthInTheSameColours) {
  RunRecord run = mixed_run();
  run.cases.clear();
  for (const int length : {128, 256}) {
    for (const double padding : {0.0, 0.5}) {
      for (const char* attention : {"eager", "sdpa", "flash"}) {
        if (length == 128 && attention == std::string("sdpa")) continue;  // a series that one panel lacks
        Json requested = requested_of(8, length, "fp32");
        requested["padding"] = padding;
        requested["attention"] = attention;
        const double level = attention == std::string("eager") ? 0.02 : 0.01;
        run.cases.push_back(
            measured_case(static_cast<int>(run.cases.size()), requested, {level, level, level * 1.001}));
      }
    }
  }
  const std::vector<AnalyzedRun> runs{analyze_run(run, Json{{"attention", "eager"}})};
  const Picture picture = ready_picture(picture_type("padding-grid"), plot_cases(runs, {}, NameStyle::kShort));
  ASSERT_EQ(picture.panels.size() % 2, 0U);
  EXPECT_EQ(picture.panels.size() / picture.columns, 2U);
  EXPECT_THAT(picture.legend, SizeIs(2));
  const auto role_of = [&](std::size_t panel, const std::string& label) {
    const Figure& figure = picture.panels[panel].figure;
    for (std::size_t i = 0; i < figure.curves.size(); ++i) {
      if (figure.curves[i] == label && !figure.plot.curves[i].points.empty()) return figure.plot.curves[i].role;
    }
    ADD_FAILURE() << label << " is not in panel " << panel;
    return PlotRole::kContext;
  };
  EXPECT_EQ(role_of(0, "flash"), role_of(picture.columns, "flash"));
  picture_script(picture, PlotFormat::kSvg, "a.svg");
}

TEST_F(Pictures, ABarThatLacksAPartSaysSo) {
  RunRecord run = mixed_run();
  run.cases.clear();
  add_training_case(run, training_settings(4), {{"forward_time", {0.01}}, {"backward_time", {0.02}}});
  EXPECT_THAT(draw(run, "time-breakdown").notes, ::testing::Contains(HasSubstr("1 case: a part was not measured")));
}

TEST_F(Pictures, DevicesStandSideBySide) {
  RunRecord run = mixed_run();
  run.cases.clear();
  for (const char* device : {"cpu", "cuda"}) {
    Json requested = requested_of(8, 128, "fp32");
    requested["device"] = device;
    run.cases.push_back(measured_case(static_cast<int>(run.cases.size()), requested, {0.01, 0.01, 0.0101}));
  }
  const Picture picture = draw(run, "devices");
  EXPECT_EQ(picture.panels.at(0).figure.plot.x.tics.size(), 2U);
  EXPECT_THAT(missing(swept_run(), "devices"), HasSubstr("two devices"));
  EXPECT_THAT(missing(swept_run(), "energy"), HasSubstr("an energy counter"));
}

TEST_F(Pictures, WhatIsMissingIsNamedWithACommand) {
  EXPECT_THAT(missing(swept_run(), "loss"), AllOf(HasSubstr("needs training cases"), HasSubstr("transformeter train")));
  EXPECT_THAT(missing(swept_run(), "padding"), AllOf(HasSubstr("two values of padding"), HasSubstr("padding-sweep")));
  EXPECT_THAT(missing(swept_run(), "roofline"), HasSubstr("transformeter peaks"));
  RunRecord one = swept_run();
  one.cases.resize(1);
  EXPECT_THAT(missing(one, "six-panel"), HasSubstr("a setting that varies"));
  EXPECT_THAT(missing(one, "precision"), HasSubstr("two precisions"));
  EXPECT_THAT(missing(one, "heat-map"), HasSubstr("two cases"));
}

TEST_F(Pictures, MetricsOfPanelsAreDeclared) {
  for (const char* name : {"six-panel", "memory", "precision", "heat-map"}) EXPECT_NO_THROW(draw(swept_run(), name));
}

}  // namespace
}  // namespace transformeter
