// Unites records with those in a SQLite store. The caller holds the transaction.
#pragma once

#include <cstdint>
#include <string>

#include "store/sqlite_rows.h"
#include "store/store.h"

namespace transformeter {

class Joiner {
 public:
  /// `database` and `options` outlive it.
  Joiner(Database& database, const JoinOptions& options);

  /// To be called with the runs; it borrows this object.
  RunVisitor visitor();
  const JoinOutcome& outcome() const { return outcome_; }

 private:
  void take_run(const RunRecord& run);
  void take_case(const CaseRecord& incoming);
  void unite(std::int64_t case_row, const CaseRecord& present, const CaseRecord& incoming);
  /// How many of the replicates are new.
  std::size_t add_replicates(std::int64_t case_row, const CaseRecord& incoming);
  void conflict(const std::string& what);

  Database& database_;
  const JoinOptions& options_;
  CaseReader reader_;
  JoinOutcome outcome_;
  std::string run_id_;
  std::int64_t run_row_ = 0;
};

}  // namespace transformeter
