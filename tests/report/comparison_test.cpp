// What tables, sentences and figures make of a baseline.
#include <gmock/gmock.h>

#include "analysis/baseline_table.h"
#include "report/answers.h"
#include "report/command_line.h"
#include "report/comparison_columns.h"
#include "report/run_report.h"
#include "report/speed_up_figure.h"
#include "support/html_page.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

CaseRecord constant_case(int position, const std::string& attention, double padding, double level_s) {
  Json settings = requested_of(8, 128, "fp32");
  settings["attention"] = attention;
  settings["padding"] = padding;
  CaseRecord one = measured_case(position, settings, {level_s, level_s, level_s});
  one.workload_key = std::to_string(padding);
  one.effective["attention_kernel"] = attention == "eager" ? "eager" : "flash";
  for (ReplicateRecord& replicate : one.replicates) {
    replicate.series[0].value.assign(replicate.series[0].value.size(), level_s);
  }
  return one;
}

// Speed-ups of 2 without padding and 8 at three quarters: geometric mean 4.
RunRecord padded_run() {
  RunRecord run = mixed_run();
  run.cases = {constant_case(0, "eager", 0, 0.1), constant_case(1, "sdpa", 0, 0.05),
               constant_case(2, "eager", 0.75, 0.08), constant_case(3, "sdpa", 0.75, 0.01)};
  run.settings["baseline"] = {{"values", {{{"attention", "eager"}}}}, {"origin", "flag"}};
  return run;
}

TEST(Comparison, TheFirstSentenceIsComputedFromTheTable) {
  const RunRecord run = padded_run();
  EXPECT_EQ(
      answers(analyze_run(run)).front(),
      "sdpa is faster than eager in both pairs; speed-up from 2.000 (2.000 to 2.000) at padding=0 to 8.000 (8.000 to "
      "8.000) at padding=0.75 (intervals in brackets), geometric mean 4.000.");
}

TEST(Comparison, OnePairIsToldByItself) {
  RunRecord run = padded_run();
  run.cases.resize(2);
  EXPECT_EQ(answers(analyze_run(run)).front(),
            "sdpa vs. eager: faster, speed-up 2.000 (95 % interval 2.000 to 2.000).");
  run.cases[1].replicates.resize(2);
  EXPECT_THAT(answers(analyze_run(run)).front(),
              AllOf(HasSubstr("sdpa vs. eager: undecided: a comparison needs at least 3"), Not(HasSubstr("speed-up"))));
}

TEST(Comparison, DoubtfulPairsAreLeftOutOfTheMeanAndCounted) {
  RunRecord run = padded_run();
  for (ReplicateRecord& replicate : run.cases[3].replicates) {
    replicate.series.push_back(scalar_series("major_faults", 3));
  }
  EXPECT_THAT(answers(analyze_run(run)).front(),
              AllOf(HasSubstr("geometric mean 2.000"), HasSubstr("2 pairs: faster in 1, undecided in 1"),
                    HasSubstr("1 excluded from the mean (doubtful or missing)")));
}

TEST(Comparison, WithABaselineNoOtherValueIsTakenForOne) {
  const RunRecord run = padded_run();
  for (const std::string& sentence : answers(analyze_run(run))) {
    EXPECT_THAT(sentence, Not(HasSubstr("attention sdpa vs. eager ("))) << "the first value of the axis";
  }
}

TEST(Comparison, TableNamesBaselineKernelsAndAnswer) {
  const RunRecord run = padded_run();
  const std::string text = terminal_report(analyze_run(run), "a.db", {false, 200});
  EXPECT_THAT(text, AllOf(HasSubstr("compared with attention=eager:\n"), HasSubstr("8.000 (8.000 to 8.000)"),
                          HasSubstr("87.5 ± 0.0 %"), HasSubstr("eager → flash"), HasSubstr("80.0 ms → 10.0 ms")));
  EXPECT_THAT(terminal_report(analyze_run(run), "", {true, 200}), HasSubstr("\x1b[32mfaster\x1b[0m"));
  RunRecord without = run;
  without.settings.erase("baseline");
  EXPECT_THAT(terminal_report(analyze_run(without), "", {}), Not(HasSubstr("compared with attention")));
}

