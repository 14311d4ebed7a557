// The store on SQLite. Use it through store.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/sqlite.h"
#include "store/store.h"

namespace transformeter {

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(Database database) : database_(std::move(database)) {}

  void begin_run(const RunRecord& run) override;
  bool add_replicate(const std::string& run_id, const CaseRecord& the_case, const ReplicateRecord& replicate) override;
  std::vector<RunRecord> list_runs() override;
  RunRecord load_run(std::string_view selector, bool with_series) override;

 private:
  Database database_;
};

}  // namespace transformeter
