// One row for each peak; what is looked up are columns, the rest a JSON document.
#include "store/peak_store.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_schema.h"

namespace transformeter {
namespace {

class SqlitePeakStore final : public PeakStore {
 public:
  explicit SqlitePeakStore(Database database) : database_(std::move(database)) {}

  void keep(const PeakRecord& measured) override {
    Transaction transaction(database_, Transaction::Kind::kWrite);
    const std::vector<PeakRecord> known = read();
    const PeakRecord* earlier = find_peak(known, measured.place, measured.peak.quantity);
    const PeakRecord record = earlier == nullptr ? measured : best_of(*earlier, measured);
    Statement insert(database_,
                     "INSERT OR REPLACE INTO peak (fingerprint, runtime, device, threads, quantity, measured_at, "
                     "document) VALUES (?, ?, ?, ?, ?, ?, ?)");
    const PeakPlace& place = record.place;
    insert
        .bind(place.fingerprint, place.runtime, place.device, place.threads, record.peak.quantity, record.measured_at,
              to_json(record.peak).dump())
        .run();
    transaction.commit();
  }

  void hold_against(const RunRecord& run) override {
    Transaction transaction(database_, Transaction::Kind::kWrite);
    Statement update(database_, "UPDATE run SET host = ? WHERE id = ?");
    update.bind(canonical_json(run.host), run.id).run();
    if (database_.changes() == 0) {
      throw bad_value("run", run.id, fmt::format("one in '{}'", database_.path().string()));
    }
    for (const CaseRecord& one : run.cases) {
      const auto case_row = find_case(database_, run.id, one.id);
      if (!case_row) throw bad_value("case", one.id, fmt::format("one of run '{}'", run.id));
      update_case(database_, *case_row, one);
    }
    transaction.commit();
  }

  std::vector<PeakRecord> list() override {
    Transaction view(database_, Transaction::Kind::kRead);
    return read();
  }

 private:
  std::vector<PeakRecord> read() {
    Statement select(database_,
                     "SELECT fingerprint, runtime, device, threads, measured_at, document FROM peak "
                     "ORDER BY fingerprint, runtime, device, threads, quantity");
    std::vector<PeakRecord> records;
    select.bind();
    while (select.step()) {
      PeakRecord& record = records.emplace_back();
      record.place = {select.text(0), select.text(1), select.text(2), select.small_integer(3)};
      record.measured_at = select.text(4);
      record.peak = peak_from(select.text(5));
    }
    return records;
  }

  Peak peak_from(const std::string& document) const {
    try {
      return peak_from_json(parse_json(database_.path().string(), document));
    } catch (const Json::exception& error) {
      throw Error(ErrorKind::kBadInput, fmt::format("the store '{}' is damaged: cannot read a peak ({})",
                                                    database_.path().string(), error.what()));
    }
  }

  Database database_;
};

}  // namespace

std::unique_ptr<PeakStore> open_peak_store(const std::filesystem::path& path, const Log& log) {
  return std::make_unique<SqlitePeakStore>(open_database(path, StoreMode::kWrite, log));
}

}  // namespace transformeter
