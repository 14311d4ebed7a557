// `report` through the real command: forms, runs, a missing gnuplot, a full disk.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/subprocess.h"
#include "base/text.h"
#include "cli/shell.h"
#include "metrics/case_metrics.h"
#include "report/metric_text.h"
#include "support/html_page.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Report : public CommandTest {
 protected:
  std::string file(const std::string& name) const { return read_file_or_empty(folder_.path() / name); }
};

TEST_F(Report, HtmlHoldsTheFiguresOfTheStore) {
  ASSERT_EQ(shell(kRunTwo + "--name mine").exit_code, 0);
  const ShellResult result = shell("$T report --store r.db -o out.html");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("out.html"));
  const std::string html = file("out.html");
  const RunRecord run = load();
  const std::vector<PageFigure> figures = page_figures(html);
  EXPECT_GT(figures.size(), 50U);
  for (const char* statistic : {"median", "mean", "min", "p90"}) {
    const bool shown = std::any_of(figures.begin(), figures.end(), [&](const PageFigure& figure) {
      return figure.metric == "latency" && figure.statistic == statistic;
    });
    EXPECT_EQ(shown, find_metric(analyze_case(run.cases[0]).metrics, "latency", statistic)->value.has_value())
        << statistic;
  }
  for (const PageFigure& figure : figures) {
    EXPECT_EQ(figure.run, run.id);
    const std::size_t i = figure.case_id == run.cases[0].id ? 0 : 1;
    const CaseAnalysis analysis = analyze_case(run.cases[i]);
    const MetricRow* row = find_metric(analysis.metrics, figure.metric, figure.statistic);
    ASSERT_NE(row, nullptr);
    const auto expected = figure.part == "value" ? row->value : figure.part == "low" ? row->low : row->high;
    ASSERT_TRUE(expected.has_value());
    EXPECT_EQ(parse_number(figure.value), expected);
    EXPECT_EQ(figure.text, figure_text(*expected, row->unit));
  }
  if (!find_program("gnuplot")) GTEST_SKIP() << "no gnuplot for the plots; install the Debian package gnuplot-nox";
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(html, AllOf(HasSubstr("id=\"run-1-latency\""), HasSubstr("id=\"run-1-peak-rss\""),
                          HasSubstr("id=\"run-1-case-2-samples\""), HasSubstr("id=\"run-1-case-2-distribution\"")));
}

TEST_F(Report, EndingChoosesTheForm) {
  ASSERT_EQ(shell(kRunOne).exit_code, 0);
  EXPECT_EQ(shell("$T report --store r.db -o a.htm && $T report --store r.db -o a.md").exit_code, 0);
  EXPECT_TRUE(file("a.htm").starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(file("a.md").starts_with("# Run "));
  for (const char* name : {"a.ps", "a", "a.html.txt", "-"}) {
    const ShellResult refused = shell(std::string("$T report --store r.db -o ") + name);
    EXPECT_EQ(refused.exit_code, 3) << name;
    EXPECT_THAT(refused.errors,
                AllOf(HasSubstr(std::string("'") + name + "'"), HasSubstr(".html, .htm, .md, .pdf or .pptx")));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / name));
  }
}

TEST_F(Report, SeveralRunsStandInOneFileEachOnce) {
  ASSERT_EQ(shell(kRunOne + "--name first && " + kRunOne + "--name second").exit_code, 0);
  ASSERT_EQ(shell("$T report first second first --store r.db -o two.html").exit_code, 0);
  const std::string html = file("two.html");
  EXPECT_EQ(count_of(html, "<article class=\"run\""), 2U);
  EXPECT_THAT(html, AllOf(HasSubstr("id=\"overview\""), HasSubstr("<bdi>first</bdi>"), HasSubstr("<bdi>second</bdi>")));
  EXPECT_LT(html.find("<h2><bdi>Run first</bdi>"), html.find("<h2><bdi>Run second</bdi>"));
  EXPECT_EQ(shell("$T report first none --store r.db -o x.html").exit_code, 3);
  ASSERT_EQ(shell("$T report first second --store r.db -o two.md").exit_code, 0);
  EXPECT_THAT(file("two.md"), AllOf(HasSubstr("# Run first"), HasSubstr("# Run second")));
}

