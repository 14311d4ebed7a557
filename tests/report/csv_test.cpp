// CSV read back by a parser of RFC 4180.
#include "report/csv.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "metrics/case_metrics.h"
#include "metrics/case_summary.h"
#include "report/csv_fields.h"
#include "report/wide_csv.h"
#include "support/result_records.h"
#include "support/training_records.h"

namespace transformeter {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> parse_csv(const std::string& text) {
  std::vector<Row> rows;
  Row row;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        field.push_back(c);
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field.push_back(text[++i]);
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.push_back(std::move(field));
      field.clear();
    } else if (c == '\r') {
      row.push_back(std::move(field));
      field.clear();
      rows.push_back(std::move(row));
      row.clear();
      ++i;  // the line feed
    } else {
      field.push_back(c);
    }
  }
  return rows;
}

std::size_t column(const std::vector<Row>& rows, const std::string& name) {
  return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
}

TEST(Csv, OneRowPerMetricAndOneForACaseWithout) {
  const RunRecord run = mixed_run();
  std::size_t expected = 1;
  for (const CaseRecord& one : run.cases) {
    expected += std::max<std::size_t>(1, analyze_case(one).metrics.size());
  }
  const auto rows = parse_csv(results_csv({run}));
  EXPECT_EQ(rows.size(), expected);
  for (const Row& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  const auto pending = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r[3] == "c03"; });
  ASSERT_NE(pending, rows.end());
  EXPECT_EQ((*pending)[column(rows, "status")], "pending");
  EXPECT_EQ((*pending)[column(rows, "metric")], "");
  EXPECT_EQ((*pending)[column(rows, "sequence_length")], "natural");
}

TEST(Csv, HostileTextComesBackAsItWas) {
  RunRecord run = mixed_run();
  run.name = kHostileText;
  const auto rows = parse_csv(results_csv({run}));
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(rows[i][1], kHostileText);
}

TEST(Csv, ReplacesWhatIsNotUtf8AndQuotesOnlyWhereNeeded) {
  EXPECT_EQ(csv_field("a\xFF"
                      "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
}

TEST(Csv, NoRunsLeaveTheHeading) {
  EXPECT_EQ(parse_csv(results_csv({})).size(), 1U);
}

class WideCsvTest : public ::testing::Test {
 protected:
  static std::vector<Row> rows_of(const std::vector<RunRecord>& runs, std::optional<Json> baseline = std::nullopt) {
    std::string csv;
    WideCsv results([&](std::string_view text) { csv.append(text); }, std::move(baseline));
    for (const RunRecord& run : runs) {
      results.begin_run(run);
      for (const CaseRecord& one : run.cases) results.add_case(one);
    }
    results.finish();
    return parse_csv(csv);
  }
};

TEST_F(WideCsvTest, HasARowForEachCaseAndTheHeadlineOfEachMetric) {
  const RunRecord run = mixed_run();
  const auto rows = rows_of({run});
  ASSERT_EQ(rows.size(), 1 + run.cases.size());
  for (const Row& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  const CaseAnalysis analysis = analysis_of(run.cases[0]);
  const MetricRow* latency = find_metric(analysis.metrics, "latency", "");
  ASSERT_NE(latency, nullptr);
  EXPECT_EQ(rows[1][column(rows, "latency")], fmt::format("{}", *latency->value));
  EXPECT_EQ(column(rows, "latency_low"), column(rows, "latency") + 1);
  EXPECT_EQ(column(rows, "latency_high"), column(rows, "latency") + 2);
  EXPECT_EQ(std::count(rows[0].begin(), rows[0].end(), "latency"), 1);
  const auto pending = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r[3] == "c03"; });
  ASSERT_NE(pending, rows.end());
  EXPECT_EQ((*pending)[column(rows, "latency")], "");
}

TEST_F(WideCsvTest, AMetricOfALaterRunHasAColumnToo) {
  RunRecord training = mixed_run();
  training.id = "t";
  training.cases.clear();
  add_training_case(training, training_settings(4), {{"forward_time", {0.01}}});
  const auto rows = rows_of({mixed_run(), training});
  EXPECT_EQ(rows[1][column(rows, "forward_time")], "");
  EXPECT_EQ(rows.back()[column(rows, "forward_time")], "0.01");
  EXPECT_EQ(rows.back()[column(rows, "run_id")], "t");
}

TEST_F(WideCsvTest, ComparisonsStandInTheRowOfTheCandidate) {
  RunRecord run = mixed_run();
  run.cases.clear();
  for (const char* attention : {"eager", "sdpa"}) {
    Json requested = requested_of(8, 128, "fp32");
    requested["attention"] = attention;
    run.cases.push_back(measured_case(static_cast<int>(run.cases.size()), requested, {0.02, 0.02, 0.0201}));
  }
  const auto rows = rows_of({run}, Json{{"attention", "eager"}});
  EXPECT_EQ(rows[1][column(rows, "baseline_case")], "");
  EXPECT_EQ(rows[2][column(rows, "baseline_case")], rows[1][column(rows, "case_id")]);
  EXPECT_NE(rows[2][column(rows, "speed_up")], "");
}

TEST_F(WideCsvTest, NoRunsLeaveTheHeading) {
  EXPECT_EQ(rows_of({}).size(), 1U);
}

}  // namespace
}  // namespace transformeter
