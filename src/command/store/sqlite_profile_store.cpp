// One row for each case. All that lists show is in columns; the profile itself, by far the largest, is read only where
// it is asked for. A store of an earlier schema, which is only read, has none.
#include "store/profile_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "store/run_selector.h"
#include "store/sqlite.h"
#include "store/sqlite_schema.h"

namespace transformeter {
namespace {

// A command with cases in the store.
struct StoredCommand {
  RunLabel label;
  bool has_profile = false;
};

std::string selected_command(const std::vector<StoredCommand>& commands, std::string_view selector,
                             const std::string& where) {
  if (!commands.empty() && (selector.empty() || selector == kLatestProfile)) {
    const auto ok =
        std::find_if(commands.begin(), commands.end(), [](const StoredCommand& one) { return one.has_profile; });
    return ok == commands.end() ? commands.front().label.id : ok->label.id;
  }
  std::vector<RunLabel> labels;
  for (const StoredCommand& one : commands) labels.push_back(one.label);
  return labels[select_run(labels, selector, where, "profile")].id;
}

// The callers' errors name the file.
Json object_in(const std::string& text) {
  Json object = parse_json("a column", text);
  if (!object.is_object()) throw Error(ErrorKind::kBadInput, "a column holds no JSON object");
  return object;
}

class SqliteProfileStore final : public ProfileStore {
 public:
  explicit SqliteProfileStore(Database database) : database_(std::move(database)) {}

  void keep(const ProfileRecord& record) override try {
    Transaction transaction(database_, Transaction::Kind::kWrite);
    Statement same(database_, "SELECT 1 FROM profile WHERE id = ? AND case_id = ?");
    if (same.bind(record.id, record.case_id).step()) {
      throw bad_value("profile", fmt::format("{} {}", record.id, record.case_id),
                      fmt::format("one that is not yet in '{}'", database_.path().string()));
    }
    const std::string document = record.profile ? canonical_json(to_json(*record.profile)) : "";
    Statement insert(database_,
                     "INSERT INTO profile (id, name, started_at, host, case_id, label, requested, effective, workload, "
                     "recorded, status, status_reason, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert
        .bind(record.id, record.name, record.started_at, canonical_json(record.host), record.case_id, record.label,
              canonical_json(record.requested), canonical_json(record.effective), canonical_json(record.workload),
              canonical_json(to_json(record.recorded)), name_of(record.status), record.reason,
              record.profile ? std::optional<std::string_view>(document) : std::nullopt)
        .run();
    transaction.commit();
  } catch (const Error& error) {
    throw with_consequence(error, "every profile stored so far is kept");
  }

  bool has_name(std::string_view name) override {
    Transaction view(database_, Transaction::Kind::kRead);
    if (!has_table()) return false;
    Statement select(database_, "SELECT 1 FROM profile WHERE name = ?");
    return select.bind(name).step();
  }

  std::vector<ProfileRecord> list() override {
    Transaction view(database_, Transaction::Kind::kRead);
    return read("");
  }

  std::optional<Profile> profile_of(const ProfileRecord& record) override {
    Transaction view(database_, Transaction::Kind::kRead);
    return read_profile(record);
  }

  std::vector<ProfileRecord> load(std::string_view selector) override {
    Transaction view(database_, Transaction::Kind::kRead);
    std::vector<ProfileRecord> records = read(selected_command(commands(), selector, database_.path().string()));
    for (ProfileRecord& one : records) one.profile = read_profile(one);
    return records;
  }

 private:
  // What `read` gives; its faults name the profile.
  template <typename Read>
  auto readable(const ProfileRecord& record, const Read& read) const {
    const auto damaged = [&](const char* why) {
      return Error(ErrorKind::kBadInput, fmt::format("the store '{}' is damaged: cannot read profile {} {} ({})",
                                                     database_.path().string(), record.id, record.case_id, why));
    };
    try {
      return read();
    } catch (const Json::exception& error) {
      throw damaged(error.what());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBadInput && error.kind() != ErrorKind::kProtocol) throw;
      throw damaged(error.what());
    }
  }

  bool has_table() { return database_.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'profile'") > 0; }

  // The latest first. Whatever else the rows hold: one that is damaged hides no other command.
  std::vector<StoredCommand> commands() {
    if (!has_table()) return {};
    Statement select(database_,
                     "SELECT id, max(name), max(document IS NOT NULL) FROM profile GROUP BY id ORDER BY "
                     "max(started_at) DESC, id DESC");
    std::vector<StoredCommand> found;
    select.bind();
    while (select.step()) found.push_back({{select.text(0), select.text(1)}, select.integer(2) != 0});
    return found;
  }

  // Those of one command; of all where `id` is empty.
  std::vector<ProfileRecord> read(std::string_view id) {
    if (!has_table()) return {};
    Statement select(database_,
                     "SELECT id, name, started_at, host, case_id, label, requested, effective, workload, recorded, "
                     "status, status_reason FROM profile WHERE ?1 IN ('', id) ORDER BY started_at DESC, id DESC, "
                     "sequence");
    std::vector<ProfileRecord> records;
    select.bind(id);
    while (select.step()) records.push_back(record_of(select));
    return records;
  }

  ProfileRecord record_of(const Statement& row) const {
    ProfileRecord record;
    record.id = row.text(0);
    record.case_id = row.text(4);
    return readable(record, [&] {
      record.name = row.text(1);
      record.started_at = row.text(2);
      record.host = object_in(row.text(3));
      record.label = row.text(5);
      record.requested = object_in(row.text(6));
      record.effective = object_in(row.text(7));
      record.workload = object_in(row.text(8));
      record.recorded = profile_options_from_json(object_in(row.text(9)));
      record.status = status_from_name(row.text(10));
      record.reason = row.text(11);
      return record;
    });
  }

  std::optional<Profile> read_profile(const ProfileRecord& record) {
    if (!record.is_ok() || !has_table()) return std::nullopt;
    Statement select(database_, "SELECT document FROM profile WHERE id = ? AND case_id = ?");
    if (!select.bind(record.id, record.case_id).step()) return std::nullopt;
    return readable(record, [&] { return std::optional(profile_from_json(object_in(select.text(0)))); });
  }

  Database database_;
};

}  // namespace

std::unique_ptr<ProfileStore> open_profile_store(const std::filesystem::path& path, StoreMode mode, const Log& log) {
  return std::make_unique<SqliteProfileStore>(open_database(path, mode, log, "profile"));
}

}  // namespace transformeter
