// Documents as slides, and slides in pandoc's notation: what fits, what is said of the rest, and hostile text.
#include "report/slides.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <numeric>

#include "report/pandoc_native.h"
#include "report/run_document.h"
#include "report/slide_pictures.h"
#include "report/slide_table.h"
#include "support/html_page.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Deck deck_of(Block block) {
  Document document;
  document.title = "Title";
  document.sections = {{"first", "First", {std::move(block)}}};
  return slides_of(document);
}

Deck deck_of(const RunRecord& record) {
  const std::vector<AnalyzedRun> runs{analyze_run(record)};
  const std::vector<ReportSection> sections = slide_sections();
  return slides_of(run_document(runs, {"a.db", true, sections}));
}

std::vector<std::string> titles(const Deck& deck) {
  std::vector<std::string> all;
  for (const Slide& slide : deck.slides) all.push_back(slide.title);
  return all;
}

Table table_of(std::size_t columns, std::size_t rows, const std::string& text) {
  Table table;
  table.caption = "What the table is about";
  table.columns.assign(columns, Column{"heading"});
  for (std::size_t row = 0; row < rows; ++row) add_row(table, std::vector<Cell>(columns, Cell(text)));
  return table;
}

TEST(Slides, EachSentenceThatMattersMostHasItsOwn) {
  List list = list_of({"one", "two", "three", "four", "five"});
  list.lead_count = 2;
  const Deck deck = deck_of(list);
  ASSERT_EQ(deck.slides.size(), 3U);
  EXPECT_THAT(deck.slides[0].lines, ElementsAre("one"));
  EXPECT_THAT(deck.slides[1].lines, ElementsAre("two"));
  EXPECT_THAT(deck.slides[2].lines, ElementsAre("three", "four", "five"));
  EXPECT_THAT(titles(deck), ElementsAre("First", "First", "First"));
}

TEST(Slides, NoneHasMoreThanSixLinesAndTheRestIsCounted) {
  std::vector<std::string> lines;
  for (int i = 0; i < 50; ++i) lines.push_back(fmt::format("model-{}", i));
  const Deck deck = deck_of(list_of(lines, "more models"));
  std::size_t count = 0;
  for (const Slide& slide : deck.slides) {
    EXPECT_LE(slide.lines.size(), 6U);
    count += slide.lines.size();
  }
  EXPECT_LE(deck.slides.size(), 4U);
  EXPECT_EQ(deck.slides.back().lines.back(), fmt::format("{} more models: in the HTML report.", 50 - (count - 1)));
}

TEST(Slides, ALongTextIsCutAndStandsInTheNotes) {
  const std::string text(3000, 'x');
  const Deck deck = deck_of(Paragraph{text});
  ASSERT_EQ(deck.slides.size(), 1U);
  EXPECT_LT(deck.slides[0].lines[0].size(), 500U);
  EXPECT_EQ(deck.slides[0].notes, text);
  const Deck command = deck_of(Code{text});
  EXPECT_LT(command.slides[0].code.size(), 500U);
  EXPECT_EQ(command.slides[0].notes, text);
}

TEST(Slides, ATableSaysHowMuchOfItIsLeftOut) {
  const SlideTable whole = slide_table(table_of(3, 4, "text"));
  EXPECT_EQ(whole.rows.size(), 4U);
  EXPECT_EQ(whole.note, "");
  const SlideTable cut = slide_table(table_of(12, 1000, "some text"));
  EXPECT_EQ(cut.rows.size(), 8U);
  EXPECT_EQ(cut.rows[0].size(), cut.headings.size());
  EXPECT_LT(cut.headings.size(), 12U);
  EXPECT_EQ(cut.note,
            fmt::format("992 more rows and {} more columns in the HTML and PDF reports.", 12 - cut.headings.size()));
  EXPECT_NEAR(std::accumulate(cut.shares.begin(), cut.shares.end(), 0.0), 1, 1e-9);
  EXPECT_EQ(slide_table(table_of(1, 1, std::string(5000, 'x'))).rows.size(), 1U);
  EXPECT_TRUE(slide_table(Table()).rows.empty());
  EXPECT_TRUE(deck_of(table_of(3, 0, "")).slides.empty());
}

