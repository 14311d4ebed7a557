// The HTML report: every figure recomputed, hostile text, odd runs. gnuplot is made absent here; what it draws is
// tested beside it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "base/text.h"
#include "metrics/case_metrics.h"
#include "report/answers.h"
#include "report/html_text.h"
#include "report/metric_text.h"
#include "report/run_report.h"
#include "support/html_page.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HtmlReport report_of(const std::vector<RunRecord>& records) {
  std::vector<AnalyzedRun> runs;
  for (const RunRecord& record : records) runs.push_back(analyze_run(record));
  HtmlOptions options;
  options.store = "a.db";
  options.gnuplot.program = "/no/such/gnuplot";
  return html_report(runs, options);
}

std::string html_of(const std::vector<RunRecord>& records) {
  return report_of(records).html;
}

// Compares each figure of the page with the analysis of the stored samples, made anew.
std::size_t expect_recomputed(const std::string& html, const std::vector<RunRecord>& records) {
  std::size_t count = 0;
  for (const PageFigure& figure : page_figures(html)) {
    const auto record =
        std::find_if(records.begin(), records.end(), [&](const RunRecord& r) { return r.id == figure.run; });
    if (record == records.end()) {
      ADD_FAILURE() << "no run '" << figure.run << "'";
      continue;
    }
    const auto one = std::find_if(record->cases.begin(), record->cases.end(),
                                  [&](const CaseRecord& c) { return c.id == figure.case_id; });
    if (one == record->cases.end()) {
      ADD_FAILURE() << "no case '" << figure.case_id << "'";
      continue;
    }
    const CaseAnalysis analysis = analyze_case(*one);
    const MetricRow* row = find_metric(analysis.metrics, figure.metric, figure.statistic);
    if (row == nullptr) {
      ADD_FAILURE() << "no metric '" << figure.metric << "'";
      continue;
    }
    const std::optional<double>& expected = figure.part == "value" ? row->value
                                            : figure.part == "low" ? row->low
                                                                   : row->high;
    EXPECT_EQ(parse_number(figure.value), expected) << figure.metric << " " << figure.statistic << " " << figure.part;
    EXPECT_EQ(figure.text, figure_text(expected.value_or(0), row->unit));
    ++count;
  }
  return count;
}

TEST(Html, EveryFigureIsTheOneRecomputedFromTheSamples) {
  RunRecord run = mixed_run();
  run.cases.push_back(measured_case(5, requested_of(1, 128, "bf16"), {0.02, 0.021, 0.022}));
  const std::string html = html_of({run});
  // Three measured cases: each has all its metrics beside the table's columns.
  EXPECT_GT(expect_recomputed(html, {run}), 100U);
  std::set<std::string> cases;
  for (const PageFigure& figure : page_figures(html)) cases.insert(figure.case_id);
  EXPECT_EQ(cases, (std::set<std::string>{"c01", "c02", "c06"}));
}

TEST(Html, FiguresOfSeveralRunsBelongToTheirRun) {
  RunRecord other = mixed_run();
  other.id = "20261122-000000-000001";
  other.cases[0] = measured_case(0, requested_of(8, 128, "fp32"), {0.5});
  const std::string html = html_of({mixed_run(), other});
  EXPECT_GT(expect_recomputed(html, {mixed_run(), other}), 100U);
  EXPECT_THAT(html, HasSubstr("<h1><bdi>2 runs</bdi></h1>"));
  EXPECT_THAT(html, HasSubstr("id=\"overview\""));
  EXPECT_THAT(html_of({other}), Not(HasSubstr("id=\"overview\"")));
}

TEST(Html, SentencesAreTheAnswersAndComeFirst) {
  const RunRecord run = mixed_run();
  const std::string html = html_of({run});
  std::size_t last = 0;
  for (const std::string& sentence : answers(analyze_run(run))) {
    const std::size_t at = html.find("<li>" + escape_html(sentence) + "</li>");
    ASSERT_NE(at, std::string::npos) << sentence;
    EXPECT_GT(at, last);
    last = at;
  }
  EXPECT_LT(last, html.find("<table>"));
}

