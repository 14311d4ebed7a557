// Each method is one transaction: short for writers, one consistent view for readers.
#include "store/sqlite_store.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "store/run_selector.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_schema.h"

namespace transformeter {

void SqliteStore::begin_run(const RunRecord& run) {
  Transaction transaction(database_, Transaction::Kind::kWrite);
  Statement same(database_, "SELECT 1 FROM run WHERE id = ?");
  if (same.bind(run.id).step()) {
    throw bad_value("run", run.id, fmt::format("an id that '{}' does not hold yet", database_.path().string()));
  }
  insert_run(database_, run);
  transaction.commit();
}

bool SqliteStore::add_replicate(const std::string& run_id, const CaseRecord& the_case,
                                const ReplicateRecord& replicate) {
  Transaction transaction(database_, Transaction::Kind::kWrite);
  Statement planned(database_,
                    "SELECT c.sequence FROM plan_case c JOIN run r ON r.sequence = c.run WHERE r.id = ? AND c.id = ?");
  if (!planned.bind(run_id, the_case.id).step()) {
    throw bad_value("case", the_case.id,
                    fmt::format("one that was planned in run '{}' of '{}'", run_id, database_.path().string()));
  }
  const std::int64_t case_row = planned.integer(0);
  if (!insert_replicate(database_, case_row, replicate)) return false;
  update_case(database_, case_row, the_case);
  transaction.commit();
  return true;
}

std::vector<RunRecord> SqliteStore::list_runs() {
  Transaction view(database_, Transaction::Kind::kRead);
  CaseReader reader(database_);
  std::vector<RunRecord> runs;
  for (RunRow& entry : read_runs(database_)) {
    entry.run.cases = reader.cases_of(entry.row, Detail::kList);
    runs.push_back(std::move(entry.run));
  }
  return runs;
}

RunRecord SqliteStore::load_run(std::string_view selector, bool with_series) {
  Transaction view(database_, Transaction::Kind::kRead);
  std::vector<RunRow> runs = read_runs(database_);
  std::vector<RunLabel> labels;
  for (const RunRow& entry : runs) labels.push_back({entry.run.id, entry.run.name});
  RunRow& chosen = runs[select_run(labels, selector, database_.path().string())];
  chosen.run.cases = CaseReader(database_).cases_of(chosen.row, with_series ? Detail::kSeries : Detail::kDocuments);
  return std::move(chosen.run);
}

std::unique_ptr<Store> open_store(const std::filesystem::path& path, StoreMode mode, const Log& log) {
  return std::make_unique<SqliteStore>(open_database(path, mode, log));
}

}  // namespace transformeter
