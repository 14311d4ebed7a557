// Renderers of a small document, and the list of sections.
#include "report/document.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "report/html_document.h"
#include "report/markdown_document.h"
#include "report/run_report.h"
#include "report/text_document.h"
#include "support/html_page.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Document document_of(std::vector<Block> blocks) {
  Document document;
  document.title = "A <title>";
  document.sections = {{"first", "First & last", std::move(blocks)}};
  return document;
}

List long_list(int count) {
  List list;
  for (int i = 1; i <= count; ++i) list.items.push_back({"line " + std::to_string(i)});
  list.folded = "more lines";
  return list;
}

CaseFigure known_figure(const std::string& unit = "s") {
  MetricRow row;
  row.name = "latency";
  row.unit = unit;
  row.statistic = "median";
  row.value = 0.02;
  row.low = 0.0195;
  row.high = 0.0205;
  return {"c01", row};
}

// Columns: name, a number, and one that a narrow terminal may hide.
Table small_table() {
  Table table;
  table.caption = "Small <table>";
  table.columns = {{"name"}, {"value", true}, {.heading = "remarks", .may_be_left_out = true}};
  Cell name("a|b <i>");
  name.chips = {{"ok, doubtful", Tone::kWarn}};
  name.why = "few_samples";
  add_row(table, {name, known_figure(), "a long remark that needs much room"});
  table.notes = {"a note"};
  return table;
}

TEST(HtmlDocument, EscapesWhatItShowsAndPairsItsTags) {
  const SubSection inner{"inner", "x</section>", {{"<chip>", Tone::kBad}}, {Code{"a <b>\nc"}}};
  const std::string html = html_document(document_of(
      {Paragraph{"<p>", "<strong>", true}, Facts{"<o>", {{"<n>", "<v>"}}}, List{{Item{"<li>", "<s>", {"<d>"}}}},
       ChipRow{"\"label\"", {{"<c>", Tone::kGood}}}, small_table(), Fold{"<summary>", {Paragraph{"in <it>"}}}, inner}));
  EXPECT_EQ(unpaired_tag(without_style(html)), "");
  for (const char* text : {"<p class=\"notice\"><strong>&lt;strong&gt;</strong>: &lt;p&gt;</p>",
                           "&lt;o&gt;: &lt;n&gt; <bdi>&lt;v&gt;</bdi>.",
                           "<li><strong>&lt;s&gt;</strong>: &lt;li&gt;<ul><li>&lt;d&gt;</li></ul></li>",
                           "aria-label=\"&quot;label&quot;\"",
                           "<summary>&lt;summary&gt;</summary>\n<p>in &lt;it&gt;</p>", "<code>a &lt;b&gt;\nc</code>",
                           "id=\"inner\"", "<bdi>x&lt;/section&gt;</bdi> <span class=\"chip bad\">&lt;chip&gt;</span>",
                           "<h1><bdi>A &lt;title&gt;</bdi></h1>", "<a href=\"#first\">First &amp; last</a>",
                           "<section id=\"first\">\n<h2>First &amp; last</h2>"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
}

TEST(HtmlDocument, ACellHoldsTheValueItsIntervalAndItsChip) {
  const std::string html = html_document(document_of({small_table()}));
  EXPECT_THAT(html, AllOf(HasSubstr("<bdi>a|b &lt;i&gt;</bdi><br><span class=\"chip warn\">ok, doubtful</span>"
                                    "<span class=\"why\"><bdi>few_samples</bdi></span>"),
                          HasSubstr("<p class=\"soft\">a note</p>")));
  const std::vector<PageFigure> figures = page_figures(html);
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].value, "0.02");
  EXPECT_EQ(figures[0].text, "20.0 ms");
  EXPECT_EQ(figures[0].case_id, "c01");
  EXPECT_EQ(figures[1].part, "low");
  EXPECT_EQ(figures[2].text, "20.5 ms");
}

TEST(HtmlDocument, FoldsLongListsAfterTheirLead) {
  EXPECT_THAT(html_document(document_of({long_list(12)})), Not(HasSubstr("<details>"))) << "two lines are not worth it";
  List list = long_list(16);
  list.lead_count = 3;
  const std::string html = html_document(document_of({list}));
  EXPECT_THAT(html, AllOf(HasSubstr("<ul class=\"lead\">\n<li>line 1</li>\n<li>line 2</li>\n<li>line 3</li>\n</ul>"),
                          HasSubstr("<li>line 13</li>\n</ul>\n<details><summary>3 more lines</summary>\n<ul>\n"
                                    "<li>line 14</li>")));
}

TEST(HtmlDocument, FoldsManyTextsOfACell) {
  Table table;
  table.caption = "cases";
  table.columns = {{"what"}, {"cases"}};
  for (const std::size_t count : {4U, 5U}) {
    Cell cell;
    cell.content = Texts{std::vector<std::string>(count, "c"), "cases"};
    add_row(table, {"x", cell});
  }
  const std::string html = html_document(document_of({table}));
  EXPECT_EQ(count_of(html, "<details>"), 1U);
  EXPECT_THAT(html, HasSubstr("<details><summary>5 cases</summary><bdi>c</bdi>; "));
}

