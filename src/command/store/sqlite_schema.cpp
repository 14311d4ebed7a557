// Refusing what is not ours comes first; only then is anything in the file changed.
#include "store/sqlite_schema.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "store/network_file_system.h"
#include "store/sqlite_migrations.h"

namespace transformeter {
namespace {

// SQLite would overwrite a file of a few bytes, taking it for an empty one. The file is not opened for a look: closing
// it would drop the locks that another connection of this process holds on it.
void check_size(const std::filesystem::path& path) {
  constexpr std::uintmax_t kSmallestPageBytes = 512;
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (unknown || size == 0 || size >= kSmallestPageBytes) return;  // SQLite will say what is wrong with it
  throw Error(ErrorKind::kBadInput,
              fmt::format("'{}' is not a transformeter store; choose another file with --store", path.string()));
}

void check_path(const std::filesystem::path& path, StoreMode mode, std::string_view maker) {
  if (path.empty()) throw bad_value("store", "", "the path of a file", "The default is transformeter.db");
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    throw bad_value("store", path.string(), "a file, but this is a folder",
                    fmt::format("Try --store {}", (path / "transformeter.db").string()));
  }
  if (std::filesystem::is_regular_file(status)) return check_size(path);
  if (status.type() == std::filesystem::file_type::not_found) {
    if (mode == StoreMode::kRead) {
      throw Error(
          ErrorKind::kBadInput,
          fmt::format("no store at '{0}'; create one with `transformeter {1} --store {0}`", path.string(), maker));
    }
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    if (std::filesystem::is_directory(folder, ignored)) return;
    throw Error(ErrorKind::kBadInput,
                fmt::format("cannot create the store '{}': folder '{}' does not exist; create it first", path.string(),
                            folder.string()));
  }
  if (status.type() == std::filesystem::file_type::none) return;  // not to be told; SQLite will say why
  throw bad_value("store", path.string(), "a regular file");
}

bool check_ownership_at_once(Database& database) {
  Transaction view(database, Transaction::Kind::kRead);
  return check_ownership(database);
}

// Changes the journal. With two programs at it, SQLite breaks the tie by refusing one at once instead of waiting.
std::string set_journal(Database& database, const char* sql) {
  constexpr auto kPause = std::chrono::milliseconds(5);
  constexpr int kAttempts = 2000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if ((database.attempt(sql) & 0xFF) != SQLITE_BUSY) break;
    std::this_thread::sleep_for(kPause);
  }
  return database.text("PRAGMA journal_mode");
}

// WAL lets readers read while a run writes, but needs memory shared by all who open the file: not given over a network.
void choose_journal(Database& database, const Log& log) {
  const auto network = network_file_system(std::filesystem::absolute(database.path()).parent_path());
  const std::string wanted = network ? "delete" : "wal";
  std::string effective = database.text("PRAGMA journal_mode");
  if (effective != wanted) {
    effective = set_journal(database, network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  }
  if (!log) return;
  if (network) {
    log(LogLevel::kWarning, fmt::format("the store '{}' is on a network file system ({}), so a slower journal is used; "
                                        "use one store per machine and merge them afterwards",
                                        database.path().string(), *network));
  } else if (effective != wanted) {
    log(LogLevel::kWarning, fmt::format("the store '{}' cannot use a write-ahead log here; it uses journal mode '{}'",
                                        database.path().string(), effective));
  }
}

bool is_writable(const std::filesystem::path& path) {
  return ::access(path.c_str(), W_OK) == 0;
}

// The file format's version numbers for reading and writing, bytes 18 and 19 of the head, are 2 with a write-ahead log.
bool has_write_ahead_format(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 20> head{};
  return file.read(head.data(), head.size()) && head[18] == 2 && head[19] == 2;
}

// Reading with a write-ahead log makes files beside the store. Where they cannot be made (a read-only folder or file)
// and none is there that holds a part of the content, the file itself is all there is, and is read without locks.
bool must_read_as_is(const std::filesystem::path& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (is_writable(path) && is_writable(folder)) return false;
  std::error_code missing;
  const auto log_size = std::filesystem::file_size(path.string() + "-wal", missing);
  return (missing || log_size == 0) && has_write_ahead_format(path);
}

Database open_for_reading(const std::filesystem::path& path, std::string_view maker) {
  // Not read-only, where permissions allow: a reader must be able to finish what a killed writer left in a journal.
  Database database(path, must_read_as_is(path) ? Database::Access::kImmutable : Database::Access::kReadWrite);
  if (!check_ownership_at_once(database)) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("'{0}' is empty, not a store; run `transformeter {1} --store {0}` first", path.string(), maker));
  }
  database.execute("PRAGMA query_only = ON");
  return database;
}

}  // namespace

bool check_ownership(Database& database) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  const std::string where = database.path().string();
  if (application == 0 && version == 0 && database.integer("SELECT count(*) FROM sqlite_schema") == 0) return false;
  if (application != kStoreApplicationId) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{}' is a SQLite file of another application (its id is {}), not a transformeter store; "
                            "choose another file with --store",
                            where, application));
  }
  if (version > kStoreSchemaVersion) {
    throw Error(ErrorKind::kBadInput, fmt::format("the store '{}' has schema version {}, this program supports up to "
                                                  "{}; use a newer transformeter or another file with --store",
                                                  where, version, kStoreSchemaVersion));
  }
  // We make none of these. In a file that others made, a view in place of a table could keep a query running for ever,
  // and a trigger a transaction.
  constexpr const char* kForeign =
      "SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%'";
  if (database.integer(kForeign) > 0) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("the store '{}' was changed by another program: it contains views, triggers or virtual tables",
                    where));
  }
  return true;
}

Database open_database(const std::filesystem::path& path, StoreMode mode, const Log& log, std::string_view maker) {
  check_path(path, mode, maker);
  if (mode == StoreMode::kRead) return open_for_reading(path, maker);
  Database database(path, Database::Access::kReadWriteCreate);
  check_ownership_at_once(database);
  choose_journal(database, log);
  database.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  migrate(database, log);
  return database;
}

}  // namespace transformeter
