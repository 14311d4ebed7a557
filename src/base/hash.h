// SHA-256 of text and files: the identity of workloads, cases and data.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace transformeter {

/// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);
/// Throws Error(kBadInput) when the file cannot be read.
std::string sha256_file(const std::filesystem::path& path);

}  // namespace transformeter
