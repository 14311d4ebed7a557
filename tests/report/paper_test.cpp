// The HTML that becomes a PDF: widths of columns, and what paper shows in place of what a screen folds.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <numeric>

#include "report/html_document.h"
#include "report/paper_columns.h"
#include "report/run_report.h"
#include "support/html_page.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Table table_of(std::size_t columns, const std::string& text) {
  Table table;
  table.columns.assign(columns, Column{"heading"});
  add_row(table, std::vector<Cell>(columns, Cell(text)));
  return table;
}

std::string paper_of(const std::vector<RunRecord>& records) {
  std::vector<AnalyzedRun> runs;
  for (const RunRecord& record : records) runs.push_back(analyze_run(record));
  HtmlOptions options;
  options.gnuplot.program = "/no/such/gnuplot";
  options.is_for_paper = true;
  return html_report(runs, options).html;
}

std::string paper_of(Block block) {
  Document document;
  document.sections = {{"first", "First", {std::move(block)}}};
  return html_document(document, Medium::kPortraitPaper);
}

TEST(PaperColumns, ShareTheWholeWidthByTheirContents) {
  Table table = table_of(2, "short");
  table.columns[1].cells[0] = Cell("four times as long, or so");
  const PaperColumns columns = paper_columns(table, Medium::kPortraitPaper);
  ASSERT_EQ(columns.shares.size(), 2U);
  EXPECT_NEAR(columns.shares[0] + columns.shares[1], 100, 1e-9);
  EXPECT_GT(columns.shares[1], 2 * columns.shares[0]);
}

TEST(PaperColumns, ManyNeedLandscapeThenSmallerType) {
  Document document;
  document.parts.emplace_back();
  const auto paper_of_columns = [&](std::size_t columns) {
    document.parts[0].sections = {{"a", "A", {Fold{"all", {table_of(columns, "1234567890")}}}}};
    return paper_for(document);
  };
  EXPECT_EQ(paper_of_columns(5), Medium::kPortraitPaper);
  EXPECT_EQ(paper_of_columns(10), Medium::kLandscapePaper);
  EXPECT_FALSE(paper_columns(table_of(10, "1234567890"), Medium::kLandscapePaper).is_dense);
  EXPECT_TRUE(paper_columns(table_of(20, "1234567890"), Medium::kLandscapePaper).is_dense);
}

TEST(PaperColumns, LongTextsGiveWayToWhatCannotBeBroken) {
  Table table = table_of(3, std::string(20, 'x'));
  table.columns[2].cells[0] = Cell(std::string(3000, 'y') + " z");
  const PaperColumns columns = paper_columns(table, Medium::kPortraitPaper);
  EXPECT_LT(columns.shares[2], 60);
  EXPECT_NEAR(std::accumulate(columns.shares.begin(), columns.shares.end(), 0.0), 100, 1e-9);
}

TEST(PaperColumns, ATableWithoutRowsHasWidths) {
  Table table;
  table.columns.assign(2, Column{""});
  EXPECT_NEAR(paper_columns(table, Medium::kPortraitPaper).shares[0], 50, 1e-9);
  EXPECT_TRUE(paper_columns(Table(), Medium::kPortraitPaper).shares.empty());
}

TEST(Paper, HasPagesContentsAndNothingToClick) {
  const std::string html = paper_of(std::vector{mixed_run()});
  EXPECT_THAT(html, AllOf(HasSubstr("@page{size:A4"), HasSubstr("counter(pages)"), HasSubstr("target-counter"),
                          HasSubstr("string-set:title"), HasSubstr("<colgroup><col style=\"width:")));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<details")), Not(HasSubstr("<data"))));
  EXPECT_THAT(html, HasSubstr("<p class=\"opened\">All settings</p>"));
  EXPECT_EQ(unpaired_tag(without_style(html)), "");
}

TEST(Paper, HasPlotsAsImages) {
  DrawnFigure drawn;
  drawn.id = "latency";
  drawn.figure.description = "from \"1\" to <2>";
  drawn.svg = "<svg class=\"plot\"><path d=\"M0,0\"/></svg>";
  const std::string html = paper_of(Figures{{drawn}});
  EXPECT_THAT(html,
              AllOf(HasSubstr("alt=\"from &quot;1&quot; to &lt;2&gt;\" src=\"data:image/svg+xml;base64,PHN2ZyBmb250"),
                    Not(HasSubstr("<path"))));
}

TEST(Paper, SaysHowManyNamesItLeavesOut) {
  Table table = table_of(1, "x");
  Texts texts;
  for (int i = 0; i < 50; ++i) texts.texts.push_back(fmt::format("model-{}", i));
  table.columns[0].cells[0].content = texts;
  EXPECT_THAT(paper_of(table), AllOf(HasSubstr("model-3</bdi>; and 46 more cases"), Not(HasSubstr("model-4<"))));
  EXPECT_THAT(paper_of(list_of(texts.texts, "more models")),
              AllOf(HasSubstr("model-39<"), Not(HasSubstr("model-40<")),
                    HasSubstr("10 more models, which the HTML report names.")));
}

TEST(Paper, HostileTextBecomesNoMarkup) {
  RunRecord run = mixed_run();
  run.name = kHostileText;
  run.cases[0].requested["model"] = kHostileText;
  run.settings["name"] = {{"values", {kHostileText}}, {"origin", "</style>" + kHostileText}};
  const std::string html = paper_of(std::vector{run});
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("\x1b")), Not(HasSubstr("\xE2\x80\xAE"))));
  EXPECT_EQ(count_of(html, "</style>"), 1U);
}

}  // namespace
}  // namespace transformeter
