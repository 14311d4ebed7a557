// CSV read back by a parser of RFC 4180.
#include "report/csv.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "metrics/case_metrics.h"
#include "support/result_records.h"

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

}  // namespace
}  // namespace transformeter