// 41.8 % saved, from 0 to 86.6 %: half the length around the value would end at 85.1.
TEST(Comparison, WhatIsSavedHasTheLargerSideOfItsInterval) {
  const RunRecord run = padded_run();
  const AnalyzedRun analyzed = analyze_run(run);
  BaselineTable table = *baseline_table(analyzed);
  for (MetricRow& row : table.pairs[0].rows) {
    if (row.name != "time_saved") continue;
    row.value = 0.418;
    row.low = 0;
    row.high = 0.866;
  }
  const std::vector<Column> columns = comparison_columns(analyzed, table);
  const auto saved =
      std::find_if(columns.begin(), columns.end(), [](const Column& one) { return one.heading == "time saved"; });
  ASSERT_NE(saved, columns.end());
  EXPECT_EQ(std::get<std::string>(saved->cells[0].content), "41.8 ± 44.8 %");
}

TEST(Comparison, NarrowTablesKeepSpeedUpMemoryAndAnswer) {
  RunRecord run = padded_run();
  for (CaseRecord& one : run.cases) {
    for (ReplicateRecord& replicate : one.replicates) {
      replicate.series.push_back(scalar_series("baseline_rss", 100.0 * 1024 * 1024));
    }
  }
  const std::string text = terminal_report(analyze_run(run), "", {false, 80});
  for (const char* heading : {"speed-up", "time saved", "memory saved", "answer"})
    EXPECT_THAT(text, HasSubstr(heading));
  EXPECT_THAT(text, Not(HasSubstr("memory saved is missing")));
  EXPECT_THAT(text, HasSubstr("hidden from the comparison (terminal too narrow): time, kernel"));
}

TEST(Comparison, MissingMemoryHasItsReason) {
  const RunRecord run = padded_run();  // holds no baseline_rss
  const std::string text = markdown_report(std::vector{analyze_run(run)}, {});
  EXPECT_THAT(text, HasSubstr("memory saved is missing"));
}

TEST(Comparison, TerminalDropsColumnsWithoutAValueAndSaysWhy) {
  RunRecord run = padded_run();  // holds no baseline_rss
  EXPECT_THAT(terminal_report(analyze_run(run), "", {false, 200}), HasSubstr("tensors saved"));
  for (CaseRecord& one : run.cases) {
    for (ReplicateRecord& replicate : one.replicates) {
      std::erase_if(replicate.series, [](const Series& series) { return series.name == "peak_allocated"; });
    }
  }
  const std::string text = terminal_report(analyze_run(run), "", {false, 200});
  const std::size_t begin = text.find("compared with attention=eager:\n");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t heading = text.find('\n', begin) + 1;
  EXPECT_THAT(text.substr(heading, text.find('\n', heading) - heading),
              AllOf(HasSubstr("speed-up"), HasSubstr("time saved"), HasSubstr("answer"), Not(HasSubstr("memory saved")),
                    Not(HasSubstr("tensors saved"))));
  EXPECT_THAT(
      text, AllOf(HasSubstr("memory saved is missing"), HasSubstr("hidden (no values): memory saved, tensors saved")));
}

TEST(Comparison, FigureShowsEachSpeedUpWithItsIntervalAgainstPadding) {
  const RunRecord run = padded_run();
  const AnalyzedRun analyzed = analyze_run(run);
  const auto figure = speed_up_figure(analyzed, *baseline_table(analyzed));
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->title, "Speed-up by padding");
  EXPECT_EQ(figure->plot.horizontal, std::vector<double>{1});
  ASSERT_EQ(figure->plot.curves.size(), 1U);
  const std::vector<PlotPoint>& points = figure->plot.curves[0].points;
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[1].x, 0.75);
  EXPECT_NEAR(points[1].y, 8, 1e-9);
  EXPECT_TRUE(points[1].low && points[1].high);
  EXPECT_LT(figure->plot.y.from, 1) << "the rule at 1 is in sight";
  EXPECT_EQ(figure->legend.at(0).label, "sdpa");
}

CaseRecord request_case(int position, const std::string& attention, int new_tokens, double level_s) {
  CaseRecord one = constant_case(position, attention, 0, level_s);
  for (const char* name : {"batch_size", "sequence_length", "padding"}) one.requested.erase(name);
  one.requested.update(Json{{"scenario", "generate"}, {"prompt_length", 16}, {"new_tokens", new_tokens}});
  one.workload_key = std::to_string(new_tokens);
  one.effective.erase("attention_kernel");
  one.effective["attention_kernel_prefill"] = attention == "eager" ? "eager" : "flash";
  one.effective["attention_kernel_decode"] = attention == "eager" ? "eager" : "math";
  return one;
}

