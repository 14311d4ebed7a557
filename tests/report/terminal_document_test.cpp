// What a terminal shows of a run.
#include <gmock/gmock.h>

#include "base/text.h"
#include "report/display_text.h"
#include "report/run_report.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string table_of(const RunRecord& run, const TextOptions& options = {}, const std::string& store = "") {
  return terminal_report(analyze_run(run), store, options);
}

TEST(TerminalReport, EveryCaseHasARowAndEveryFaultItsReason) {
  const std::string table = table_of(mixed_run(), {}, "a.db");
  EXPECT_THAT(table, HasSubstr("ok, doubtful"));
  EXPECT_THAT(table, HasSubstr("b1 t128 fp16: unsupported: precision fp16: no CPU kernel"));
  EXPECT_THAT(table, HasSubstr("b1 t128 fp32: crashed: the worker died by SIGSEGV"));
  EXPECT_THAT(table, HasSubstr("\npending: 1 of 4 replicates; finish with: transformeter resume 20261121-015354-3fa9c1 "
                               "--store a.db\n"));
  EXPECT_THAT(table, HasSubstr("the speed is real, the answers are not, and accuracy is not shown"));
  EXPECT_THAT(table, HasSubstr("95 % interval of a single window: covers neither slow changes of the machine's speed"));
  EXPECT_THAT(table, HasSubstr("\ntask: sequence_classification\n"));
  EXPECT_THAT(table, HasSubstr("Fake CPU 9000, 2 cores, 2 threads, LibTorch 2.15.0"));
  EXPECT_THAT(table, HasSubstr("run 20261121-015354-3fa9c1 \"nightly\" in a.db"));
}

TEST(TerminalReport, RowsFitTheWidthAndColumnsAlign) {
  TextOptions options;
  options.width = 100;
  const std::string table = table_of(mixed_run(), options);
  const auto lines = split(table, '\n');
  const std::size_t result = lines[0].find("result");
  ASSERT_NE(result, std::string::npos);
  for (std::size_t i = 0; i <= 5; ++i) EXPECT_LE(display_width(lines[i]), 100U) << lines[i];
  for (std::size_t i = 1; i <= 5; ++i) {
    const std::string last = lines[i].substr(lines[i].rfind("  ") + 2);
    EXPECT_EQ(display_width(lines[i]) - display_width(last), display_width(lines[0]) - 6) << lines[i];
  }
}

TEST(TerminalReport, HasNoColumnWhereNoCaseHasAValue) {
  RunRecord run = mixed_run();
  EXPECT_THAT(split(table_of(run), '\n')[0], AllOf(HasSubstr("median latency"), HasSubstr("sample/s")));
  for (CaseRecord& one : run.cases) {
    one.status = Status::kUnsupported;
    one.replicates.clear();
  }
  EXPECT_THAT(split(table_of(run), '\n')[0],
              AllOf(HasSubstr("result"), Not(HasSubstr("median latency")), Not(HasSubstr("sample/s"))));
  EXPECT_THAT(table_of(run), HasSubstr("hidden (no values): median latency, sample/s"));
}

TEST(TerminalReport, SoundsHaveTheirSecondsInPlaceOfTokens) {
  RunRecord run = mixed_run();
  const auto heading = [&] { return split(table_of(run), '\n')[0]; };
  EXPECT_THAT(heading(), AllOf(HasSubstr("useful token/s"), Not(HasSubstr("audio s/s"))));
  for (CaseRecord& one : run.cases) one.requested["audio_seconds"] = 2;
  EXPECT_THAT(heading(), AllOf(HasSubstr("audio s/s"), Not(HasSubstr("useful token/s"))));
}

