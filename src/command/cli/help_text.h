// What --help and a bare `transformeter` print.
#pragma once

#include <string>

#include "cli/declaration.h"

namespace transformeter {

/// The commands by task, and those to start with. Lines have at most `width` columns where words allow it.
std::string program_help(const ProgramDeclaration& program, std::size_t width);

enum class HelpDetail { kCommon, kAll };

/// Usage, options in groups, examples and notes. With kCommon only the common options, and a last line that says how to
/// see the others.
std::string command_help(const CommandDeclaration& command, HelpDetail detail, std::size_t width);

}  // namespace transformeter
