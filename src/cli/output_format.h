// The --format option of every command that prints results.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace transformeter {

/// Adds --format; the first word is the default.
void add_format_option(CLI::App& app, std::string& format, const std::vector<std::string>& words);
/// Throws Error(kBadInput) for a word that is none of them.
void check_format(const std::string& format, const std::vector<std::string>& words);

}  // namespace transformeter
