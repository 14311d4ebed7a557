// The copy is made while the write lock is held, so that nothing is stored between copy and change.
#include "store/sqlite_migrations.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "store/sqlite_schema.h"

namespace transformeter {
namespace {

// kMigrations[v] brings a file of version v to v + 1; a new file has version 0. Never change one that was released.
// Columns of a series are little-endian arrays: float64 for value and start_s, uint32 for flags, int64 for the rest.
constexpr std::array<const char*, kStoreSchemaVersion> kMigrations{
    R"sql(
CREATE TABLE run (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  started_at TEXT NOT NULL,
  replicates_planned INTEGER NOT NULL,
  host TEXT NOT NULL,
  settings TEXT NOT NULL
) STRICT;
CREATE TABLE plan_case (
  sequence INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run (sequence) ON DELETE CASCADE,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  plan_key TEXT NOT NULL,
  key TEXT NOT NULL,
  workload_key TEXT NOT NULL,
  requested TEXT NOT NULL,
  effective TEXT NOT NULL,
  launch TEXT NOT NULL,
  status TEXT,
  status_reason TEXT NOT NULL,
  UNIQUE (run, id)
) STRICT;
CREATE INDEX plan_case_in_order ON plan_case (run, position);
CREATE INDEX plan_case_by_key ON plan_case (key);
CREATE TABLE replicate (
  sequence INTEGER PRIMARY KEY,
  plan_case INTEGER NOT NULL REFERENCES plan_case (sequence) ON DELETE CASCADE,
  replicate_index INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  ranks INTEGER NOT NULL,
  status TEXT NOT NULL,
  status_reason TEXT NOT NULL,
  UNIQUE (plan_case, replicate_index)
) STRICT;
CREATE TABLE series (
  sequence INTEGER PRIMARY KEY,
  replicate INTEGER NOT NULL REFERENCES replicate (sequence) ON DELETE CASCADE,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  rank INTEGER NOT NULL,
  value BLOB,
  start_s BLOB,
  batch_index BLOB,
  examples BLOB,
  useful_tokens BLOB,
  processed_tokens BLOB,
  flags BLOB
) STRICT;
CREATE INDEX series_by_replicate ON series (replicate);
)sql",
    // A summary is what was computed from a case's series, by the program's version of that computing.
    R"sql(
CREATE TABLE summary (
  plan_case INTEGER PRIMARY KEY REFERENCES plan_case (sequence) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT;
)sql",
    // What machines can do at most, see peak_store.h.
    R"sql(
CREATE TABLE peak (
  sequence INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  runtime TEXT NOT NULL,
  device TEXT NOT NULL,
  threads INTEGER NOT NULL,
  quantity TEXT NOT NULL,
  measured_at TEXT NOT NULL,
  document TEXT NOT NULL,
  UNIQUE (fingerprint, runtime, device, threads, quantity)
) STRICT;
)sql",
    // What a run is for, see RunRole.
    R"sql(
ALTER TABLE run ADD COLUMN role TEXT NOT NULL DEFAULT 'result';
)sql",
    // Names for selections of cases, see baseline_store.h.
    R"sql(
CREATE TABLE baseline (
  name TEXT PRIMARY KEY,
  run TEXT NOT NULL,
  selection TEXT NOT NULL,
  set_at TEXT NOT NULL
) STRICT;
)sql",
    // Cases of `profile`, see profile_store.h. A document is the schema's form of a profile; none where it failed.
    R"sql(
CREATE TABLE profile (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  started_at TEXT NOT NULL,
  host TEXT NOT NULL,
  case_id TEXT NOT NULL,
  label TEXT NOT NULL,
  requested TEXT NOT NULL,
  effective TEXT NOT NULL,
  workload TEXT NOT NULL,
  recorded TEXT NOT NULL,
  status TEXT NOT NULL,
  status_reason TEXT NOT NULL,
  document TEXT,
  UNIQUE (id, case_id)
) STRICT;
)sql"};

// As readable as the store itself: SQLite writes into the empty file, and gives its journal the same mode.
void make_empty_like(const std::filesystem::path& store, const std::filesystem::path& file) {
  constexpr mode_t kPermissions = 0777;
  struct stat status {};
  const mode_t mode = ::stat(store.c_str(), &status) == 0 ? status.st_mode & kPermissions : 0600;
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (descriptor < 0) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
  }
  ::fchmod(descriptor, mode);  // what the umask took away; a file system may know no modes
  ::close(descriptor);
}

void copy_pages(Database& from, const std::filesystem::path& to) {
  Database copy(to, Database::Access::kReadWriteCreate);
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle(), "main", from.handle(), "main");
  if (backup == nullptr) copy.fail(sqlite3_errcode(copy.handle()));
  sqlite3_backup_step(backup, -1);
  if (const int code = sqlite3_backup_finish(backup); code != SQLITE_OK) copy.fail(code);
}

// The first name that is free, taken by an empty file of our own: what is there is never overwritten.
std::filesystem::path publish(const std::filesystem::path& temporary, const std::string& name) {
  constexpr int kMaxCopies = 1000;
  for (int number = 1; number <= kMaxCopies; ++number) {
    const std::string path = number == 1 ? name : fmt::format("{}.{}", name, number);
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) break;
    ::close(descriptor);
    if (::rename(temporary.c_str(), path.c_str()) == 0) return path;
    break;
  }
  throw Error(ErrorKind::kEnvironment,
              fmt::format("cannot keep a copy of the store as '{}': {}", name, std::strerror(errno)));
}

std::filesystem::path keep_copy(const Database& database, std::int64_t version) {
  const std::string name = fmt::format("{}.v{}.backup", database.path().string(), version);
  const std::filesystem::path temporary = fmt::format("{}.partial-{}", name, ::getpid());
  struct Remover {
    const std::filesystem::path& path;
    ~Remover() { ::unlink(path.c_str()); }
  } const remover{temporary};
  // Another connection, because one that is writing cannot be copied from.
  Database reader(database.path(), Database::Access::kReadWrite);
  make_empty_like(database.path(), temporary);
  copy_pages(reader, temporary);
  return publish(temporary, name);
}

}  // namespace

void migrate(Database& database, const Log& log) {
  if (database.integer("PRAGMA user_version") == kStoreSchemaVersion) return;
  Transaction transaction(database, Transaction::Kind::kWrite);
  check_ownership(database);
  const std::int64_t version = database.integer("PRAGMA user_version");  // another program may have been here
  if (version == kStoreSchemaVersion) return;
  std::filesystem::path copy;
  if (version > 0) copy = keep_copy(database, version);
  for (std::size_t step = static_cast<std::size_t>(version); step < kMigrations.size(); ++step) {
    database.execute(kMigrations[step]);
  }
  database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kStoreApplicationId, kStoreSchemaVersion)
          .c_str());
  transaction.commit();
  if (version == 0 || !log) return;
  log(LogLevel::kInfo, fmt::format("the store '{}' was migrated from schema version {} to {}; a backup is in '{}'",
                                   database.path().string(), version, kStoreSchemaVersion, copy.string()));
}

}  // namespace transformeter
