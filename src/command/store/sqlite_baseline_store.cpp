// One row for each baseline. A store of an earlier schema, which is only read, has none.
#include <algorithm>
#include <utility>

#include "store/baseline_store.h"
#include "store/sqlite_schema.h"

namespace transformeter {
namespace {

class SqliteBaselineStore final : public BaselineStore {
 public:
  explicit SqliteBaselineStore(Database database) : database_(std::move(database)) {}

  void keep(const BaselineRecord& record) override {
    Transaction transaction(database_, Transaction::Kind::kWrite);
    Statement insert(database_, "INSERT OR REPLACE INTO baseline (name, run, selection, set_at) VALUES (?, ?, ?, ?)");
    insert.bind(record.name, record.run, record.where, record.set_at).run();
    transaction.commit();
  }

  bool remove(std::string_view name) override {
    Transaction transaction(database_, Transaction::Kind::kWrite);
    Statement removal(database_, "DELETE FROM baseline WHERE name = ?");
    removal.bind(std::string(name)).run();
    const bool was_there = database_.changes() > 0;
    transaction.commit();
    return was_there;
  }

  std::vector<BaselineRecord> list() override {
    Transaction view(database_, Transaction::Kind::kRead);
    if (database_.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'baseline'") == 0) return {};
    Statement select(database_, "SELECT name, run, selection, set_at FROM baseline ORDER BY name");
    std::vector<BaselineRecord> records;
    select.bind();
    while (select.step()) records.push_back({select.text(0), select.text(1), select.text(2), select.text(3)});
    return records;
  }

 private:
  Database database_;
};

}  // namespace

std::optional<BaselineRecord> BaselineStore::find(std::string_view name) {
  const std::vector<BaselineRecord> records = list();
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const BaselineRecord& one) { return one.name == name; });
  return found == records.end() ? std::nullopt : std::optional(*found);
}

std::unique_ptr<BaselineStore> open_baseline_store(const std::filesystem::path& path, StoreMode mode, const Log& log) {
  return std::make_unique<SqliteBaselineStore>(open_database(path, mode, log));
}

}  // namespace transformeter
