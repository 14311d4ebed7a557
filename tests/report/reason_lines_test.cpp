// One line says why, for as many rows as it holds for.
#include "report/reason_lines.h"

#include <gmock/gmock.h>

#include <string>

#include "report/legend.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Batch sizes 1, 2, ... `batches`, each in both precisions, all of them ok.
RunRecord run_of_sizes(int batches) {
  RunRecord run;
  run.id = "r";
  for (int batch = 1; batch <= batches; ++batch) {
    for (const char* precision : {"fp32", "fp16"}) {
      run.cases.push_back(planned_case(static_cast<int>(run.cases.size()), requested_of(batch, 128, precision)));
      run.cases.back().status = Status::kOk;
    }
  }
  return run;
}

void end(CaseRecord& one, Status status, const std::string& reason) {
  one.status = status;
  one.status_reason = reason;
}

TEST(ReasonLines, ARunWithoutAFaultHasNone) {
  const RunRecord run = run_of_sizes(2);
  EXPECT_THAT(reason_lines(analyze_run(run)), IsEmpty());
}

TEST(ReasonLines, RowsWithTheSameReasonShareALine) {
  RunRecord run = run_of_sizes(3);
  for (const int i : {1, 3}) end(run.cases[i], Status::kUnsupported, "no CPU kernel");
  end(run.cases[4], Status::kCrashed, "the worker died by SIGSEGV");
  EXPECT_THAT(reason_lines(analyze_run(run)), ElementsAre("b1 fp16; b2 fp16: unsupported: no CPU kernel",
                                                          "b3 fp32: crashed: the worker died by SIGSEGV"));
}

TEST(ReasonLines, ManyRowsAreNamedByWhatTheyShare) {
  RunRecord run = run_of_sizes(10);
  for (std::size_t i = 1; i < run.cases.size(); i += 2) end(run.cases[i], Status::kUnsupported, "no CPU kernel");
  EXPECT_THAT(reason_lines(analyze_run(run)), ElementsAre("fp16 (10 cases): unsupported: no CPU kernel"));
  end(run.cases[1], Status::kOk, "");
  EXPECT_THAT(reason_lines(analyze_run(run)),
              ElementsAre("b2 fp16; b3 fp16; b4 fp16 and 6 more: unsupported: no CPU kernel"))
      << "b1 fp16 is another one";
  for (CaseRecord& one : run.cases) end(one, Status::kTimeout, "silent");
  EXPECT_THAT(reason_lines(analyze_run(run)), ElementsAre("all cases: timeout: silent"));
}

TEST(ReasonLines, ADoubtfulRowSaysWhyWithItsFigures) {
  const RunRecord run = run_of_sizes(2);
  AnalyzedRun analyzed = analyze_run(run);
  Verdict& verdict = analyzed.cases[0].analysis.verdict;
  verdict.add_reason("foreign_load", "others used 3 s");
  verdict.add_reason("preempted", "threads waited 1 s");
  EXPECT_THAT(reason_lines(analyzed),
              ElementsAre(analyzed.cases[0].label +
                          ": doubtful: foreign_load: others used 3 s; preempted: threads waited 1 s"));
  verdict.add_reason("numerics", "1 output is NaN");
  EXPECT_THAT(reason_lines(analyzed), ElementsAre(HasSubstr(": invalid: foreign_load")));
}

TEST(ReasonLines, ReasonsWithTheSameFiguresAreSaidOnce) {
  RunRecord run = run_of_sizes(1);
  run.cases.resize(1);
  AnalyzedRun analyzed = analyze_run(run);
  analyzed.cases[0].analysis.verdict.add_reason("not_converged", "no steady state");
  analyzed.cases[0].analysis.verdict.add_reason("drift", "no steady state");
  EXPECT_THAT(reason_lines(analyzed),
              ElementsAre(analyzed.cases[0].label + ": doubtful: not_converged, drift: no steady state"));
}

TEST(ReasonLines, DoubtfulRowsThatDifferInFiguresAloneShareTheMeaning) {
  const RunRecord run = run_of_sizes(2);
  AnalyzedRun analyzed = analyze_run(run);
  analyzed.cases[0].analysis.verdict.add_reason("preempted", "threads waited 1 s");
  analyzed.cases[1].analysis.verdict.add_reason("preempted", "threads waited 2 s");
  EXPECT_THAT(reason_lines(analyzed),
              ElementsAre(analyzed.cases[0].label + "; " + analyzed.cases[1].label +
                          ": doubtful: preempted: the scheduler often took the CPU away from the worker"));
}

TEST(ReasonLines, EachReasonIsFollowedByWhatToDo) {
  const RunRecord run = run_of_sizes(2);
  AnalyzedRun analyzed = analyze_run(run);
  EXPECT_THAT(remedy_lines(analyzed), IsEmpty());
  for (const int i : {0, 1}) analyzed.cases[i].analysis.verdict.add_reason("foreign_load", "others used 3 s");
  analyzed.cases[1].analysis.verdict.add_note("fixed_samples", "5");
  EXPECT_THAT(remedy_lines(analyzed), ElementsAre("to fix foreign_load: stop other programs and start a new run"));
  for (const VerdictTerm& term : verdict_reasons()) EXPECT_FALSE(term.remedy.empty()) << term.name;
}

TEST(ReasonLines, AHundredReasonsAreADozenLines) {
  RunRecord run = run_of_sizes(50);
  for (std::size_t i = 0; i < run.cases.size(); ++i) end(run.cases[i], Status::kFailed, "reason " + std::to_string(i));
  const std::vector<std::string> lines = reason_lines(analyze_run(run));
  ASSERT_THAT(lines, SizeIs(12));
  EXPECT_EQ(lines.back(), "89 more cases, for other reasons: see --format markdown");
}

TEST(ReasonLines, AllThatWereMeasuredAreNamedSo) {
  RunRecord run = run_of_sizes(3);
  end(run.cases[5], Status::kUnsupported, "no CPU kernel");
  const AnalyzedRun analyzed = analyze_run(run);
  std::vector<const AnalyzedCase*> measured;
  for (const AnalyzedCase& one : analyzed.cases) {
    if (one.is_ok()) measured.push_back(&one);
  }
  EXPECT_EQ(cases_text(analyzed, measured), "all measured cases");
  measured.pop_back();
  EXPECT_THAT(cases_text(analyzed, measured), HasSubstr("; "));
}

}  // namespace
}  // namespace transformeter
