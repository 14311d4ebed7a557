// Where a command may write: anywhere but over the store that it reads.
#pragma once

#include <filesystem>
#include <string_view>

#include "report/plot_format.h"

namespace transformeter {

/// Throws Error(kBadInput) that names `option` when `path` is a folder, no regular file, or in no folder, and
/// Error(kEnvironment) where it cannot be written: to be called before what takes long.
void check_output_place(std::string_view option, const std::filesystem::path& path);

/// Throws Error(kBadInput) that names `option` when `output` is, under whatever name, the store at `store` or one of
/// the files that SQLite keeps beside it (-wal, -shm, -journal), whether they exist by now or not.
void check_is_not_store(std::string_view option, const std::filesystem::path& output,
                        const std::filesystem::path& store);
/// The same of -o.
void check_is_not_store(const std::filesystem::path& output, const std::filesystem::path& store);

/// Throws Error(kBadInput) that names `option` when `file` is, under whatever name, the one of -o; that may be empty.
void check_is_not_output(std::string_view option, const std::filesystem::path& file,
                         const std::filesystem::path& output);

/// What the ending of a plot's file chooses. Throws Error(kBadInput) that names `option` for any other than .svg, .png
/// and .pdf.
PlotFormat format_of_plot(std::string_view option, const std::filesystem::path& path);

}  // namespace transformeter
