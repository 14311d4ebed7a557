// Parquet files through libtransformeter_parquet.so, which is opened when the first file is.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "datasets/parquet_plugin.h"

namespace transformeter {

/// Throws Error(kEnvironment), which says how to get it, where the library is missing or of another version, and
/// Error(kBadInput) naming the file for one that it cannot read or that names a column twice.
std::unique_ptr<ParquetFile> open_parquet(const std::filesystem::path& file);

/// For a file that cannot be read, with Arrow's reason.
Error unreadable_parquet(const std::filesystem::path& file, std::string_view why_not);

}  // namespace transformeter
