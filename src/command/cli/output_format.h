// The --format option of every command that prints results.
#pragma once

#include <string>
#include <vector>

#include "cli/declaration.h"

namespace transformeter {

/// The first word is the default, which `format` gets.
OptionDeclaration format_option(std::string& format, const std::vector<std::string>& words);
/// Throws Error(kBadInput) for a word that is none of them.
void check_format(const std::string& format, const std::vector<std::string>& words);

}  // namespace transformeter