TEST_F(Report, ComparesWithAnotherRun) {
  const std::string run =
      "$T run --model bert-test --batch-size 1,2 --sequence-length 16 --precision fp32 --replicates 3 --samples 60 "
      "--store r.db --name ";
  const auto latency = [](double mean_s) {
    return Json{{"latency", {{"kind", "normal"}, {"mean_s", mean_s}, {"sd_s", mean_s / 200}}}, {"vary", true}};
  };
  ASSERT_EQ(shell(run + "monday", latency(0.010)).exit_code, 0);
  ASSERT_EQ(shell(run + "tuesday", latency(0.012)).exit_code, 0);
  EXPECT_EQ(shell("$T report tuesday --compare-with monday --store r.db -o c.html").exit_code, 0);
  const std::string html = file("c.html");
  EXPECT_THAT(html,
              AllOf(HasSubstr("Compared with another run"), HasSubstr("2 slower"), HasSubstr("What else changed")));
  if (find_program("gnuplot")) {
    EXPECT_THAT(html, HasSubstr("id=\"run-1-speed-up-of-runs\""));
  }
  EXPECT_EQ(shell("$T report tuesday --compare-with monday --store r.db -o c.md").exit_code, 0);
  EXPECT_THAT(file("c.md"), AllOf(HasSubstr("## Compared with another run"), HasSubstr("| slower |")));
  const auto refused = [&](const std::string& arguments, const char* why) {
    const ShellResult result = shell("$T report --store r.db -o d.html " + arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(why)) << arguments;
  };
  refused("tuesday --compare-with sunday", "sunday");
  refused("tuesday monday --compare-with monday", "monday");  // a case is not compared with itself
  refused("tuesday --compare-with monday:batch_size=2", "batch_size");
  const std::string other =
      "$T run --model bert-test --batch-size 1 --sequence-length 32 --precision fp32 --samples 60 --store r.db";
  ASSERT_EQ(shell(other).exit_code, 0);
  refused("--compare-with monday", "sequence_length");
  EXPECT_EQ(file("d.html"), "");
}

TEST_F(Report, StandsInAPageOfTheUser) {
  ASSERT_EQ(shell(kRunOne).exit_code, 0);
  folder_.write("page.html", "<title>Our lab: {{title}}</title><body>{{content}}</body>");
  EXPECT_EQ(shell("$T report --store r.db -o out.html --template page.html").exit_code, 0);
  EXPECT_TRUE(file("out.html").starts_with("<title>Our lab: Run "));
  folder_.write("page.html", "no place");
  EXPECT_THAT(shell("$T report --store r.db -o out.html --template page.html").errors, HasSubstr("{{content}}"));
  EXPECT_THAT(shell("$T report --store r.db -o out.md --template page.html").errors, HasSubstr("Markdown"));
  EXPECT_EQ(shell("$T report --store r.db -o out.html --template none.html").exit_code, 3);
  EXPECT_TRUE(file("out.html").starts_with("<title>Our lab: Run ")) << "the old file stays";
}

TEST_F(Report, WithoutGnuplotItIsWrittenAndNamesThePackage) {
  ASSERT_EQ(shell(kRunOne).exit_code, 0);
  const ShellResult result = shell("PATH=/nowhere $T report --store r.db -o out.html");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("warning"), HasSubstr("gnuplot-nox")));
  EXPECT_THAT(file("out.html"), AllOf(HasSubstr("This report has no plots"), HasSubstr("gnuplot-nox"),
                                      HasSubstr("<caption>"), Not(HasSubstr("<figure"))));
}

TEST_F(Report, PdfAndSlidesNeedAProgramAndOtherFormatsDoNot) {
  ASSERT_EQ(shell(kRunOne).exit_code, 0);
  folder_.write("out.pdf", "old");
  const ShellResult result = shell("PATH=/nowhere $T report --store r.db -o out.pdf");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("WeasyPrint is not installed"), HasSubstr("Debian package weasyprint"),
                                   HasSubstr(".html or .md")));
  EXPECT_EQ(file("out.pdf"), "old");
  EXPECT_THAT(shell("PATH=/nowhere $T report --store r.db -o out.pptx").errors,
              AllOf(HasSubstr("pandoc is not installed"), HasSubstr("Debian package pandoc")));
  EXPECT_EQ(shell("PATH=/nowhere $T report --store r.db -o out.md").exit_code, 0);
}

TEST_F(Report, PdfIsWrittenByWeasyPrint) {
  if (!find_program("weasyprint")) GTEST_SKIP() << "no WeasyPrint; install the Debian package weasyprint";
  ASSERT_EQ(shell(kRunTwo + "--name 'a <b>'").exit_code, 0);
  const ShellResult result = shell("$T report --store r.db -o out.pdf");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(file("out.pdf").starts_with("%PDF-")) << result.errors;
  EXPECT_EQ(shell("ln -s /dev/stdout link.pdf; $T report --store r.db -o link.pdf | head -c 5").output, "%PDF-");
}

TEST_F(Report, SlidesAreWrittenByPandoc) {
  if (!find_program("pandoc")) GTEST_SKIP() << "no pandoc; install the Debian package pandoc";
  ASSERT_EQ(shell(kRunTwo + "--name 'a <b>'").exit_code, 0);
  const ShellResult result = shell("$T report --store r.db -o out.pptx");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(file("out.pptx").starts_with("PK\x03\x04")) << result.errors;
}

TEST_F(Report, AFullDiskLeavesTheOldFile) {
  ASSERT_EQ(shell(kRunTwo).exit_code, 0);
  folder_.write("out.html", "old");
  // A limit on the size of files stands for the disk; without the signal the write itself fails. SQLite needs 32 KiB.
  const ShellResult result = shell("(trap '' XFSZ; ulimit -f 33; $T report --store r.db -o out.html)");
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("cannot write 'out.html'"));
  EXPECT_EQ(file("out.html"), "old");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos);
  }
}

TEST_F(Report, HelpHasExamples) {
  EXPECT_THAT(shell("$T report --help").output,
              AllOf(HasSubstr("Examples:"), HasSubstr("report.html"), HasSubstr("gnuplot-nox")));
}

}  // namespace
}  // namespace transformeter