TEST(TerminalReport, SaysWhatProductsRanOnWhereTheyWereTried) {
  RunRecord run = mixed_run();
  EXPECT_THAT(table_of(run, {}), Not(HasSubstr("products:")));
  run.cases[0].effective["linear_trials"] = Json::array();
  run.cases[0].effective["linear_kernel"] = "onednn_prepacked";
  EXPECT_THAT(table_of(run, {}), HasSubstr("products: mostly by onednn_prepacked (1 case); a trial chose the fastest"));
  EXPECT_THAT(table_of(run, {}), Not(HasSubstr("in fp32")));
  run.cases[0].effective["linear_kernel"] = "widened_onednn";
  EXPECT_THAT(table_of(run, {}), HasSubstr("widened: values in bf16, multiplied in fp32"));
}

TEST(TerminalReport, SaysWhichTrialsOfProductsWereUnsteady) {
  RunRecord run = mixed_run();
  Json& effective = run.cases[0].effective;
  effective["linear_kernel"] = "linear";
  effective["linear_trials"] = {{{"steady", true}}, {{"steady", true}}, {{"steady", false}, {"kept", true}}};
  EXPECT_THAT(table_of(run, {}), Not(HasSubstr("unsteady")));
  effective["linear_trials"][1]["steady"] = false;
  EXPECT_THAT(table_of(run, {}),
              HasSubstr("; 1 of 2 trials unsteady or with a failed kernel, and not kept: another run"));
}

TEST(TerminalReport, SaysWhichKernelOfAttentionATrialChoseAndWhichItLeftOut) {
  RunRecord run = mixed_run();
  EXPECT_THAT(table_of(run, {}), Not(HasSubstr("attention: by")));
  const Json kind = {{"kernel", "tiled"}, {"refused", Json::object()}};
  run.cases[0].effective["attention_trials"] = {kind, kind, "of another version"};
  EXPECT_THAT(table_of(run, {}), HasSubstr("attention: by tiled for 2 kinds of inputs, as a trial chose (times: "));
  EXPECT_THAT(table_of(run, {}), Not(HasSubstr("left out")));
  run.cases[0].effective["attention_trials"] = {{{"kernel", "sdpa"}, {"refused", {{"tiled", "its outputs differ"}}}}};
  EXPECT_THAT(table_of(run, {}), AllOf(HasSubstr("attention: by sdpa for 1 kind of inputs"),
                                       HasSubstr("left out: tiled (its outputs differ)")));
}

TEST(TerminalReport, ShowsTheUndisturbedMedianWithItsShareWhereItIsWide) {
  RunRecord run = mixed_run();
  run.cases.resize(1);
  Series& latency = run.cases[0].replicates[0].series[0];
  const std::size_t count = latency.value.size();
  for (std::size_t i = 1; i < count; i += 4) latency.flags[i] |= kSampleDisturbed;
  TextOptions options;
  options.width = 400;
  EXPECT_THAT(table_of(run, options), Not(HasSubstr("undisturbed"))) << "CPU time was not counted";
  run.cases[0].replicates[0].series.push_back(value_series("sample_cpu_time", std::vector(count, 0.3)));
  const std::string table = table_of(run, options);
  EXPECT_THAT(table, HasSubstr("undisturbed"));
  EXPECT_THAT(table, HasSubstr(" of 75.0 %")) << "45 of 60";
  for (std::uint32_t& flags : latency.flags) flags = 0;
  EXPECT_THAT(table_of(run, options), HasSubstr("  same  ")) << "as the latency: no sample was disturbed";
  options.width = 60;
  EXPECT_THAT(table_of(run, options), HasSubstr("hidden (terminal too narrow): undisturbed"));
}

TEST(TerminalReport, ADoubtfulRowIsFollowedByWhatToDo) {
  const RunRecord run = mixed_run();
  AnalyzedRun analyzed = analyze_run(run);
  analyzed.cases[0].analysis.verdict.add_reason("foreign_load", "others used 3 s");
  EXPECT_THAT(terminal_report(analyzed, "", {}), HasSubstr("\nto fix foreign_load: stop other programs"));
}

