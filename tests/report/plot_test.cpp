// Axes, and the script that draws a plot.
#include "report/plot.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>

#include "report/plot_script.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> texts_of(const PlotAxis& axis) {
  std::vector<std::string> texts;
  for (const PlotTic& tic : axis.tics) texts.push_back(tic.text);
  return texts;
}

TEST(PlotAxis, TicsAreRoundInTheUnitOfTheLabel) {
  const PlotAxis axis = make_axis({"latency", "s", 0.0262, 0.0401, false, true});
  EXPECT_EQ(axis.label, "latency (ms)");
  EXPECT_EQ(texts_of(axis), (std::vector<std::string>{"0", "10", "20", "30", "40"}));
  EXPECT_DOUBLE_EQ(axis.tics[1].at, 0.01);
  EXPECT_GT(axis.to, 0.0401);
  const PlotAxis bytes = make_axis({"peak RSS", "bytes", 3e8, 6e8, false, true});
  EXPECT_EQ(bytes.label, "peak RSS (MiB)");
  EXPECT_EQ(texts_of(bytes), (std::vector<std::string>{"0", "200", "400", "600"}));
  EXPECT_DOUBLE_EQ(bytes.tics[1].at, 200.0 * 1024 * 1024);
}

TEST(PlotAxis, LogarithmicTicsAreOneTwoFive) {
  const PlotAxis axis = make_axis({"latency", "s", 0.002, 0.09, true, false});
  EXPECT_TRUE(axis.is_log);
  EXPECT_EQ(texts_of(axis), (std::vector<std::string>{"2", "5", "10", "20", "50", "100"}));
  EXPECT_FALSE(make_axis({"latency", "s", 0, 1, true, false}).is_log);
}

TEST(PlotAxis, AConstantHasRoomAround) {
  const PlotAxis axis = make_axis({"latency", "s", 0.5, 0.5, false, false});
  EXPECT_LT(axis.from, 0.5);
  EXPECT_GT(axis.to, 0.5);
  EXPECT_FALSE(make_axis({"x", "", 0, 0, false, false}).tics.empty());
}

TEST(PlotAxis, ValuesThatDifferInTheirLastBitsHaveFewTicsWithTextsOfTheirOwn) {
  for (const double low : {0.1, 1e-300, 3e15, -7.0}) {
    const double high = std::nextafter(low, std::numeric_limits<double>::infinity());
    const PlotAxis axis = make_axis({"x", "", low, high, false, false});
    EXPECT_LT(axis.from, low);
    EXPECT_GT(axis.to, high);
    EXPECT_GE(axis.tics.size(), 2U) << low;
    EXPECT_LE(axis.tics.size(), 12U) << low;
    const std::vector<std::string> texts = texts_of(axis);
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size()) << low;
  }
}

Plot simple_plot() {
  Plot plot;
  plot.x = make_axis({"batch size", "", 1, 8, false, false});
  plot.y = make_axis({"latency", "s", 0.1, 0.3, false, true});
  PlotCurve curve;
  curve.points = {{1, 0.1000000000000001, 0.09, 0.11, PlotMark::kFilled},
                  {8, 0.3, std::nullopt, std::nullopt, PlotMark::kHollow}};
  plot.curves.push_back(curve);
  return plot;
}

TEST(PlotScript, DataStandInFullPrecision) {
  const std::string script = plot_script({simple_plot()});
  EXPECT_THAT(script, HasSubstr("1 0.1000000000000001\n"));
  EXPECT_THAT(script, HasSubstr("1 0.09 0 0.02"));  // the interval: where it begins and its length
  EXPECT_THAT(script, HasSubstr("set output 'figure-0.svg'"));
  const auto elements = plot_elements(simple_plot());
  ASSERT_EQ(elements.size(), 4U);  // line, intervals, filled and hollow marks
  EXPECT_EQ(elements[3].mark, PlotMark::kHollow);
}

TEST(PlotScript, TextsStandInQuotesOfWhichTheyCannotGetOut) {
  Plot plot = simple_plot();
  plot.x.label = "a'\n`touch x`\"\\{}@;!system('x') 5 %";
  plot.y.tics[0].text = "b'; system('rm'); ' 5 %d";
  const std::string script = plot_script({plot});
  EXPECT_THAT(script, HasSubstr("set xlabel 'a'' `touch x`\"\\{}@;!system(''x'') 5 %' textcolor"));
  EXPECT_THAT(script, HasSubstr("'b''; system(''rm''); '' 5 %%d' 0"));  // a tic's text is a format
  EXPECT_THAT(script, HasSubstr("noenhanced"));
}

TEST(PlotScript, EachFormatHasItsTerminalItsFileAndItsColours) {
  const std::string svg = plot_script({simple_plot()}, PlotFormat::kSvg);
  EXPECT_THAT(svg, AllOf(HasSubstr("set terminal svg size 480,300"), HasSubstr("lc rgb '#fe0100'")));
  const std::string png = plot_script({simple_plot()}, PlotFormat::kPng);
  EXPECT_THAT(png, AllOf(HasSubstr("set terminal pngcairo size 960,600"), HasSubstr("set output 'figure-0.png'"),
                         HasSubstr("lc rgb '#0b62c4'"), Not(HasSubstr("#fe01"))));
  const std::string pdf = plot_script({simple_plot()}, PlotFormat::kPdf);
  EXPECT_THAT(pdf, AllOf(HasSubstr("set terminal pdfcairo size 5in,3.125in"), HasSubstr("set output 'figure-0.pdf'")));
}

TEST(PlotFormat, IsChosenByTheEnding) {
  EXPECT_EQ(plot_format_of("a/b.svg"), PlotFormat::kSvg);
  EXPECT_EQ(plot_format_of("b.png"), PlotFormat::kPng);
  EXPECT_EQ(plot_format_of("b.svg.pdf"), PlotFormat::kPdf);
  for (const char* other : {"", "b", "b.jpg", "b.PNG", ".svg", "/dev/stdout"}) {
    EXPECT_EQ(plot_format_of(other), std::nullopt) << other;
  }
}

TEST(PlotFormat, AFileThatWasCutOffIsNotComplete) {
  EXPECT_TRUE(is_complete(PlotFormat::kSvg, "<svg></svg>\n"));
  EXPECT_FALSE(is_complete(PlotFormat::kSvg, "<svg>"));
  EXPECT_TRUE(is_complete(PlotFormat::kPdf, "%PDF-1.5 %%EOF\n"));
  for (const PlotFormat format : kPlotFormats) EXPECT_FALSE(is_complete(format, ""));
}

TEST(PlotScript, AGapBreaksTheLineAndAnEmptyCurveIsLeftOut) {
  Plot plot = simple_plot();
  plot.curves[0].points.insert(plot.curves[0].points.begin() + 1, {NAN, NAN, std::nullopt, std::nullopt, {}});
  plot.curves.insert(plot.curves.begin(), PlotCurve{});
  EXPECT_THAT(plot_script({plot}), HasSubstr("NaN NaN\n"));
  for (const PlotElement& element : plot_elements(plot)) EXPECT_EQ(element.curve, 1U);
}

}  // namespace
}  // namespace transformeter
