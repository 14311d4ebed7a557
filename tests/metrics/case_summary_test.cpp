// A summary says what the samples say, and is not believed when another version made it.
#include "metrics/case_summary.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::HasSubstr;

std::string text_of(const CaseAnalysis& analysis, const char* number_format = "{}") {
  const auto number = [&](const std::optional<double>& value) {
    return value ? fmt::format(fmt::runtime(number_format), *value) : std::string("-");
  };
  std::string text(name_of(analysis.verdict.level));
  for (const auto* findings : {&analysis.verdict.reasons, &analysis.verdict.notes}) {
    for (const Finding& finding : *findings) text += "\n" + finding.name + ": " + finding.detail;
  }
  for (const auto& from : analysis.steady_from) text += fmt::format("\nsteady {}", from ? std::to_string(*from) : "-");
  for (const MetricRow& row : analysis.metrics) {
    text += fmt::format("\n{} {} {} {} {} {} {} {} {} {}", row.name, row.unit, row.statistic, number(row.value),
                        number(row.low), number(row.high), name_of(row.interval), row.n, row.provenance, row.reason);
  }
  return text;
}

CaseRecord summarized(CaseRecord one) {
  one.summary = summarize(one);
  for (ReplicateRecord& replicate : one.replicates) replicate.series.clear();
  return one;
}

TEST(CaseSummary, SaysWhatTheSeriesSay) {
  RunRecord run = mixed_run();
  run.cases.push_back(measured_case(5, requested_of(8, 128, "fp32"), {0.1, 0.11, 0.12}));
  run.cases.back().replicates[1].series.clear();
  run.cases.push_back(measured_case(6, requested_of(8, 128, "fp32"), {1e-300}));
  for (const CaseRecord& one : run.cases) {
    EXPECT_EQ(text_of(analysis_of(summarized(one))), text_of(analyze_case(one))) << one.id;
  }
}

TEST(CaseSummary, KeepsTextThatHoldsItsOwnSeparators) {
  CaseRecord one = measured_case(0, requested_of(8, 128, "fp32"), {0.1});
  ReplicateRecord crashed;
  crashed.index = 1;
  crashed.status = Status::kCrashed;
  crashed.status_reason = "tab\there\nline \\t" + kHostileText;
  one.replicates.push_back(crashed);
  const std::string expected = text_of(analyze_case(one));
  ASSERT_THAT(expected, HasSubstr("tab\there"));
  EXPECT_EQ(text_of(analysis_of(summarized(one))), expected);
}

TEST(CaseSummary, HeadlinesAreTheFirstRowOfEachMetric) {
  const CaseRecord one = summarized(measured_case(0, requested_of(8, 128, "fp32"), {0.1}));
  const CaseAnalysis all = analysis_of(one);
  const CaseAnalysis headlines = analysis_of(one, MetricRows::kHeadlines);
  EXPECT_LT(headlines.metrics.size(), all.metrics.size());
  for (const MetricRow& row : all.metrics) {
    const MetricRow* headline = find_metric(headlines.metrics, row.name, "");
    ASSERT_NE(headline, nullptr) << row.name;
    EXPECT_EQ(headline->statistic, find_metric(all.metrics, row.name, "")->statistic);
    EXPECT_EQ(headline->unit, row.unit);
  }
}

TEST(CaseSummary, OfAnotherVersionIsComputedAnew) {
  CaseRecord one = measured_case(0, requested_of(8, 128, "fp32"), {0.1});
  one.summary = CaseSummary{kAnalysisVersion + 1, "nobody here can read this"};
  EXPECT_FALSE(has_current_summary(one));
  EXPECT_EQ(text_of(analysis_of(one)), text_of(analyze_case(one)));
}

TEST(CaseSummary, DamagedIsAnErrorWhereverItIsCut) {
  CaseRecord one = summarized(measured_case(0, requested_of(8, 128, "fp32"), {0.1}));
  const std::string whole = one.summary->document;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    if (whole[size - 1] == '\n') continue;
    one.summary->document = whole.substr(0, size);
    EXPECT_THROW(analysis_of(one), Error) << size;
  }
  for (const char* line : {"metric\tlatency\tmedian\tx\t\t\t0\t1\t\t\n", "level\t9\n", "what\t1\n", "\n"}) {
    one.summary->document = line;
    EXPECT_THROW(analysis_of(one), Error) << line;
  }
}

// When this fails because analyze_case or the text of a summary changed on purpose, raise kAnalysisVersion, so that
// stored summaries are computed anew, and put the new value here.
TEST(CaseSummary, ChangesOnlyWithItsVersion) {
  std::string text;
  for (const CaseRecord& one : mixed_run().cases) text += text_of(analyze_case(one), "{:.6g}");
  for (const char* scenario : {"train", "generate"}) {
    Json requested = requested_of(8, 128, "fp32");
    requested["scenario"] = scenario;
    text += text_of(analyze_case(measured_case(5, requested, {0.2})), "{:.6g}");
  }
  text += text_of(analyze_case(measured_case(7, requested_of(8, 128, "fp32"), {0.1, 0.1, 0.4})), "{:.6g}");
  for (const Json& more :
       {Json::object(), Json{{"foreign_load", 0.7}}, Json{{"exceeded", true}}, Json{{"value", 1e9}}}) {
    CaseRecord one = measured_case(6, requested_of(8, 128, "fp32"), {0.2});
    Series flops;
    flops.name = "useful_flops";
    flops.value = {8e9};
    one.replicates.front().series.push_back(flops);
    Json gemm = {{"quantity", "gemm_fp32"}, {"value", 1e12}, {"foreign_load", 0}};
    gemm.update(more);
    one.effective["peaks"] = {{"gemm", gemm}};
    text += text_of(analyze_case(one), "{:.6g}");
  }
  EXPECT_EQ(kAnalysisVersion, 26);
  EXPECT_EQ(sha256_hex(text).substr(0, 16), "0978d70cddef0b19") << text;
}

}  // namespace
}  // namespace transformeter
