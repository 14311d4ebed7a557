// Records to rows and back. Callers hold the transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/record.h"
#include "store/run_selector.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace transformeter {

/// Inserts the run with its cases and their replicates; returns its row number.
std::int64_t insert_run(Database& database, const RunRecord& run);

/// Inserts the replicate with its series; false when the case (its row number) has one of that index.
bool insert_replicate(Database& database, std::int64_t case_row, const ReplicateRecord& replicate);

/// Takes away the replicate of that index with its series; false where there is none.
bool delete_replicate(Database& database, std::int64_t case_row, int index);

/// What is known of a case after a replicate: keys and documents that are not empty, and the status from its
/// replicates, or as given while there are none. Drops the summary, which is of fewer replicates.
void update_case(Database& database, std::int64_t case_row, const CaseRecord& the_case);

/// The row number of a case; nothing when run or case is not there.
std::optional<std::int64_t> find_case(Database& database, std::string_view run_id, std::string_view case_id);

/// Inserts a case with its replicates, from which its status follows if it has any, and its summary when it has one;
/// returns its row number.
std::int64_t insert_case(Database& database, std::int64_t run_row, const CaseRecord& one);

/// Keeps the case's summary if it is of as many replicates and samples as the store holds.
void keep_summary(Database& database, std::int64_t case_row, const CaseRecord& one);

/// The names and row numbers of all runs, latest first.
struct RunEntry {
  std::int64_t row = 0;
  RunLabel label;
};
std::vector<RunEntry> list_entries(Database& database);

/// The run's own fields, without its cases.
RunRecord read_run(Database& database, std::int64_t run_row);

/// Reads the cases of runs, with statements prepared once.
class CaseReader {
 public:
  explicit CaseReader(Database& database);

  /// Calls `on_case` with the cases of one run that `query` asks for, by position, their replicates by index. Throws
  /// Error(kBadInput) for damaged rows.
  void visit_cases(std::int64_t run_row, const RunQuery& query, const std::function<void(CaseRecord&&)>& on_case);

  /// One replicate with its series; nothing when the case has none of that index.
  std::optional<ReplicateRecord> replicate_of(std::int64_t case_row, int index);

 private:
  CaseRecord read_case(Detail detail);
  ReplicateRecord read_replicate();
  std::vector<Series> series_of(std::int64_t replicate_row);

  Database& database_;
  Statement cases_;
  Statement replicates_;
  Statement series_;
};

}  // namespace transformeter