TEST(Slides, OfARunShowAnswersTablesFiguresHostAndCommand) {
  RunRecord run = mixed_run();
  run.cases.push_back(measured_case(5, requested_of(1, 128, "bf16"), {0.02}));
  const Deck deck = deck_of(run);
  EXPECT_EQ(deck.title, "Run nightly");
  EXPECT_THAT(deck.subtitle, ElementsAre(HasSubstr("stored in a.db"), HasSubstr("Fake CPU 9000")));
  EXPECT_THAT(titles(deck), testing::IsSupersetOf({"Results", "Cases", "Environment", "Reproduce",
                                                   "Median latency of a batch by batch size"}));
  EXPECT_THAT(deck.slides.back().code, HasSubstr("transformeter run --batch-size 1,8"));
  for (const Slide& slide : deck.slides) {
    EXPECT_FALSE(slide.title.empty());
    EXPECT_FALSE(slide.lines.empty() && !slide.table && !slide.figure && slide.code.empty()) << slide.title;
  }
}

TEST(Slides, OddRunsHaveSomeToo) {
  RunRecord empty;
  empty.id = "r";
  EXPECT_THAT(titles(deck_of(empty)), testing::IsSupersetOf({"Results", "Cases", "Reproduce"}));
  RunRecord failed = mixed_run();
  failed.cases.erase(failed.cases.begin(), failed.cases.begin() + 2);
  EXPECT_THAT(deck_of(failed).slides.front().lines, testing::Not(testing::IsEmpty()));
}

TEST(Slides, SeveralRunsEachBeginWithAHeading) {
  const RunRecord run = mixed_run();
  const std::vector<AnalyzedRun> runs{analyze_run(run), analyze_run(run)};
  const std::vector<ReportSection> sections = slide_sections();
  const Deck deck = slides_of(run_document(runs, {"", true, sections}));
  EXPECT_EQ(std::count_if(deck.slides.begin(), deck.slides.end(), [](const Slide& slide) { return slide.is_heading; }),
            2);
}

TEST(PandocNative, TextIsALiteralWhateverItHolds) {
  const Deck deck = deck_of(Paragraph{"a \"b\" \\ *c* $d$ `e` | [f](g) @h <i>\nj \xD7\xA9\xE2\x80\xAE\x1b"});
  const std::string native = pandoc_native(deck, nullptr);
  EXPECT_THAT(native, HasSubstr("Header 2 (\"\",[],[]) [Str \"First\"]"));
  EXPECT_THAT(
      native,
      HasSubstr("Para [Str \"a \\\"b\\\" \\\\ *c* $d$ `e` | [f](g) @h <i> j \xD7\xA9\xEF\xBF\xBD\xEF\xBF\xBD\"]"));
  EXPECT_THAT(native, AllOf(Not(HasSubstr("RawInline")), Not(HasSubstr("Link"))));
}

TEST(PandocNative, CodeKeepsItsLinesAndNotesStandApart) {
  EXPECT_THAT(pandoc_native(deck_of(Code{"a \\\n  b \"c\""}), nullptr),
              HasSubstr(R"(CodeBlock ("",[],[]) "a \\\n  b \"c\"")"));
  EXPECT_THAT(pandoc_native(deck_of(Code{std::string(3000, 'x')}), nullptr), HasSubstr("Div (\"\",[\"notes\"],[])"));
}

TEST(PandocNative, FiguresArePicturesOrNothing) {
  Figure figure;
  figure.title = "Latency";
  figure.note = "Lower is better.";
  const Deck deck = deck_of(figures_of({figure, figure}));
  EXPECT_THAT(pandoc_native(deck, slide_picture_name),
              AllOf(HasSubstr("(\"figure-0.png\",\"\")"), HasSubstr("(\"figure-1.png\",\"\")")));
  EXPECT_THAT(pandoc_native(deck, nullptr), AllOf(Not(HasSubstr("Image")), Not(HasSubstr("Latency"))));
}

TEST(SlidePictures, HoldNamesAsTextsThatGnuplotDoesNotRun) {
  Figure figure;
  figure.legend = {{PlotRole::kSeries2, true, "org/model'; system('x')\n`y`"}};
  const std::string script = slide_pictures_script({figure});
  EXPECT_THAT(script, HasSubstr("dt (7,4) pt 7 ps 0.7 lc rgb '#c2570c' title 'org/model''; system(''x'') `y`'\n"));
  EXPECT_THAT(script, AllOf(HasSubstr("set output 'figure-0.png'"), HasSubstr("noenhanced"), Not(HasSubstr("#fe01"))));
  figure.legend.clear();
  EXPECT_THAT(slide_pictures_script({figure}), Not(HasSubstr("set key at")));
}

}  // namespace
}  // namespace transformeter
