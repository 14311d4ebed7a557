// CSV with one row for each case, the form of a data frame.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/gathered_run.h"
#include "base/json.h"
#include "base/output.h"
#include "metrics/case_metrics.h"
#include "report/csv_fields.h"
#include "schema/record.h"

namespace transformeter {

/// The identity of CsvResults, `baseline_case` and `answer`, then a column for each statistic of a metric that any case
/// has: `latency` for a metric's headline, `latency_p99` for another, each followed by `..._low` and `..._high` where
/// any case has an interval. Units are the metric's own. Written by finish(), since the last case may bring a column.
class WideCsv {
 public:
  /// `baseline`: what cases are compared with in place of their plan's.
  explicit WideCsv(Sink sink, std::optional<Json> baseline = std::nullopt);
  /// As CsvResults.
  void begin_run(const RunRecord& run);
  void add_case(const CaseRecord& the_case);
  void finish();

 private:
  struct Value {
    std::optional<double> value, low, high;
  };
  struct Column {
    std::string name;
    bool has_interval = false;
  };
  struct Row {
    CsvFields identity;
    std::map<std::string, Value> values;  // by column
    std::string baseline_case;
    std::string answer;
  };

  void end_run();
  void add_values(Row& row, const std::vector<MetricRow>& metrics);
  CsvFields fields_of(const Row& row) const;

  Sink sink_;
  std::optional<Json> baseline_;
  std::vector<Column> columns_;                // in the order in which they came up
  std::map<std::string, std::size_t> places_;  // of columns, by name
  std::vector<Row> rows_;
  RunRecord run_;                                 // the open one, without cases
  std::map<std::string, std::size_t> case_rows_;  // of the open run, by case id
  std::optional<GatheredRun> gathered_;           // the open run, where its cases are compared
};

}  // namespace transformeter