TEST(Html, NamesTheDataBySha256) {
  RunRecord run = mixed_run();
  run.cases[0].requested["data"] = "/home/me/dev.tsv";
  run.cases[0].effective["workload"]["data"]["sha256"] = "0123456789abcdef0123456789abcdef";
  EXPECT_THAT(html_of({run}), HasSubstr("<li>data: me/dev.tsv, SHA-256 0123456789ab…</li>"));
}

TEST(Html, CountsTheTextsOfNaturalLengths) {
  RunRecord run = mixed_run();
  run.cases.resize(2);
  for (CaseRecord& one : run.cases) {
    one.requested["data"] = "/home/me/dev.tsv";
    one.requested["sequence_length"] = "natural";
    one.effective["workload"]["data"]["sha256"] = "0123456789abcdef0123456789abcdef";
    one.effective["data"]["examples"] = 872;
    one.effective["cycle_examples_full"] = one.effective["cycle_examples"] = 896;
  }
  EXPECT_THAT(html_of({run}), HasSubstr("SHA-256 0123456789ab…; natural lengths: 872 texts</li>"))
      << "the last of 28 batches is not full";
  run.cases[1].effective["cycle_examples"] = 64;
  EXPECT_THAT(html_of({run}), HasSubstr("natural lengths: 64 or 872 texts</li>"));
  for (CaseRecord& one : run.cases) one.effective["data"]["examples"] = 1;
  run.cases.resize(1);
  EXPECT_THAT(html_of({run}), HasSubstr("natural lengths: 1 text</li>"));
  run.cases[0].requested["scenario"] = "train";
  EXPECT_THAT(html_of({run}), Not(HasSubstr("; natural lengths"))) << "a training has no cycle of texts";
}

TEST(Html, SaysHowLargeImagesAre) {
  RunRecord run = mixed_run();
  run.cases.resize(1);
  CaseRecord& one = run.cases[0];
  one.requested["task"] = "image_classification";
  one.requested["data"] = "/home/me/pictures";
  one.requested.erase("sequence_length");
  one.effective["workload"]["data"]["sha256"] = "0123456789abcdef0123456789abcdef";
  one.effective["data"] = {{"examples", 20}, {"image", {{"channels", 3}, {"height", 224}, {"width", 160}}}};
  EXPECT_THAT(html_of({run}),
              HasSubstr("<li>data: me/pictures, SHA-256 0123456789ab…, as 224 x 160 pixels; 20 images</li>"));
  one.requested["data"] = "synthetic";
  EXPECT_THAT(html_of({run}), HasSubstr("<li>data: synthetic images of 224 x 160 pixels"));
}

TEST(Html, SaysWhatSyntheticDataWasMadeBy) {
  RunRecord run = mixed_run();
  for (CaseRecord& one : run.cases) {
    one.requested["data"] = "synthetic";
    one.requested["length_distribution"] = "uniform:8:64";
  }
  EXPECT_THAT(html_of({run}), HasSubstr("<li>data: synthetic texts, lengths uniform:8:64</li>"));
  run.cases.resize(1);
  run.cases[0].effective["data"]["examples"] = 256;
  ASSERT_TRUE(run.cases[0].requested.at("sequence_length").is_number());
  EXPECT_THAT(html_of({run}), HasSubstr("<li>data: synthetic texts, lengths uniform:8:64; 256 texts</li>"));
  CaseRecord natural = run.cases[0];
  natural.id = "c02";
  natural.position = 1;
  natural.requested["sequence_length"] = "natural";
  run.cases.push_back(natural);
  EXPECT_THAT(html_of({run}), HasSubstr("lengths uniform:8:64; 256 texts</li>")) << "of both kinds";
  run.cases.erase(run.cases.begin());
  EXPECT_THAT(html_of({run}), HasSubstr("lengths uniform:8:64; natural lengths: 256 texts</li>"));
  run.cases[0].requested["sequence_length"] = 128;
  run.cases[0].requested.erase("length_distribution");
  EXPECT_THAT(html_of({run}), HasSubstr("<li>data: synthetic texts</li>"));
}