TEST(TerminalReport, ExplainsItsHalfWidthsWhereOnlyARateHasOne) {
  const RunRecord run = mixed_run();
  AnalyzedRun analyzed = analyze_run(run);
  for (AnalyzedCase& one : analyzed.cases) {
    std::erase_if(one.analysis.metrics, [](const MetricRow& row) { return row.name != "throughput_samples"; });
  }
  const std::string table = terminal_report(analyzed, "", {});
  EXPECT_THAT(table.substr(0, table.find("\n\n")), HasSubstr(" ± "));
  EXPECT_THAT(table, HasSubstr("\n±: larger side of the 95 % interval"));
}

TEST(TerminalReport, SaysWhereVerdictsDoNotGoByTheHalfWidthShown) {
  const RunRecord run = mixed_run();
  AnalyzedRun analyzed = analyze_run(run);
  const auto shown = [&](IntervalKind kind) {
    for (AnalyzedCase& one : analyzed.cases) {
      for (MetricRow& row : one.analysis.metrics) {
        if (row.low) row.interval = kind;
      }
    }
    return terminal_report(analyzed, "", {});
  };
  EXPECT_THAT(shown(IntervalKind::kBetweenSlices), HasSubstr("; verdicts go by half its length\n"));
  EXPECT_THAT(shown(IntervalKind::kBetweenReplicates), HasSubstr("; verdicts go by half its length\n"));
  EXPECT_THAT(shown(IntervalKind::kSingleWindow), Not(HasSubstr("verdicts go by")));
}

TEST(TerminalReport, AFileHasAllColumns) {
  TextOptions narrow;
  narrow.width = 60;
  EXPECT_THAT(table_of(mixed_run(), narrow), HasSubstr("terminal too narrow"));
  EXPECT_THAT(table_of(mixed_run()), Not(HasSubstr("terminal too narrow")));
}

TEST(TerminalReport, NarrowTerminalDropsMemoryAndSaysSo) {
  TextOptions options;
  options.width = 80;
  EXPECT_THAT(table_of(mixed_run(), options), HasSubstr("hidden (terminal too narrow): tensors"));
}

TEST(TerminalReport, LinesUnderItAreWrappedAtBlanksOnATerminal) {
  TextOptions options;
  const std::string whole = table_of(mixed_run(), options);
  options.width = 80;
  std::string narrow = table_of(mixed_run(), options);
  for (const std::string& line : split(narrow, '\n')) EXPECT_LE(display_width(line), 80U) << line;
  for (std::size_t at = narrow.find("\n  "); at != std::string::npos; at = narrow.find("\n  ", at)) {
    narrow.replace(at, 3, " ");
  }
  const std::string legend = "weights: ";
  EXPECT_EQ(narrow.substr(narrow.find(legend)), whole.substr(whole.find(legend))) << "no word is lost";
}

TEST(TerminalReport, ColourOnlyWhenAsked) {
  TextOptions options;
  EXPECT_THAT(table_of(mixed_run(), options), Not(HasSubstr("\x1b")));
  options.has_colour = true;
  EXPECT_THAT(table_of(mixed_run(), options), HasSubstr("\x1b[33mok, doubtful\x1b[0m"));
  RunRecord valid = mixed_run();
  valid.cases = {measured_case(0, requested_of(8, 128, "fp32"), {0.2, 0.2, 0.2})};
  EXPECT_THAT(table_of(valid, options), HasSubstr("\x1b[32mok, valid\x1b[0m"));
}

TEST(TerminalReport, HostileTextStaysOnItsLine) {
  RunRecord run = mixed_run();
  run.name = kHostileText;
  run.cases[0].requested["model"] = kHostileText;
  run.cases[3].status_reason = kHostileText;
  const std::string table = table_of(run);
  EXPECT_THAT(table, Not(HasSubstr("\x1b")));
  EXPECT_THAT(table, Not(HasSubstr("\xE2\x80\xAE")));
  EXPECT_EQ(split(table, '\n').size(), split(table_of(mixed_run()), '\n').size());
}

TEST(TerminalReport, EmptyRunSaysSo) {
  RunRecord run;
  run.id = "r";
  EXPECT_EQ(table_of(run), "the run has no cases\nhost: unknown\nrun r\n");
}

}  // namespace
}  // namespace transformeter
