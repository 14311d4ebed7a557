// Where a command may write: anywhere but over the store that it reads.
#pragma once

#include <filesystem>

namespace transformeter {

/// Throws Error(kBadInput) when `output` is, under whatever name, the store at `store` or one of the files that SQLite
/// keeps beside it (-wal, -shm, -journal), whether they exist by now or not.
void check_is_not_store(const std::filesystem::path& output, const std::filesystem::path& store);

}  // namespace transformeter