TEST(Html, EndsOfAnIntervalThatReadTheSameAreNoRange) {
  RunRecord run = mixed_run();
  run.cases = {measured_case(0, requested_of(8, 128, "fp32"), {0.2, 0.2, 0.2})};
  const std::string html = html_of({run});
  const AnalyzedRun analyzed = analyze_run(run);
  const MetricRow* memory = shown_metric(analyzed.cases[0], "peak_rss");
  ASSERT_EQ(memory->low, memory->high);
  static const std::regex range("<data[^>]*>([^<]*)</data> to <data[^>]*>([^<]*)</data>");
  std::size_t ranges = 0;
  for (std::sregex_iterator match(html.begin(), html.end(), range), end; match != end; ++match, ++ranges) {
    EXPECT_NE((*match)[1], (*match)[2]);
  }
  EXPECT_GT(expect_recomputed(html, {run}), 20U);
  EXPECT_THAT(html, HasSubstr("data-metric=\"peak_rss\" data-statistic=\"mean\" data-part=\"value\""));
}

TEST(Html, TellsWhatItsIntervalsAreWithoutAMarkThatItDoesNotUse) {
  const std::string html = html_of({mixed_run()});
  EXPECT_THAT(html, HasSubstr("95 % intervals of a single window"));
  const std::string tables = html.substr(html.find("id=\"run-1-cases\""));
  EXPECT_THAT(tables.substr(0, tables.find("id=\"meaning\"")), Not(HasSubstr("±")));
}

TEST(Html, TheMemoryTableIsMarkdowns) {
  const std::string html = html_of({mixed_run()});
  const std::string text = markdown_report(std::vector{analyze_run(mixed_run())}, {.store = "a.db"});
  const std::string table = text.substr(text.find("## Memory"));
  const std::string heading = split(table, '\n')[4];
  const std::string page = html.substr(html.find("id=\"run-1-memory\""));
  static const std::regex metric("<th scope=\"col\" class=\"n\">([^<]*)</th>");
  const std::string head = page.substr(0, page.find("</thead>"));
  std::string columns;
  for (std::sregex_iterator match(head.begin(), head.end(), metric), end; match != end; ++match) {
    columns += " " + (*match)[1].str() + " |";
  }
  EXPECT_THAT(columns, HasSubstr(" peak RSS |"));
  EXPECT_TRUE(heading.ends_with("|" + columns)) << heading << " against " << columns;
  const std::size_t rows = count_of(page.substr(0, page.find("</table>")), "<tr>") - 1;
  EXPECT_EQ(rows, 2U) << "of the cases that are ok";
  EXPECT_EQ(count_of(table.substr(0, table.find("\n\n- docs/metrics.md")), "\n| "), rows + 1);
}

TEST(Html, NullsHaveTheirReasonAndNoNumber) {
  const std::string html = html_of({mixed_run()});
  EXPECT_THAT(html, HasSubstr("no energy counter was read"));
  EXPECT_THAT(html, HasSubstr("seeded random weights have no accuracy"));
  for (const PageFigure& figure : page_figures(html)) {
    EXPECT_NE(figure.metric, "energy");
    EXPECT_NE(figure.value, "nan");
  }
}

