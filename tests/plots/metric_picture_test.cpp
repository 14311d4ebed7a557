// Which cases make which line, and what is refused rather than drawn wrong.
#include "plots/metric_picture.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

RunRecord run_of(const std::string& id, const std::vector<int>& batches, const std::vector<std::string>& precisions) {
  RunRecord run = mixed_run();
  run.id = id;
  run.name.clear();
  run.cases.clear();
  for (const std::string& precision : precisions) {
    for (const int batch : batches) {
      run.cases.push_back(measured_case(static_cast<int>(run.cases.size()), requested_of(batch, 128, precision),
                                        {0.01 * batch * (precision == "fp32" ? 2 : 1)}));
    }
  }
  return run;
}

class MetricPicture : public ::testing::Test {
 protected:
  void add(RunRecord record) { records_.push_back(std::move(record)); }

  PlotCases cases(const std::string& where = "", NameStyle names = NameStyle::kShort) {
    runs_.clear();
    for (const RunRecord& record : records_) runs_.push_back(analyze_run(record));
    return plot_cases(runs_, parse_filters("--where", where), names);
  }

  Picture picture(const MetricRequest& request, const std::string& where = "") {
    return metric_picture(cases(where), request);
  }

  std::string refusal(const MetricRequest& request, const std::string& where = "") {
    try {
      picture(request, where);
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::kBadInput || error.kind() == ErrorKind::kUnsupported);
      return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return "";
  }

  std::vector<RunRecord> records_;
  std::vector<AnalyzedRun> runs_;
};

TEST_F(MetricPicture, EachPointIsTheRowOfItsCaseWithItsInterval) {
  add(run_of("r1", {8, 1, 2}, {"fp32"}));
  const Picture drawn = picture({"batch_size", {"latency"}, std::nullopt, {}});
  const PlotCurve& curve = drawn.panels.at(0).figure.plot.curves.at(0);
  ASSERT_EQ(curve.points.size(), 3U);
  const std::vector<std::size_t> order{1, 2, 0};  // ascending in the batch size
  for (std::size_t i = 0; i < 3; ++i) {
    const CaseRecord& one = records_[0].cases[order[i]];
    const CaseAnalysis analysis = analyze_case(one);
    const MetricRow* row = find_metric(analysis.metrics, "latency", "median");
    EXPECT_EQ(curve.points[i].x, one.requested["batch_size"].get<double>());
    EXPECT_EQ(curve.points[i].y, *row->value);
    EXPECT_EQ(curve.points[i].low, row->low);
    EXPECT_EQ(curve.points[i].high, row->high);
  }
}

TEST_F(MetricPicture, SeriesAreTheCombinationsOfWhatTellsCasesApart) {
  add(run_of("r1", {1, 2}, {"fp32", "bf16"}));
  const Picture drawn = picture({"batch_size", {"latency"}, std::nullopt, {}});
  EXPECT_THAT(drawn.panels.at(0).figure.curves, ::testing::UnorderedElementsAre("fp32", "bf16"));
  EXPECT_TRUE(drawn.names_lines);
  EXPECT_THAT(drawn.legend, IsEmpty());
}

TEST_F(MetricPicture, AStatisticAndARatioAreChoices) {
  add(run_of("r1", {1, 2}, {"fp32"}));
  const Picture drawn = picture({"", {"latency:max", "time_per_example"}, std::nullopt, {}});
  ASSERT_THAT(drawn.panels, SizeIs(2));
  const CaseAnalysis analysis = analyze_case(records_[0].cases[1]);
  EXPECT_EQ(drawn.panels[0].figure.plot.curves.at(0).points.at(1).y,
            *find_metric(analysis.metrics, "latency", "max")->value);
  EXPECT_DOUBLE_EQ(drawn.panels[1].figure.plot.curves.at(0).points.at(1).y,
                   1 / *find_metric(analysis.metrics, "throughput_samples", "")->value);
}

TEST_F(MetricPicture, ValuesAtOnePlaceAreNeverAveraged) {
  add(run_of("r1", {1, 2}, {"fp32", "bf16"}));
  EXPECT_THAT(refusal({"batch_size", {"latency"}, std::vector<std::string>{"model"}, {}}),
              AllOf(HasSubstr("several cases at batch_size 1"), HasSubstr("c01 and c03 differ in precision"),
                    HasSubstr("--by model,precision"), HasSubstr("--where")));
  const Picture one = picture({"batch_size", {"latency"}, std::vector<std::string>{"model"}, {}}, "precision=bf16");
  EXPECT_THAT(one.panels.at(0).figure.plot.curves, SizeIs(1));
}

TEST_F(MetricPicture, SeveralRunsAreToldApartAndTheRunIsASetting) {
  add(run_of("r1", {1, 2}, {"fp32"}));
  add(run_of("r2", {1, 2}, {"fp32"}));
  const Picture by_run = picture({"batch_size", {"latency"}, std::nullopt, {}});
  EXPECT_THAT(by_run.panels.at(0).figure.curves, ::testing::UnorderedElementsAre("r1", "r2"));
  const Picture along = picture({"run", {"latency"}, std::nullopt, {}});
  const PlotAxis& x = along.panels.at(0).figure.plot.x;
  ASSERT_THAT(x.tics, SizeIs(2));
  EXPECT_EQ(x.tics[1].text, "r2");
  EXPECT_FALSE(along.panels[0].figure.plot.curves.at(0).has_line) << "between two words lies no value";
}

