// A thin owner of the sqlite3 C library's connection, statement and transaction, with errors in our own words.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace transformeter {

/// Bytes to bind; no bytes are stored as NULL.
struct Blob {
  std::string_view bytes;
};

/// Owns a connection. Not thread-safe. Every failure of the library becomes an Error that names the file.
class Database {
 public:
  enum class Access {
    kReadWriteCreate,
    kReadWrite,
    kImmutable,  // no locks and no journal: only for a file that nobody writes
  };

  Database(const std::filesystem::path& path, Access access);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// One or more statements without results.
  void execute(const char* sql);
  /// As execute, but returns SQLite's result code.
  int attempt(const char* sql);
  /// The first column of the first row.
  std::int64_t integer(const char* sql);
  std::string text(const char* sql);
  /// Rows changed by the last statement.
  int changes() const;
  [[noreturn]] void fail(int code) const;

  sqlite3* handle() const { return handle_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement. Values are copied when bound; what `text` and `blob` return is read before the next step.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds all parameters in order, after a reset.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    sqlite3_reset(handle_);
    int position = 0;
    (put(++position, values), ...);
    return *this;
  }
  /// True when there is a row.
  bool step();
  /// For a statement without rows.
  void run() { step(); }

  std::int64_t integer(int column) const;
  /// Throws Error(kBadInput) when the stored number does not fit.
  int small_integer(int column) const;
  std::string text(int column) const;
  std::optional<std::string> optional_text(int column) const;
  std::string_view blob(int column) const;

 private:
  void put(int position, std::int64_t value);
  void put(int position, int value) { put(position, static_cast<std::int64_t>(value)); }
  void put(int position, std::string_view value);
  void put(int position, const std::string& value) { put(position, std::string_view(value)); }
  void put(int position, const std::optional<std::string_view>& value);
  void put(int position, Blob value);
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// The error, and where a full disk or the like is its cause, what became of the rest: a user asks first what is lost.
Error with_consequence(const Error& error, std::string_view consequence);

/// Rolls back unless committed.
class Transaction {
 public:
  enum class Kind { kRead, kWrite };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
};

}  // namespace transformeter
