// From the schema a store has to the one this program writes.
#pragma once

#include "base/log.h"
#include "store/sqlite.h"

namespace transformeter {

/// Creates the tables, or brings older ones up to date after a copy of the file was made beside it:
/// "<store>.v1.backup", or with a number behind it where that name is taken. Several programs may come here at once.
/// Throws Error(kEnvironment), the store being as before, when there is no room for the copy or the change.
void migrate(Database& database, const Log& log);

}  // namespace transformeter
