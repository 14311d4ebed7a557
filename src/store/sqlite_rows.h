// Records to rows and back. Callers hold the transaction.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/record.h"
#include "store/sqlite.h"

namespace transformeter {

/// How much of a run is read.
enum class Detail {
  kList,       // no JSON documents of cases, no series
  kDocuments,  // all but the series
  kSeries,
};

/// Inserts the run with its cases and their replicates.
void insert_run(Database& database, const RunRecord& run);

/// Inserts the replicate with its series; false when the case (its row number) has one of that index.
bool insert_replicate(Database& database, std::int64_t case_row, const ReplicateRecord& replicate);

/// What is known of a case after a replicate: keys and documents that are not empty, and the status from its
/// replicates.
void update_case(Database& database, std::int64_t case_row, const CaseRecord& the_case);

/// Row numbers of all runs, latest first, with the runs' own fields but no cases.
struct RunRow {
  std::int64_t row = 0;
  RunRecord run;
};
std::vector<RunRow> read_runs(Database& database);

/// Reads the cases of runs, with statements prepared once.
class CaseReader {
 public:
  explicit CaseReader(Database& database);

  /// The cases of one run by position, their replicates by index. Throws Error(kBadInput) for damaged rows.
  std::vector<CaseRecord> cases_of(std::int64_t run_row, Detail detail);

 private:
  std::vector<ReplicateRecord> replicates_of(std::int64_t case_row, Detail detail);
  std::vector<Series> series_of(std::int64_t replicate_row);

  Database& database_;
  Statement cases_;
  Statement replicates_;
  Statement series_;
};

}  // namespace transformeter