TEST(Comparison, RequestsHaveTheirKernelsAndTheirFigure) {
  RunRecord run = padded_run();
  run.cases = {request_case(0, "eager", 8, 0.1), request_case(1, "sdpa", 8, 0.05), request_case(2, "eager", 32, 0.4),
               request_case(3, "sdpa", 32, 0.1)};
  const AnalyzedRun analyzed = analyze_run(run);
  const auto table = baseline_table(analyzed);
  ASSERT_EQ(table->pairs.size(), 2U);
  EXPECT_EQ(kernels_text(table->pairs[0]), "eager → flash prefill, math decode");
  const auto figure = speed_up_figure(analyzed, *table);
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->title, "Speed-up by new tokens");
  EXPECT_NEAR(figure->plot.curves.at(0).points.at(1).y, 4, 1e-9);
}

TEST(Comparison, NoFigureWithoutASweptNumber) {
  RunRecord run = padded_run();
  run.cases.resize(2);
  const AnalyzedRun analyzed = analyze_run(run);
  EXPECT_FALSE(speed_up_figure(analyzed, *baseline_table(analyzed)));
}

TEST(Comparison, MoreLinesThanColoursAreCounted) {
  RunRecord run = padded_run();
  run.cases.clear();
  for (int length = 16; length < 16 + 10; ++length) {
    for (const double padding : {0.0, 0.5}) {
      for (const char* attention : {"eager", "sdpa"}) {
        run.cases.push_back(constant_case(static_cast<int>(run.cases.size()), attention, padding, 0.1));
        run.cases.back().requested["sequence_length"] = length;
      }
    }
  }
  const AnalyzedRun analyzed = analyze_run(run);
  const auto figure = speed_up_figure(analyzed, *baseline_table(analyzed));
  ASSERT_EQ(figure->plot.curves.size(), 10U);
  EXPECT_EQ(figure->legend.size(), kSeriesRoles + 1);
  EXPECT_EQ(figure->legend.back().label, "2 others");
}

TEST(Comparison, HtmlEscapesWhatUsersNamed) {
  RunRecord run = padded_run();
  run.settings["baseline"]["values"][0] = {{"attention", kHostileText}};
  HtmlOptions options;
  options.gnuplot.program = "/no/such/gnuplot";
  const std::string html = html_report(std::vector{analyze_run(run)}, options).html;
  EXPECT_THAT(html, AllOf(HasSubstr("id=\"run-1-comparison\""), Not(HasSubstr("<script"))));
  EXPECT_EQ(unpaired_tag(without_style(html)), "");
}

TEST(Comparison, HtmlDropsColumnsWithoutAFigure) {
  HtmlOptions options;
  options.gnuplot.program = "/no/such/gnuplot";
  const std::string html = html_report(std::vector{analyze_run(padded_run())}, options).html;
  EXPECT_THAT(html, AllOf(HasSubstr(">speed-up</th>"), HasSubstr(">kernels</th>")));
  EXPECT_THAT(html, Not(HasSubstr(">anonymous memory saved</th>"))) << "no case has such a peak";
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\" class=\"wide\">"));
}

TEST(Comparison, TheCommandThatRepeatsTheRunNamesTheBaseline) {
  RunRecord run = padded_run();
  EXPECT_THAT(reproduce_command(run), HasSubstr(" --baseline attention=eager"));
}

// A suite before this one took the middle of the list of batch sizes for the best.
TEST(Comparison, TheBestBatchSizeIsTheOneWithTheHighestRateWhereverItStands) {
  RunRecord run = mixed_run();
  run.cases.clear();
  const int batches[] = {1, 2, 4, 8, 16};
  for (int i = 0; i < 5; ++i) {
    const double level_s = batches[i] == 1 ? 0.001 : 0.01 * batches[i];  // 1000 per s at batch 1, else 100 per s
    run.cases.push_back(measured_case(i, requested_of(batches[i], 128, "fp32"), {level_s}));
  }
  EXPECT_EQ(best_case(analyze_run(run), "throughput_samples", true).one->label, "b1");
}

}  // namespace
}  // namespace transformeter
