// The real gnuplot, and programs in its place that fail or hang.
#include "report/gnuplot.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "report/run_report.h"
#include "report/svg.h"
#include "support/html_page.h"
#include "support/result_records.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Plot line_plot() {
  Plot plot;
  plot.x = make_axis({"batch size", "", 1, 32, true, false});
  plot.y = make_axis({"latency", "s", 0.1, 0.9, false, true});
  plot.y.has_grid = true;
  plot.bands = {{1, 2}};
  plot.vertical = {2};
  plot.horizontal = {0.5};
  plot.centre = 0.4;
  PlotCurve curve;
  curve.points = {{1, 0.1, 0.09, 0.11, PlotMark::kFilled},
                  {8, 0.3, std::nullopt, std::nullopt, PlotMark::kHollow},
                  {32, 0.9, std::nullopt, std::nullopt, PlotMark::kCross}};
  plot.curves.push_back(curve);
  curve.role = PlotRole::kContext;
  curve.is_dashed = true;
  curve.points[0].mark = PlotMark::kBeyond;
  plot.curves.push_back(curve);
  return plot;
}

class Gnuplot : public ::testing::Test {
 protected:
  std::filesystem::path program(const std::string& body) const {
    const auto path = folder_.write("gnuplot", "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  TemporaryFolder folder_;
};

#define NEEDS_GNUPLOT() \
  if (!find_program("gnuplot")) GTEST_SKIP() << "no gnuplot; install the Debian package gnuplot-nox"

TEST_F(Gnuplot, DrawsEveryMarkLineAndBandInTheColoursOfTheirRoles) {
  NEEDS_GNUPLOT();
  const DrawnPlots drawn = draw_plots({line_plot(), line_plot()});
  ASSERT_EQ(drawn.problem, "");
  ASSERT_EQ(drawn.files.size(), 2U);
  const std::string svg = clean_svg(drawn.files[1], line_plot(), {"f", "t", "d", {"one", "two"}});
  for (const char* text : {"stroke-linecap=\"round\"", " 0 1,0 ", "#f-Pt1", "#f-Pt8", "class=\"s0\"", "class=\"s1\"",
                           "class=\"s8\"", "class=\"s9\"", "class=\"s10\"", "class=\"f11\"", "class=\"f12\"",
                           "class=\"s13\"", "<title>one</title>", "<title>two</title>", "batch size", "latency (ms)"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("rgb(")), Not(HasSubstr("black")), Not(HasSubstr("white"))));
  EXPECT_EQ(unpaired_tag(svg), "");
}

TEST_F(Gnuplot, MakesFilesOfEachFormatWhateverTheTexts) {
  NEEDS_GNUPLOT();
  Plot plot = line_plot();
  plot.x.label = kHostileText + "' `touch /tmp/transformeter-injected` {a}_b^c @d \\ 5 %d";
  plot.y.tics = {{0.2, plot.x.label}};
  const char* const begins[] = {"<?xml", "\x89PNG", "%PDF-"};
  for (const PlotFormat format : kPlotFormats) {
    const DrawnPlots drawn = draw_plots({plot, line_plot()}, {}, format);
    ASSERT_EQ(drawn.problem, "") << name_of(format);
    ASSERT_EQ(drawn.files.size(), 2U);
    EXPECT_THAT(drawn.files[0], ::testing::StartsWith(begins[static_cast<int>(format)]));
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/transformeter-injected"));
}

TEST_F(Gnuplot, AReportHoldsItsPlotsWhateverTheNames) {
  NEEDS_GNUPLOT();
  RunRecord run = mixed_run();
  run.name = kHostileText;
  for (std::size_t i = 0; i < 2; ++i) {
    run.cases[i].requested["model"] =
        kHostileText + (i == 0 ? "'\n!touch /tmp/transformeter-injected\n" : "`touch /tmp/transformeter-injected`\\");
  }
  const HtmlReport report = html_report(std::vector{analyze_run(run)}, {});
  EXPECT_EQ(report.plots_problem, "");
  EXPECT_GE(count_of(report.html, "<svg class=\"plot\""), 4U);
  EXPECT_THAT(report.html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("This report has no plots"))));
  EXPECT_EQ(unpaired_tag(without_style(report.html)), "");
  for (const auto& [id, count] : page_ids(report.html)) EXPECT_EQ(count, 1) << id;
  EXPECT_FALSE(std::filesystem::exists("/tmp/transformeter-injected"));
}

TEST_F(Gnuplot, AHangingOneIsEnded) {
  ToolOptions options;
  options.program = program("exec sleep 60");
  options.limit = std::chrono::milliseconds(200);
  const auto begin = std::chrono::steady_clock::now();
  const DrawnPlots drawn = draw_plots({line_plot()}, options);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_THAT(drawn.problem, HasSubstr("did not finish within 0.2 s"));
  EXPECT_TRUE(drawn.files.empty());
}

TEST_F(Gnuplot, AUserWhoStopsEndsItAndLeavesNoFile) {
  const std::filesystem::path pid_file = folder_.path() / "pid";
  const std::filesystem::path temporary = folder_.path() / "temporary";
  std::filesystem::create_directory(temporary);
  ToolOptions options;
  options.program = program("echo $$ >'" + pid_file.string() + "'; exec sleep 60");
  options.while_waiting = [&] {
    if (!read_file_or_empty(pid_file).empty()) throw Error(ErrorKind::kInterrupted, "stopped");
  };
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "/tmp";
  ::setenv("TMPDIR", temporary.c_str(), 1);
  EXPECT_THROW(draw_plots({line_plot()}, options), Error);
  ::setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
  EXPECT_NE(::kill(std::stoi(read_file(pid_file)), 0), 0) << "it still runs";
}

TEST_F(Gnuplot, AFailingOneIsQuoted) {
  ToolOptions options;
  options.program = program("echo 'line 3: no such terminal' >&2; exit 2");
  EXPECT_THAT(draw_plots({line_plot()}, options).problem,
              AllOf(HasSubstr("exit code 2"), HasSubstr("line 3: no such terminal")));
  options.program = program("kill -SEGV $$");
  EXPECT_THAT(draw_plots({line_plot()}, options).problem, HasSubstr("SIGSEGV"));
  options.program = program("exit 0");
  EXPECT_THAT(draw_plots({line_plot()}, options).problem, HasSubstr("did not finish plot 1 of 1"));
  options.program = program("echo '<svg' >figure-0.svg");
  EXPECT_THAT(draw_plots({line_plot()}, options).problem, HasSubstr("did not finish"));
}

TEST_F(Gnuplot, NoPlotsNeedNoProgram) {
  ToolOptions options;
  options.program = "/no/such/gnuplot";
  EXPECT_EQ(draw_plots({}, options).problem, "");
  EXPECT_THAT(draw_plots({line_plot()}, options).problem, HasSubstr("/no/such/gnuplot"));
}

}  // namespace
}  // namespace transformeter
