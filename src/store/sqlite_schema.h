// The tables of a SQLite store, their version, and opening a file such that only a store of ours gets through.
#pragma once

#include <filesystem>

#include "base/log.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace transformeter {

/// "TMTR", in the file's head, where `file` and we find it.
inline constexpr int kStoreApplicationId = 0x544D5452;
/// Raised with each migration; a file with a higher one is refused.
inline constexpr int kStoreSchemaVersion = 1;

/// A connection to a store whose schema is of this version. Errors and `log` as open_store's.
Database open_database(const std::filesystem::path& path, StoreMode mode, const Log& log);

}  // namespace transformeter
