// Calls into sqlite3, and what its result codes mean to a user.
#include "store/sqlite.h"

#include <fmt/format.h>

#include <cctype>
#include <limits>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

constexpr int kBusyTimeoutMs = 30'000;

struct Explanation {
  ErrorKind kind;
  std::string_view hint;
};

Explanation explain(int code) {
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return {ErrorKind::kEnvironment, "free some space"};
    case SQLITE_IOERR:
      return {ErrorKind::kEnvironment, "the disk may be full; check it, its quota and the file size limit"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorKind::kEnvironment, "make the file and its folder writable, or choose another file with --store"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorKind::kEnvironment, "another program has locked it for too long; stop that program and try again"};
    case SQLITE_CANTOPEN:
      return {ErrorKind::kEnvironment, "check that the folder exists and is accessible and writable"};
    case SQLITE_CORRUPT:
      return {ErrorKind::kBadInput, "the file is damaged; restore a copy, or choose another file with --store"};
    case SQLITE_NOTADB:
      return {ErrorKind::kBadInput, "it is not a transformeter store; choose another file with --store"};
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return {ErrorKind::kEnvironment, "it exceeds a limit of the machine or the file format"};
    case SQLITE_ERROR:  // statements are our own, so only a damaged schema gets here
      return {ErrorKind::kBadInput, "the file is damaged, or was changed by another program"};
    default:
      return {ErrorKind::kInternal, "please report this"};
  }
}

// A "file:" URI, with every byte escaped that the syntax might take for its own.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("/._-").find(c) != std::string_view::npos)) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

Database::Database(const std::filesystem::path& path, Access access) : path_(path) {
  // Absolute, so that names such as ":memory:" mean a file like any other.
  const std::string absolute = std::filesystem::absolute(path).string();
  int code = SQLITE_OK;
  if (access == Access::kImmutable) {
    code = sqlite3_open_v2(immutable_uri(absolute).c_str(), &handle_, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  } else {
    const int create = access == Access::kReadWriteCreate ? SQLITE_OPEN_CREATE : 0;
    code = sqlite3_open_v2(absolute.c_str(), &handle_, SQLITE_OPEN_READWRITE | create, nullptr);
  }
  if (code != SQLITE_OK) {
    Database failed(std::move(*this));  // so that the handle, which even a failed open makes, is closed
    failed.fail(code);
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kBusyTimeoutMs);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, nullptr)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(handle_, other.handle_);
  return *this;
}

void Database::execute(const char* sql) {
  if (const int code = attempt(sql); code != SQLITE_OK) fail(code);
}

int Database::attempt(const char* sql) {
  return sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
}

std::int64_t Database::integer(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

int Database::changes() const {
  return sqlite3_changes(handle_);
}

void Database::fail(int code) const {
  const Explanation explanation = explain(code);
  const char* reason = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  throw Error(explanation.kind, fmt::format("the store '{}' failed: {} (SQLite code {}); {}", path_.string(), reason,
                                            code, explanation.hint));
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  check(sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &handle_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    sqlite3_reset(handle_);
    database_.fail(code);
  }
  return false;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

int Statement::small_integer(int column) const {
  const std::int64_t value = integer(column);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    throw Error(ErrorKind::kBadInput, fmt::format("the store '{}' is damaged: {} is {}", database_.path().string(),
                                                  sqlite3_column_name(handle_, column), value));
  }
  return static_cast<int>(value);
}

std::string Statement::text(int column) const {
  return std::string(blob(column));
}

std::optional<std::string> Statement::optional_text(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL) return std::nullopt;
  return text(column);
}

std::string_view Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const int size = sqlite3_column_bytes(handle_, column);
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<std::size_t>(size));
}

void Statement::put(int position, std::int64_t value) {
  check(sqlite3_bind_int64(handle_, position, value));
}

void Statement::put(int position, std::string_view value) {
  const char* bytes = value.data() != nullptr ? value.data() : "";  // a null pointer would be stored as NULL
  check(sqlite3_bind_text64(handle_, position, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::put(int position, const std::optional<std::string_view>& value) {
  if (value) {
    put(position, *value);
  } else {
    check(sqlite3_bind_null(handle_, position));
  }
}

void Statement::put(int position, Blob value) {
  if (value.bytes.empty()) {
    check(sqlite3_bind_null(handle_, position));
  } else {
    check(sqlite3_bind_blob64(handle_, position, value.bytes.data(), value.bytes.size(), SQLITE_TRANSIENT));
  }
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

Error with_consequence(const Error& error, std::string_view consequence) {
  if (error.kind() != ErrorKind::kEnvironment) return error;
  return Error(error.kind(), fmt::format("{}; {}", error.what(), consequence));
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  // A writer takes the lock at once: a lock asked for half-way fails without waiting when another writer has been.
  database_.execute(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // A failure such as a full disk may have rolled back already.
  if (sqlite3_get_autocommit(database_.handle()) == 0) {
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
}

}  // namespace transformeter
