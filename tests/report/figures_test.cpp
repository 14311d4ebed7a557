// What is drawn of a run: each point is a stored figure, and crowds stay readable.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/slices.h"
#include "report/sample_figures.h"
#include "report/sweep_figures.h"
#include "support/result_records.h"
#include "support/training_records.h"

namespace transformeter {
namespace {

using ::testing::HasSubstr;

const Figure* find_figure(const std::vector<Figure>& figures, const std::string& id) {
  for (const Figure& figure : figures) {
    if (figure.id == id) return &figure;
  }
  return nullptr;
}

const AnalyzedCase& first_ok(const AnalyzedRun& run) {
  return *std::find_if(run.cases.begin(), run.cases.end(), [](const AnalyzedCase& one) { return one.is_ok(); });
}

RunRecord swept_run() {
  RunRecord run = mixed_run();
  run.cases.clear();
  int position = 0;
  for (const char* precision : {"fp32", "bf16"}) {
    for (const int batch : {1, 2, 8}) {
      run.cases.push_back(measured_case(position++, requested_of(batch, 128, precision), {0.01 * batch}));
    }
  }
  return run;
}

// Natural lengths: three batches a cycle, five cycles.
CaseRecord cycle_case(int position, int batch) {
  CaseRecord one = measured_case(position, requested_of(batch, "natural", "fp32"), {0.01});
  one.effective["cycle_batches"] = 3;
  Series& latency = one.replicates[0].series[0];
  latency = Series{"latency", "s", 0, {}, {}, {}, {}, {}, {}, {}};
  for (int i = 0; i < 15; ++i) {
    latency.value.push_back(0.01 * (1 + i % 3) * (1 + 0.001 * (i % 5)));
    latency.index.push_back(i % 3);
    latency.examples.push_back(batch);
    latency.useful_tokens.push_back(10 * batch);
    latency.processed_tokens.push_back(12 * batch);
    latency.flags.push_back(0);
  }
  return one;
}

TEST(SweepFigures, EachPointIsTheRowOfItsCase) {
  const RunRecord record = swept_run();
  const AnalyzedRun run = analyze_run(record);
  EXPECT_EQ(sweep_axis(run), "batch_size");
  const std::vector<Figure> figures = sweep_figures(run);
  for (const char* id : {"latency", "throughput-samples", "throughput-useful-tokens", "peak-rss", "peak-allocated"}) {
    EXPECT_NE(find_figure(figures, id), nullptr) << id;
  }
  const Figure& latency = *find_figure(figures, "latency");
  ASSERT_EQ(latency.plot.curves.size(), 2U);
  EXPECT_EQ(latency.legend.size(), 2U);
  EXPECT_EQ(latency.legend[0].label, "fp32");
  for (std::size_t curve = 0; curve < 2; ++curve) {
    ASSERT_EQ(latency.plot.curves[curve].points.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const PlotPoint& point = latency.plot.curves[curve].points[i];
      const CaseAnalysis analysis = analyze_case(record.cases[curve * 3 + i]);
      const MetricRow* row = find_metric(analysis.metrics, "latency", "median");
      EXPECT_EQ(point.x, record.cases[curve * 3 + i].requested["batch_size"].get<double>());
      EXPECT_EQ(point.y, *row->value);
      EXPECT_EQ(point.low, row->low);
      EXPECT_EQ(point.high, row->high);
    }
  }
}

TEST(SweepFigures, CycleTimeAndLatencyShareNoFigure) {
  RunRecord record = swept_run();
  record.cases.push_back(cycle_case(6, 1));
  record.cases.push_back(cycle_case(7, 2));
  const std::vector<Figure> figures = sweep_figures(analyze_run(record));
  ASSERT_NE(find_figure(figures, "cycle-time"), nullptr);
  EXPECT_EQ(find_figure(figures, "cycle-time")->plot.curves.size(), 1U);
  EXPECT_EQ(find_figure(figures, "latency")->plot.curves.size(), 2U);
  EXPECT_EQ(find_figure(figures, "throughput-samples")->plot.curves.size(), 3U);
}

// The engine fast takes as many streams as threads: they follow the axis, and the cases share a line.
TEST(SweepFigures, CasesWhoseStreamsFollowTheThreadsShareALine) {
  RunRecord record = mixed_run();
  record.cases.clear();
  for (const int threads : {1, 2, 4}) {
    Json requested = requested_of(8, 128, "fp32");
    requested["engine"] = "fast";
    requested["threads"] = threads;
    requested["streams"] = threads;
    record.cases.push_back(measured_case(static_cast<int>(record.cases.size()), requested, {0.01 / threads}));
  }
  const AnalyzedRun run = analyze_run(record);
  EXPECT_EQ(sweep_axis(run), "threads");
  EXPECT_EQ(run.cases[0].label, "threads=1");
  const std::vector<Figure> figures = sweep_figures(run);
  const Figure& figure = *find_figure(figures, "latency");
  ASSERT_EQ(figure.plot.curves.size(), 1U);
  EXPECT_EQ(figure.plot.curves[0].points.size(), 3U);
}

TEST(SweepFigures, ACaseWithoutAValueBreaksItsLine) {
  RunRecord record = swept_run();
  record.cases[1].status = Status::kOutOfMemory;
  record.cases[1].replicates.clear();
  const auto figures = sweep_figures(analyze_run(record));
  const auto& points = find_figure(figures, "latency")->plot.curves[0].points;
  ASSERT_EQ(points.size(), 3U);
  EXPECT_TRUE(std::isnan(points[1].x));
}

TEST(SweepFigures, OfFiftyModelsEightHaveColoursAndTheRestAreGrey) {
  RunRecord record = mixed_run();
  record.cases.clear();
  for (int model = 0; model < 50; ++model) {
    for (const int batch : {1, 8}) {
      Json requested = requested_of(batch, 128, "fp32");
      requested["model"] = "model-" + std::to_string(model);
      // Later models are faster.
      record.cases.push_back(measured_case(2 * model + (batch == 8), requested, {0.01 * batch * (60 - model)}));
    }
  }
  const std::vector<Figure> figures = sweep_figures(analyze_run(record));
  const Figure& figure = *find_figure(figures, "latency");
  EXPECT_EQ(figure.plot.curves.size(), 50U);
  ASSERT_EQ(figure.legend.size(), kSeriesRoles + 1);
  EXPECT_EQ(figure.legend.back().label, "42 others");
  EXPECT_THAT(figure.note, HasSubstr("grey: 42 others"));
  for (std::size_t i = 0; i < kSeriesRoles; ++i) {
    EXPECT_GE(std::stoi(figure.legend[i].label.substr(6)), 42) << figure.legend[i].label;
  }
}

TEST(SweepFigures, AFewLinesAmongManyCombinationsHaveColours) {
  RunRecord record = mixed_run();
  record.cases.clear();
  for (int length = 0; length < 10; ++length) {
    for (const int batch : {1, 8}) {
      record.cases.push_back(
          measured_case(2 * length + (batch == 8), requested_of(batch, 16 + length, "fp32"), {0.001}));
    }
  }
  record.cases.push_back(cycle_case(20, 1));
  record.cases.push_back(cycle_case(21, 8));
  const std::vector<Figure> figures = sweep_figures(analyze_run(record));
  const Figure& cycle = *find_figure(figures, "cycle-time");
  ASSERT_EQ(cycle.legend.size(), 1U);
  EXPECT_EQ(cycle.legend[0].label, "natural");
  EXPECT_EQ(cycle.plot.curves[0].role, PlotRole::kSeries1);
  EXPECT_EQ(find_figure(figures, "latency")->legend.back().label, "2 others");
}

TEST(SweepFigures, WithoutASweptSettingCasesStandInRows) {
  const RunRecord record = mixed_run();
  RunRecord two = record;
  two.cases.resize(2);
  const std::vector<Figure> figures = sweep_figures(analyze_run(two));
  const Figure& figure = *find_figure(figures, "latency");
  ASSERT_EQ(figure.plot.y.tics.size(), 2U);
  EXPECT_EQ(figure.plot.y.tics[0].text, "fp32");
  EXPECT_EQ(figure.plot.y.tics[1].text, "bf16");
  EXPECT_EQ(figure.plot.curves[0].points.size(), 2U);
  EXPECT_FALSE(figure.plot.curves[0].has_line);
}

// The first case's mean is 2 ms; its t interval over three replicates would reach -3.4 ms, 2 ∓ 4.303 · 2.18 ÷ √3,
// and is cut at 0.
RunRecord run_with_an_interval_from_zero() {
  RunRecord record = mixed_run();
  record.cases = {measured_case(0, requested_of(1, 128, "fp32"), {0.0005, 0.001, 0.0045}),
                  measured_case(1, requested_of(8, 128, "fp32"), {0.099, 0.1, 0.101})};
  return record;
}

TEST(SweepFigures, ABarThatReachesZeroOnALogarithmicAxisIsDrawnFromTheAxisOn) {
  RunRecord swept = run_with_an_interval_from_zero();
  RunRecord rows = swept;
  rows.cases[1].requested = requested_of(1, 128, "bf16");
  for (const RunRecord& record : {swept, rows}) {
    const AnalyzedRun run = analyze_run(record);
    ASSERT_EQ(headline_time(run.cases[0])->low, 0);
    const std::vector<Figure> figures = sweep_figures(run);
    const Figure& figure = *find_figure(figures, "latency");
    const PlotCurve& curve = figure.plot.curves[0];
    const PlotAxis& axis = curve.intervals_in_x ? figure.plot.x : figure.plot.y;
    ASSERT_TRUE(axis.is_log);
    EXPECT_EQ(curve.points[0].low, axis.from);
    EXPECT_EQ(curve.points[1].low, headline_time(run.cases[1])->low);
    EXPECT_THAT(figure.note, HasSubstr("Bars that start at the axis continue beyond it."));
  }
}

TEST(SweepFigures, AnIntervalWithoutAnEndNeitherDrawsNorStretchesTheAxis) {
  const RunRecord record = run_with_an_interval_from_zero();
  AnalyzedRun run = analyze_run(record);
  for (MetricRow& row : run.cases[1].analysis.metrics) {
    if (row.name == "latency" && row.statistic == "median") row.high = std::numeric_limits<double>::infinity();
  }
  const std::vector<Figure> figures = sweep_figures(run);
  const Plot& plot = find_figure(figures, "latency")->plot;
  EXPECT_FALSE(plot.curves[0].points[1].high.has_value());
  EXPECT_LT(plot.y.to, 0.2) << "the largest value is 0.1";
}

TEST(SweepFigures, OneCaseHasNothingToCompare) {
  RunRecord record = mixed_run();
  record.cases.resize(1);
  EXPECT_TRUE(sweep_figures(analyze_run(record)).empty());
  record.cases.clear();
  EXPECT_TRUE(sweep_figures(analyze_run(record)).empty());
}

TEST(SweepFigures, TrainingsAreOfStepsAndTheirPhases) {
  RunRecord record = training_run();
  for (const double batch : {8, 16}) {
    KnownFigures figures = step_figures(0.1 * batch, batch);
    figures["backward_time"] = {0.06 * batch};
    add_training_case(record, training_settings(batch), figures);
  }
  const std::vector<Figure> figures = sweep_figures(analyze_run(record));
  const Figure* latency = find_figure(figures, "latency");
  ASSERT_NE(latency, nullptr);
  EXPECT_EQ(latency->title, "Median step time by batch size");
  const Figure* backward = find_figure(figures, "backward-time");
  ASSERT_NE(backward, nullptr);
  EXPECT_DOUBLE_EQ(backward->plot.curves.at(0).points.at(1).y, 0.96);
  EXPECT_EQ(find_figure(figures, "forward-time"), nullptr) << "without values there is no figure";
}

CaseRecord training_with_losses(const std::vector<std::vector<double>>& losses) {
  CaseRecord one = measured_case(0, requested_of(8, 128, "fp32"), std::vector<double>(losses.size(), 0.1));
  for (std::size_t i = 0; i < losses.size(); ++i) {
    one.replicates[i].series.push_back(value_series("loss", losses[i]));
  }
  return one;
}

TEST(SampleFigures, TheLossOfEachReplicateIsALine) {
  RunRecord record = mixed_run();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  record.cases = {training_with_losses({{0.9, 0.7, 0.5}, {0.8, kNaN, 0.4, 0.3}})};
  const AnalyzedRun run = analyze_run(record);
  const std::vector<Figure> figures = sample_figures(run.cases.at(0));
  const Figure* loss = find_figure(figures, "loss");
  ASSERT_NE(loss, nullptr);
  ASSERT_EQ(loss->plot.curves.size(), 2U);
  EXPECT_EQ(loss->legend.size(), 2U);
  const std::vector<PlotPoint>& first = loss->plot.curves[0].points;
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[0].x, 1);
  EXPECT_DOUBLE_EQ(first[2].y, 0.5);
  EXPECT_TRUE(std::isnan(loss->plot.curves[1].points.at(1).x)) << "a loss that is no number breaks the line";
  EXPECT_LE(loss->plot.y.from, 0.3);
  EXPECT_GE(loss->plot.y.to, 0.9);
}

// 2400 steps as 1200 means of two.
TEST(SampleFigures, ManyLossesAreDrawnAsMeans) {
  std::vector<double> losses;
  for (int i = 0; i < 2400; ++i) losses.push_back(i % 2 == 0 ? 1 : 3);
  RunRecord record = mixed_run();
  record.cases = {training_with_losses({losses})};
  const AnalyzedRun run = analyze_run(record);
  const std::vector<Figure> figures = sample_figures(run.cases.at(0));
  const Figure* loss = find_figure(figures, "loss");
  ASSERT_NE(loss, nullptr);
  const std::vector<PlotPoint>& points = loss->plot.curves.at(0).points;
  ASSERT_EQ(points.size(), kMaxMarks);
  EXPECT_EQ(points[0].x, 1.5);
  EXPECT_EQ(points[0].y, 2);
  EXPECT_TRUE(loss->legend.empty()) << "one line needs no name";
  EXPECT_THAT(loss->note, HasSubstr("Each point is the mean of 2 steps."));
}

TEST(SampleFigures, WarmUpIsShadedUpToTheSteadyWindow) {
  const RunRecord record = mixed_run();
  const AnalyzedRun run = analyze_run(record);
  const AnalyzedCase& one = first_ok(run);
  ASSERT_TRUE(one.analysis.steady_from[0].has_value());
  const std::vector<Figure> figures = sample_figures(one);
  ASSERT_EQ(figures.size(), 2U);
  const Plot& plot = figures[0].plot;
  ASSERT_EQ(plot.bands.size(), 1U);
  EXPECT_EQ(plot.bands[0].from, 0.5);
  EXPECT_EQ(plot.bands[0].to, static_cast<double>(*one.analysis.steady_from[0]) + 0.5);
  EXPECT_THAT(figures[0].note, HasSubstr("Shaded: warm-up, 1 sample not counted."));
  const auto& latency = one.record->replicates[0].series[0].value;
  std::size_t drawn = 0;
  for (const PlotCurve& curve : plot.curves) {
    for (const PlotPoint& point : curve.points) {
      if (point.mark == PlotMark::kBeyond) continue;
      EXPECT_EQ(point.y, latency[static_cast<std::size_t>(point.x) - 1]);
      ++drawn;
    }
  }
  EXPECT_GE(drawn + 1, latency.size());
}

TEST(SampleFigures, TheLongestSampleSaysWhenItIsWarmUp) {
  RunRecord record = mixed_run();
  const auto note_with = [&](std::size_t place) {
    RunRecord slow = record;
    for (CaseRecord& one : slow.cases) {
      for (ReplicateRecord& replicate : one.replicates) {
        if (!replicate.series.empty()) replicate.series[0].value.at(place) = 9;
      }
    }
    const AnalyzedRun run = analyze_run(slow);
    const Figure figure = sample_figures(first_ok(run)).at(0);
    EXPECT_TRUE(figure.plot.centre.has_value());
    return figure.note;
  };
  EXPECT_THAT(note_with(0), HasSubstr("the longest took 9.00 s (warm-up)."));
}

TEST(SampleFigures, TheEndOfACycleCutOffIsNotCounted) {
  RunRecord record = mixed_run();
  record.cases = {cycle_case(0, 1)};
  Series& latency = record.cases[0].replicates[0].series[0];
  latency.value.push_back(0.01);  // the first batch of a sixth cycle
  latency.index.push_back(0);
  latency.examples.push_back(1);
  latency.useful_tokens.push_back(10);
  latency.processed_tokens.push_back(12);
  latency.flags.push_back(0);
  const AnalyzedRun run = analyze_run(record);
  const std::vector<Figure> figures = sample_figures(run.cases[0]);
  ASSERT_EQ(figures.size(), 2U);
  ASSERT_EQ(figures[0].plot.curves.size(), 2U);
  ASSERT_EQ(figures[0].plot.curves[0].points.size(), 1U);  // not counted
  EXPECT_EQ(figures[0].plot.curves[0].points[0].x, 16);
  EXPECT_EQ(figures[0].plot.curves[1].points.size(), 15U);
  EXPECT_THAT(figures[0].note, HasSubstr("incomplete cycle, 1 sample not counted"));
  EXPECT_EQ(figures[1].title, "Distribution over inputs");
}

// Each of two samples, the first of them warm-up.
Plot plot_of_slices(std::size_t count) {
  RunRecord record = mixed_run();
  CaseRecord& one = *std::find_if(record.cases.begin(), record.cases.end(),
                                  [](const CaseRecord& each) { return each.status == Status::kOk; });
  one.summary.reset();
  Series latency = value_series("latency", {});
  Series first = value_series("slice_first_sample", {});
  for (std::size_t slice = 0; slice < count; ++slice) {
    first.value.push_back(static_cast<double>(latency.value.size()));
    for (const std::uint32_t flag : {std::uint32_t{kSampleWarmup}, std::uint32_t{0}}) {
      latency.value.push_back(0.1);
      latency.flags.push_back(flag);
    }
  }
  one.replicates.resize(1);
  one.replicates[0].series = {latency, first};
  const AnalyzedRun run = analyze_run(record);
  return sample_figures(first_ok(run)).at(0).plot;
}

TEST(SampleFigures, LinesBetweenSlicesGiveWayWhereTheyWouldHideTheSamples) {
  EXPECT_EQ(plot_of_slices(12).bands.size(), 12U);
  EXPECT_FALSE(plot_of_slices(12).vertical.empty());
  EXPECT_TRUE(plot_of_slices(13).bands.empty());
  EXPECT_TRUE(plot_of_slices(13).vertical.empty());
}

TEST(SampleFigures, TheDistributionHoldsTheSamplesThatCount) {
  const RunRecord record = mixed_run();
  const AnalyzedRun run = analyze_run(record);
  const Plot plot = sample_figures(first_ok(run))[1].plot;
  std::vector<double> sorted = slices_of(*first_ok(run).record).windows[0].samples;
  std::sort(sorted.begin(), sorted.end());
  const auto& steps = plot.curves[0].points;
  ASSERT_EQ(steps.size(), 2 * sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_EQ(steps[2 * i].x, sorted[i]);
    EXPECT_DOUBLE_EQ(steps[2 * i + 1].y, static_cast<double>(i + 1) / static_cast<double>(sorted.size()));
  }
}

TEST(SampleFigures, ManySamplesAreThinnedToTheirExtremes) {
  RunRecord record = mixed_run();
  record.cases[0].replicates = {steady_replicate(0, 0.2, 8, 50'000)};
  record.cases[0].replicates[0].series[0].value[30'000] = 0.21;  // the longest of all
  record.cases.resize(1);
  const AnalyzedRun run = analyze_run(record);
  const std::vector<Figure> figures = sample_figures(run.cases[0]);
  std::size_t marks = 0;
  bool has_longest = false;
  for (const PlotCurve& curve : figures[0].plot.curves) {
    marks += curve.points.size();
    for (const PlotPoint& point : curve.points) has_longest = has_longest || point.y == 0.21;
  }
  EXPECT_LE(marks, kMaxMarks + 10);
  EXPECT_TRUE(has_longest);
  EXPECT_LE(figures[1].plot.curves[0].points.size(), kMaxMarks + 10);
  EXPECT_THAT(figures[0].note, HasSubstr("minimum and maximum of every"));
}

TEST(SampleFigures, CasesInDoubtAreShownFirst) {
  RunRecord record = swept_run();
  std::vector<double>& values = record.cases[4].replicates[0].series[0].value;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= 1 + 0.02 * static_cast<double>(i);  // drifts
  for (CaseRecord& one : record.cases) {
    if (one.id == "c05") continue;
    one.replicates.resize(3, one.replicates.front());
    for (int index = 0; index < 3; ++index) one.replicates[static_cast<std::size_t>(index)].index = index;
  }
  const AnalyzedRun run = analyze_run(record);
  const auto shown = cases_with_figures(run, 1);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0]->record->id, "c05");
  EXPECT_EQ(cases_with_figures(run, 100).size(), 6U);
  EXPECT_THAT(sample_figures(*shown[0])[0].note, HasSubstr("No steady state was found."));
}

TEST(SampleFigures, NoSamplesNoFigures) {
  CaseRecord one = measured_case(0, requested_of(1, 128, "fp32"), {0.1});
  for (const double value : {std::nan(""), 1.0}) {
    Series& latency = one.replicates[0].series[0];
    latency = Series{"latency", "s", 0, {value}, {}, {}, {}, {}, {}, {}};
    if (std::isfinite(value)) latency.value.clear();
    RunRecord run;
    run.cases = {one};
    const AnalyzedRun analyzed = analyze_run(run);
    EXPECT_TRUE(sample_figures(analyzed.cases[0]).empty());
    EXPECT_TRUE(cases_with_figures(analyzed, 5).empty());
  }
}

}  // namespace
}  // namespace transformeter
