// The tables of a SQLite store, their version, and opening a file such that only a store of ours gets through.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/log.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace transformeter {

/// "TMTR", in the file's head, where `file` and we find it.
inline constexpr int kStoreApplicationId = 0x544D5452;
/// Raised with each migration; a file with a higher one is refused.
inline constexpr int kStoreSchemaVersion = 6;

/// True for a store of ours, false for a file with nothing in it; throws Error(kBadInput) for a stranger's or a newer
/// one. The caller holds a transaction: between two looks at the head another program may turn an empty file into a
/// store, and half of each would look like a stranger's.
bool check_ownership(Database& database);

/// A connection to a store; for writing its schema is of this version, for reading of this or an older one. Errors,
/// `log` and `maker` as open_store's.
Database open_database(const std::filesystem::path& path, StoreMode mode, const Log& log,
                       std::string_view maker = "run");

}  // namespace transformeter
