// Each method is one transaction: short for writers, one consistent view for readers.
#include "store/sqlite_store.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "store/run_selector.h"
#include "store/sqlite_join.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_schema.h"

namespace transformeter {

void SqliteStore::begin_run(const RunRecord& run) {
  Transaction transaction(database_, Transaction::Kind::kWrite);
  Statement same(database_, "SELECT 1 FROM run WHERE id = ?");
  if (same.bind(run.id).step()) {
    throw bad_value("run", run.id, fmt::format("an id that is not yet in '{}'", database_.path().string()));
  }
  insert_run(database_, run);
  transaction.commit();
}

bool SqliteStore::add_replicate(const std::string& run_id, const CaseRecord& the_case,
                                const ReplicateRecord& replicate) try {
  Transaction transaction(database_, Transaction::Kind::kWrite);
  const std::int64_t case_row = planned_case(run_id, the_case.id);
  if (!insert_replicate(database_, case_row, replicate)) return false;
  update_case(database_, case_row, the_case);
  transaction.commit();
  return true;
} catch (const Error& error) {
  throw with_consequence(error, "every replicate stored so far is kept");
}

void SqliteStore::update_replicate(const std::string& run_id, const CaseRecord& the_case,
                                   const ReplicateRecord& replicate) try {
  Transaction transaction(database_, Transaction::Kind::kWrite);
  const std::int64_t case_row = planned_case(run_id, the_case.id);
  if (!delete_replicate(database_, case_row, replicate.index)) {
    throw bad_value("replicate", std::to_string(replicate.index),
                    fmt::format("one that case '{}' of run '{}' has", the_case.id, run_id));
  }
  insert_replicate(database_, case_row, replicate);
  update_case(database_, case_row, the_case);
  transaction.commit();
} catch (const Error& error) {
  throw with_consequence(error, "every slice stored so far is kept");
}

std::int64_t SqliteStore::planned_case(const std::string& run_id, const std::string& case_id) {
  const auto case_row = find_case(database_, run_id, case_id);
  if (case_row) return *case_row;
  throw bad_value("case", case_id,
                  fmt::format("one that was planned in run '{}' of '{}'", run_id, database_.path().string()));
}

void SqliteStore::keep_summaries(const std::string& run_id, const std::vector<CaseRecord>& cases) {
  Transaction transaction(database_, Transaction::Kind::kWrite);
  for (const CaseRecord& one : cases) {
    const auto case_row = find_case(database_, run_id, one.id);
    if (case_row && one.summary) keep_summary(database_, *case_row, one);
  }
  transaction.commit();
}

JoinOutcome SqliteStore::join(const RunSource& source, const JoinOptions& options) try {
  // With nothing in the write-ahead log that is still wanted, a log that fills the disk can be taken away again.
  database_.attempt("PRAGMA wal_checkpoint(PASSIVE)");
  Transaction transaction(database_, Transaction::Kind::kWrite);
  Joiner joiner(database_, options);
  source(joiner.visitor());
  transaction.commit();
  return joiner.outcome();
} catch (const Error& error) {
  throw with_consequence(error, "nothing was imported");
}

void SqliteStore::visit(const RunQuery& query, const RunVisitor& visitor) {
  Transaction view(database_, Transaction::Kind::kRead);
  std::vector<RunEntry> runs = list_entries(database_);
  if (query.all && !query.with_trials) {
    std::erase_if(runs, [](const RunEntry& entry) { return entry.label.role == RunRole::kTrial; });
  }
  if (!query.all) {
    std::vector<RunLabel> labels;
    for (const RunEntry& entry : runs) labels.push_back(entry.label);
    runs = {runs[select_run(labels, query.selector, database_.path().string())]};
  }
  CaseReader reader(database_);
  for (const RunEntry& entry : runs) {
    visitor.on_run(read_run(database_, entry.row));
    reader.visit_cases(entry.row, query, visitor.on_case);
  }
}

std::unique_ptr<Store> open_store(const std::filesystem::path& path, StoreMode mode, const Log& log,
                                  std::string_view maker) {
  return std::make_unique<SqliteStore>(open_database(path, mode, log, maker));
}

}  // namespace transformeter