TEST(HtmlDocument, ASectionWithoutAnythingDrawnIsLeftOut) {
  Document document = document_of({Figures{{DrawnFigure{}}}});
  EXPECT_THAT(html_document(document), AllOf(Not(HasSubstr("First")), Not(HasSubstr("<nav"))));
  auto& figures = std::get<Figures>(document.sections[0].blocks[0]);
  figures.figures[0].id = "drawn";
  figures.figures[0].svg = "<svg></svg>";
  EXPECT_THAT(html_document(document), AllOf(HasSubstr("<figure id=\"drawn\">"), HasSubstr("href=\"#first\"")));
}

TEST(MarkdownDocument, EscapesAndKeepsBlocksApart) {
  List items{{Item{"<li>", "*s*", {"d|d"}}}};
  const std::string text =
      markdown_document(document_of({Paragraph{"a *b*"}, items, long_list(1), small_table(), Code{"x"}}));
  EXPECT_EQ(text,
            "# A &lt;title&gt;\n\n## First &amp; last\n\na \\*b\\*\n\n"
            "- **\\*s\\***: &lt;li&gt;\n  - d\\|d\n- line 1\n\n"
            "Small &lt;table&gt;\n\n| name | value | remarks |\n|---|---:|---|\n"
            "| a\\|b &lt;i&gt;: ok, doubtful (few\\_samples) | 20.0 ms (19.5 ms to 20.5 ms) | a long remark that needs "
            "much room |\n\n- a note\n\n```\nx\n```\n");
}

TEST(MarkdownDocument, FoldsNothing) {
  const std::string text = markdown_document(document_of({long_list(40), Fold{"More", {Paragraph{"inside"}}}}));
  EXPECT_THAT(text, AllOf(HasSubstr("- line 40\n"), HasSubstr("**More**\n\ninside\n")));
}

TEST(MarkdownDocument, HeadingsOfSeveralPartsAreOneLevelDeeper) {
  Document document;
  document.title = "2 runs";
  for (const char* title : {"one", "two"}) {
    document.parts.push_back({title, "r", title, {}, {{"s", "Section", {Paragraph{"text"}}}}});
  }
  EXPECT_THAT(markdown_document(document), HasSubstr("## one\n\n### Section\n\ntext\n\n## two\n\n### Section\n"));
}

TEST(TextDocument, NamesHiddenColumnsBelowTheirTables) {
  const Document document = document_of({small_table(), small_table(), Paragraph{"below"}});
  const std::string text = text_document(document, {.width = 70});
  EXPECT_THAT(text, Not(HasSubstr("a long remark")));
  EXPECT_THAT(text, HasSubstr("a note\n\nhidden (terminal too narrow): remarks; see --format markdown\nbelow\n"))
      << "once for both tables";
  EXPECT_THAT(text_document(document, {}), AllOf(HasSubstr("a long remark"), Not(HasSubstr("hidden"))));
}

TEST(TextDocument, ColoursChipsWhereItMay) {
  const Document document = document_of({small_table()});
  EXPECT_THAT(text_document(document, {true, std::nullopt}),
              HasSubstr("\x1b[33ma|b <i>: ok, doubtful (few_samples)\x1b[0m  "));
  EXPECT_THAT(text_document(document, {}), Not(HasSubstr("\x1b")));
}

TEST(TextDocument, IndentsDetailsAndNeutralisesSteeringText) {
  const List items{{Item{"a\x1b[31m", "strong", {"detail"}}}};
  EXPECT_EQ(text_document(document_of({items}), {}), "First & last\nstrong: a\xEF\xBF\xBD[31m\n  detail\n");
}

std::vector<Block> added_section(const SectionInput& input) {
  return {Paragraph{"of " + input.run.run->id}};
}

TEST(ReportSections, OneMoreInTheListIsInEveryForm) {
  std::vector<ReportSection> sections(kReportSections.begin(), kReportSections.end());
  sections.insert(sections.begin() + 3, {"added", "Added section", added_section});
  const RunRecord run = mixed_run();
  const std::vector<AnalyzedRun> runs{analyze_run(run)};
  EXPECT_THAT(markdown_report(runs, {.sections = sections}), HasSubstr("## Added section\n\nof " + run.id));
  HtmlOptions options;
  options.gnuplot.program = "/no/such/gnuplot";
  options.sections = sections;
  const std::string html = html_report(runs, options).html;
  EXPECT_THAT(html, AllOf(HasSubstr("<a href=\"#run-1-added\">Added section</a>"),
                          HasSubstr("<section id=\"run-1-added\">\n<h2>Added section</h2>\n<p>of " + run.id + "</p>")));
}

TEST(ReportSections, OnesForPagesAreNotInMarkdown) {
  const std::vector<ReportSection> sections{{"added", "Added section", added_section, SectionPlace::kOfEachRun, true}};
  const RunRecord run = mixed_run();
  EXPECT_THAT(markdown_report(std::vector{analyze_run(run)}, {.sections = sections}), Not(HasSubstr("Added section")));
}

}  // namespace
}  // namespace transformeter