TEST(Html, HoldsVerdictsEnvironmentAndTheCommand) {
  const std::string html = html_of({mixed_run()});
  for (const char* text : {"ok, doubtful", "crashed", "the worker died by SIGSEGV", "one_replicate", "Fake CPU 9000",
                           "transformeter run --batch-size 1,8 --precision fp32,bf16,fp16", "plan a.yaml:3",
                           "What the numbers mean", "stored in <bdi>a.db</bdi>"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
}

TEST(Html, IsOneOfflineAccessiblePage) {
  const std::string html = html_of({mixed_run()});
  for (const char* text : {"<html lang=\"en\">", "name=\"viewport\"", "prefers-color-scheme:dark", "@media print",
                           "<caption>", "scope=\"row\"", "default-src 'none'"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  for (const char* text : {"<script", "src=", "@import", "url(", "<link"}) EXPECT_THAT(html, Not(HasSubstr(text)));
  EXPECT_EQ(count_of(html, "http://") + count_of(html, "https://"), count_of(html, "http://www.w3.org/2000/svg"));
  EXPECT_EQ(unpaired_tag(without_style(html)), "");
  for (const auto& [id, count] : page_ids(html)) EXPECT_EQ(count, 1) << id;
}

TEST(Html, HeadingsBreakIntoWordsOnAPhone) {
  const std::string html = html_of({mixed_run()});
  const std::string narrow = html.substr(html.find("@media (max-width:40rem)"));
  EXPECT_THAT(narrow.substr(0, narrow.find("@media", 1)), HasSubstr("thead th,thead .n{white-space:normal}"));
}

TEST(Html, EveryLinkLeadsSomewhere) {
  RunRecord empty;
  empty.id = "r";
  for (const std::string& html : {html_of({mixed_run()}), html_of({mixed_run(), empty}), html_of({empty})}) {
    const auto ids = page_ids(html);
    static const std::regex pattern("href=\"#([^\"]*)\"");
    for (std::sregex_iterator match(html.begin(), html.end(), pattern), end; match != end; ++match) {
      EXPECT_EQ(ids.count((*match)[1]), 1U) << (*match)[1];
    }
  }
}

TEST(Html, HostileTextBecomesNoMarkup) {
  RunRecord run = mixed_run();
  run.id = "\"><img src=x>";
  run.name = kHostileText;
  run.cases[0].id = "' onload='x";
  run.cases[0].requested["model"] = kHostileText;
  run.cases[1].effective["model"]["weights"] = "</ul><b>" + kHostileText;
  run.cases[3].status_reason = kHostileText;
  run.host["cpu"]["model"] = kHostileText;
  run.host[kHostileText] = kHostileText;
  run.settings["name"] = {{"values", {kHostileText + "\n</code></pre>\n"}}, {"origin", kHostileText}};
  const std::string html = html_of({run, mixed_run()});
  for (const char* text : {"<script", "<img", "<b>", "\x1b", "\xE2\x80\xAE"}) EXPECT_THAT(html, Not(HasSubstr(text)));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;|a,&quot;b&quot;"));
  EXPECT_THAT(html, HasSubstr("\xD7\xA9"));
  EXPECT_EQ(unpaired_tag(without_style(html)), "");
}

TEST(Html, OddRunsAreToldNotDrawn) {
  RunRecord empty;
  empty.id = "r";
  const std::string nothing = html_of({empty});
  EXPECT_THAT(nothing, HasSubstr("The run has no cases."));
  EXPECT_THAT(nothing, HasSubstr("No case in this run has a usable measurement."));
  RunRecord failed = mixed_run();
  failed.cases.erase(failed.cases.begin(), failed.cases.begin() + 2);
  const std::string html = html_of({failed});
  EXPECT_THAT(html, HasSubstr("No case in this run has a usable measurement."));
  EXPECT_THAT(html, HasSubstr("<p>No case has a memory measurement.</p>"));
  EXPECT_THAT(html, HasSubstr("<p>No case was measured.</p>"));
  EXPECT_THAT(html, HasSubstr("Result of each case; none has a value."));
  EXPECT_THAT(html, Not(HasSubstr("95 % interval, unless both ends")));
  EXPECT_TRUE(page_figures(html).empty());
  EXPECT_EQ(unpaired_tag(without_style(html)), "");
}

TEST(Html, WithoutGnuplotItSaysSoAndKeepsItsTables) {
  const HtmlReport report = report_of({mixed_run()});
  EXPECT_THAT(report.plots_problem, HasSubstr("/no/such/gnuplot"));
  EXPECT_THAT(report.html, HasSubstr("This report has no plots"));
  EXPECT_THAT(report.html, Not(HasSubstr("<figure")));
  EXPECT_THAT(report.html, HasSubstr("<caption>"));
}

TEST(Html, OfManyCasesSomeAreDrawnAndTheRestNamed) {
  RunRecord run = mixed_run();
  run.cases.clear();
  for (int i = 0; i < 60; ++i) {
    CaseRecord one = measured_case(i, requested_of(1 + i % 3, 16 + i / 3, "fp32"), {0.01 + 0.001 * i});
    one.id = fmt::format("c{}", i);
    run.cases.push_back(std::move(one));
  }
  const std::string html = html_of({run});
  EXPECT_EQ(count_of(html, "<section class=\"sub\""), kMaxCaseFigures);
  EXPECT_THAT(html, HasSubstr("48 more cases whose samples are not shown"));
  EXPECT_EQ(count_of(html, "<summary>60 cases</summary>"), 0U);  // a note for all cases says "all 60 cases"
  EXPECT_THAT(html, HasSubstr("all 60 cases"));
}

}  // namespace
}  // namespace transformeter
