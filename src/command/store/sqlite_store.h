// The store on SQLite. Use it through store.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/sqlite.h"
#include "store/store.h"

namespace transformeter {

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(Database database) : database_(std::move(database)) {}

  void begin_run(const RunRecord& run) override;
  bool add_replicate(const std::string& run_id, const CaseRecord& the_case, const ReplicateRecord& replicate) override;
  void update_replicate(const std::string& run_id, const CaseRecord& the_case,
                        const ReplicateRecord& replicate) override;
  void keep_summaries(const std::string& run_id, const std::vector<CaseRecord>& cases) override;
  JoinOutcome join(const RunSource& source, const JoinOptions& options) override;
  void visit(const RunQuery& query, const RunVisitor& visitor) override;

 private:
  /// Its row number. Throws Error(kBadInput) where it was not planned.
  std::int64_t planned_case(const std::string& run_id, const std::string& case_id);

  Database database_;
};

}  // namespace transformeter
