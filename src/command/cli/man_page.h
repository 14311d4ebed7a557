// Manual pages in roff, from the declarations of the command line.
#pragma once

#include <string>

#include "cli/declaration.h"

namespace transformeter {

/// transformeter(1): the subcommands and the program's own options.
std::string program_page(const ProgramDeclaration& program);
/// transformeter-COMMAND(1).
std::string command_page(const CommandDeclaration& command);

}  // namespace transformeter
