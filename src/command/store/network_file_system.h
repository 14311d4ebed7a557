// Whether a file lies on a network file system, where SQLite's shared-memory journal (WAL) is not safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace transformeter {

/// The kind ("NFS", "FUSE") that statfs's magic number stands for; nothing for local ones.
std::optional<std::string_view> network_file_system_kind(unsigned long magic);

/// The kind of the file system that holds `folder`; nothing for local ones, or when it cannot be told.
std::optional<std::string_view> network_file_system(const std::filesystem::path& folder);

}  // namespace transformeter