TEST_F(MetricPicture, InvalidCasesAreLeftOutAndCountedDoubtfulOnesAreHollow) {
  RunRecord run = run_of("r1", {1, 2, 4}, {"fp32"});
  run.cases[2].replicates[0].series.push_back(scalar_series("non_finite_outputs", 3));
  add(run);
  const Picture drawn = picture({"batch_size", {"latency"}, std::nullopt, {}});
  const PlotCurve& curve = drawn.panels.at(0).figure.plot.curves.at(0);
  ASSERT_THAT(curve.points, SizeIs(2));
  EXPECT_EQ(curve.points[0].mark, PlotMark::kHollow);
  EXPECT_THAT(drawn.notes, Contains("Left out: 1 invalid case."));
  EXPECT_THAT(drawn.notes, Contains(HasSubstr("Hollow marks: doubtful.")));
}

TEST_F(MetricPicture, AnUnknownMetricOrStatisticNamesTheNearest) {
  add(run_of("r1", {1, 2}, {"fp32"}));
  EXPECT_THAT(
      refusal({"", {"throughput_sample"}, std::nullopt, {}}),
      AllOf(HasSubstr("'throughput_sample'"), HasSubstr("speed_up"), HasSubstr("Did you mean 'throughput_samples'")));
  EXPECT_THAT(refusal({"", {"latency:p42"}, std::nullopt, {}}), AllOf(HasSubstr("'p42'"), HasSubstr("median")));
}

TEST_F(MetricPicture, AMetricThatIsMissingEverywhereSaysWhy) {
  add(run_of("r1", {1, 2}, {"fp32"}));
  EXPECT_THAT(refusal({"", {"mfu"}, std::nullopt, {}}),
              AllOf(HasSubstr("no case has a value of 'mfu'"), HasSubstr("(2 cases)")));
  EXPECT_THAT(refusal({"", {"speed_up"}, std::nullopt, {}}), HasSubstr("--baseline attention=eager"));
}

TEST_F(MetricPicture, ASettingThatIsUnknownOrDoesNotVaryIsRefused) {
  add(run_of("r1", {1, 2}, {"fp32", "bf16"}));
  EXPECT_THAT(refusal({"batch_sise", {"latency"}, std::nullopt, {}}), HasSubstr("Did you mean 'batch_size'"));
  EXPECT_THAT(refusal({"batch_size", {"latency"}, std::vector<std::string>{"precison"}, {}}),
              HasSubstr("Did you mean 'precision'"));
  EXPECT_THAT(
      refusal({"attention", {"latency"}, std::nullopt, {}}),
      AllOf(HasSubstr("all cases have the value sdpa"), HasSubstr("settings that vary: batch_size, precision")));
}

TEST_F(MetricPicture, FiltersChooseCasesAndNameTheValuesThatThereAre) {
  add(run_of("r1", {1, 2}, {"fp32", "bf16"}));
  EXPECT_THAT(cases("precision=bf16,batch_size=2").cases, SizeIs(1));
  EXPECT_THAT(cases("precision=bf16").axes, ElementsAre("batch_size"));
  EXPECT_THAT(refusal({"", {"latency"}, std::nullopt, {}}, "precision=bf61"),
              AllOf(HasSubstr("allowed: fp32, bf16"), HasSubstr("Did you mean 'bf16'")));
  EXPECT_THROW(parse_filters("--where", "precision"), Error);
}

TEST_F(MetricPicture, LogarithmicAxesNeedNumbersAboveZero) {
  RunRecord run = run_of("r1", {1, 2}, {"fp32", "bf16"});
  for (CaseRecord& one : run.cases) one.requested["padding"] = one.requested["batch_size"] == 1 ? 0.0 : 0.5;
  add(run);
  const std::vector<std::string> by{"precision"};
  EXPECT_THAT(refusal({"padding", {"latency"}, by, {true, false}}), HasSubstr("padding has the value 0"));
  EXPECT_THAT(refusal({"precision", {"latency"}, std::vector<std::string>{"batch_size"}, {true, true}}),
              HasSubstr("'bf16' of precision is no number"));
  const Picture log = picture({"batch_size", {"latency"}, by, {true, true}});
  EXPECT_TRUE(log.panels[0].figure.plot.x.is_log && log.panels[0].figure.plot.y.is_log);
  const Picture linear = picture({"batch_size", {"latency"}, by, {false, false}});
  EXPECT_FALSE(linear.panels[0].figure.plot.x.is_log || linear.panels[0].figure.plot.y.is_log);
}

TEST_F(MetricPicture, ModelsOfOneShortNameAreShownInFull) {
  RunRecord run = run_of("r1", {1}, {"fp32", "bf16"});
  run.cases[0].requested["model"] = "a/bert";
  run.cases[1].requested["model"] = "b/bert";
  add(run);
  const Picture drawn = picture({"model", {"latency"}, std::vector<std::string>{}, {}});
  EXPECT_EQ(drawn.panels.at(0).figure.plot.x.tics.at(0).text, "a/bert");
}

TEST_F(MetricPicture, OfFiftySeriesSixteenHaveNamesAndTheOthersAreCounted) {
  RunRecord run = run_of("r1", {1, 2}, {"fp32"});
  const std::vector<CaseRecord> two = run.cases;
  run.cases.clear();
  for (int model = 0; model < 50; ++model) {
    for (CaseRecord one : two) {
      one.requested["model"] = "model-" + std::to_string(model);
      run.cases.push_back(one);
    }
  }
  add(run);
  const Picture drawn = picture({"batch_size", {"latency"}, std::nullopt, {}});
  std::size_t named = 0;
  for (const PlotCurve& curve : drawn.panels[0].figure.plot.curves) named += curve.role == PlotRole::kContext ? 0 : 1;
  EXPECT_EQ(named, kNamedSeries);
  EXPECT_THAT(drawn.notes, Contains(HasSubstr("34 of 50 series are grey")));
}

}  // namespace
}  // namespace transformeter
