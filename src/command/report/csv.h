// CSV (RFC 4180): one row for each case, metric and statistic.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/gathered_run.h"
#include "base/json.h"
#include "base/output.h"
#include "schema/record.h"

namespace transformeter {

/// Written case by case: a heading and the rows, lines ended by CRLF, valid UTF-8. Identity and requested settings
/// stand in every row; a case without metrics (pending, unsupported, failed) has one row with empty metric columns. A
/// missing value is empty. What compares a case with its baseline follows the run's other rows.
class CsvResults {
 public:
  /// `baseline`: what cases are compared with in place of their plan's.
  explicit CsvResults(Sink sink, std::optional<Json> baseline = std::nullopt);
  /// The next run, used without its cases; they follow one by one and hold their series or a current summary.
  void begin_run(const RunRecord& run);
  void add_case(const CaseRecord& the_case);
  void finish();

 private:
  void end_run();

  Sink sink_;
  std::optional<Json> baseline_;
  RunRecord run_;                        // without cases
  std::optional<GatheredRun> gathered_;  // the open run, where its cases are compared
};

/// All of it at once.
std::string results_csv(const std::vector<RunRecord>& runs);

}  // namespace transformeter
